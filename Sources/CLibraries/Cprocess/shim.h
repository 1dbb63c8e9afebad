#ifndef PAIRSPOT_CPROCESS_SHIM_H
#define PAIRSPOT_CPROCESS_SHIM_H

// What glibc declares only under _GNU_SOURCE, which Swift's view of it doesn't set.
#include <spawn.h>

extern int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *, int);
extern int pipe2(int[2], int);

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#if defined(__x86_64__)
#define PAIRSPOT_AUDIT_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define PAIRSPOT_AUDIT_ARCH AUDIT_ARCH_AARCH64
#endif

/// Forbids sockets to this process, the programs that it becomes and its children, for good: the
/// system calls that make one fail with EPERM. Returns 0, or -1 and sets errno.
static inline int pairspot_forbid_sockets(void) {
#if defined(PAIRSPOT_AUDIT_ARCH)
  struct sock_filter filter[] = {
    // Another architecture has other numbers.
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, PAIRSPOT_AUDIT_ARCH, 0, 5),
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
    // So has x32, from this bit on.
    BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 3, 0),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_socket, 2, 0),
    // io_uring_setup, by which sockets could be made without system calls.
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 425, 1, 0),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 1),
  };
  struct sock_fprog program = {sizeof filter / sizeof filter[0], filter};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
#else
  return 0;
#endif
}

#endif
