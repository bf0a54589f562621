// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace platter::exec {

/// To be called before a descriptor gets another meaning, and after it: the standard streams of <stdio.h> follow.
void before_replaced(int fd);
void after_replaced(int fd);
/// open_device(); a standard stream whose descriptor it takes follows.
int open_and_follow(int flags);

}  // namespace platter::exec
