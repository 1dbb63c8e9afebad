// libgd, and zlib beneath it: the colour profile of a PNG is compressed.
#include <gd.h>
#include <gd_errors.h>
#include <zlib.h>
