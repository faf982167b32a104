/* Addresses of databases, and how they are shown: without what may be a password. */
#ifndef HR_TABLES_SOURCE_DATABASE_ADDRESS_H
#define HR_TABLES_SOURCE_DATABASE_ADDRESS_H

#include <stdbool.h>
#include <stddef.h>

enum { HR_DATABASE_SHOWN = 256 };

/* Whether it is the address of a PostgreSQL database rather than the path of a file. */
bool hr_database_is_address(const char *path);

/* Of an address: the user, the host and the database, but neither password nor options. A path is shown as it
 * is. Cut off where there is no room. */
void hr_database_show(const char *path, char shown[HR_DATABASE_SHOWN]);

/* Whether an address has its signs in their places: an @ after the user alone, ports that are numbers. Of
 * others libpq takes a part of the password for a host or a port, and repeats it. */
bool hr_database_is_plain(const char *address);

/* Replaces every occurrence of the secret (NULL: none) in text by asterisks. */
void hr_database_hide(char *text, const char *secret);

#endif
