// A function of SQLite with a variable number of arguments, which Swift cannot call. <sqlite3.h>
// itself belongs to GRDB's module.
int sqlite3_config(int option, ...);

// Turns off the statistics of memory, for which every connection takes one lock at each allocation.
// Before the first connection; returns 0 (SQLITE_OK), else nothing changes. 9 is
// SQLITE_CONFIG_MEMSTATUS.
static inline int sqlite_without_memory_statistics(void) { return sqlite3_config(9, 0); }
