// What glibc declares only under _GNU_SOURCE, which Swift's view of it doesn't set.
#include <spawn.h>

extern int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *, int);
extern int pipe2(int[2], int);
