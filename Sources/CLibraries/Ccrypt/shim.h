#ifndef PAIRSPOT_CCRYPT_SHIM_H
#define PAIRSPOT_CCRYPT_SHIM_H

#include <crypt.h>

#endif
