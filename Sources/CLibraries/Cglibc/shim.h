// Headers of glibc that Swift's module Glibc leaves out.
#include <arpa/nameser.h>
#include <resolv.h>
#include <sys/timex.h>
