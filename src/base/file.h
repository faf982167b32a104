/* Steps of writing files that must be done alike everywhere. */
#ifndef HR_BASE_FILE_H
#define HR_BASE_FILE_H

#include "base/buffer.h"

#include <stdbool.h>

/* Writes all of bytes[0..size), however often the system stops. False with errno. */
bool hr_file_write(int fd, const void *bytes, size_t size);

/* A new file beside `path` that has no name, for its owner alone: it is gone when it is closed. -1 with
 * errno.
 */
int hr_file_unnamed(const char *path);

/* Brings the name of the file at `path`, which is cut down to its folder, to the disk. Not every file system
 * can do that: a refusal is no failure. */
void hr_file_sync_folder(char *path);

/* Makes a file with these rights, which must not exist, and brings it to the disk; `what` names it in
 * messages, such as "key". On failure no file is left. Fails: IO (or it exists), MEMORY. */
HR_MUST_CHECK hr_status hr_file_create(const char *path, const char *what, unsigned rights, const void *bytes,
                                       size_t size, hr_error *err);

/* The same in place of what is there, at once: readers see the old file or the new one. The new one is
 * written to PATH.new first. Fails: IO, MEMORY. */
HR_MUST_CHECK hr_status hr_file_replace(const char *path, const char *what, unsigned rights,
                                        const void *bytes, size_t size, hr_error *err);

/* Adds all of the file. Fails: IO, MEMORY; the caller frees the buffer. */
HR_MUST_CHECK hr_status hr_file_read_path(const char *path, hr_buffer *bytes, hr_error *err);

/* Writes a file for all to read in place of what is there, at once; links are followed. A device or pipe is
 * written to, and "-" is standard output. Fails: IO, MEMORY. */
HR_MUST_CHECK hr_status hr_file_write_path(const char *path, const char *bytes, size_t size, hr_error *err);

/* Whether hr_file_write_path could make the file now: nothing is left there. Fails: IO, MEMORY. */
HR_MUST_CHECK hr_status hr_file_check_place(const char *path, hr_error *err);

/* Whether `rights` (st_mode) of the file of a secret key let nobody but its owner use it. Fails: POLICY. */
HR_MUST_CHECK hr_status hr_file_check_secret(const char *path, unsigned rights, hr_error *err);

#endif
