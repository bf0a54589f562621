// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

namespace platter::cli {

/// SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGQUIT and SIGXCPU end the process with exit code 128 + signal, after its child processes have ended
/// and its partial files have been removed. A signal that is ignored (nohup, a shell's background job) stays ignored. Reaching the file
/// size limit is a write error, not a signal.
void end_cleanly_on_signals();

/// fork() with a child that ends when its parent ends. The child does not clean up the parent's files and children.
pid_t fork_child();
/// To be called when the child has been waited for.
void forget_child(pid_t pid) noexcept;

}  // namespace platter::cli
