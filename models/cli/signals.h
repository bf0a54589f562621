// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

namespace platter::cli {

/// SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGQUIT and SIGXCPU end the process by exit code 128 + signal, after its child processes and without a
/// partial file. A signal that is ignored (nohup, a shell's background job) stays ignored. A file's size limit is an error of writing.
void end_cleanly_on_signals();

/// fork() whose child ends with its parent; the child has no share in the parent's files and children.
pid_t fork_child();
/// The child has been waited for.
void forget_child(pid_t pid) noexcept;

}  // namespace platter::cli
