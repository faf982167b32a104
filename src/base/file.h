/* Steps of writing files that must be done alike everywhere. */
#ifndef HR_BASE_FILE_H
#define HR_BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>

/* Writes all of bytes[0..size), however often the system stops. False with errno. */
bool hr_file_write(int fd, const void *bytes, size_t size);

/* Brings the name of the file at `path`, which is cut down to its folder, to the disk. Not every file system can do that: a refusal is
 * no failure. */
void hr_file_sync_folder(char *path);

#endif
