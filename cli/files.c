/* Files that appear whole: written beside their final name and renamed when complete, so that nobody reads
 * half a table and a failed command leaves nothing behind. A name that must be free is taken by link(), which
 * fails if a file has come there meanwhile. */
#include "output.h"

#include "interrupt.h"
#include "places.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PART_NAMES = 100 };

static const char remedy[] = "choose another place, or correct its permissions";

enum { PRIVATE_RIGHTS = 0600, PUBLIC_RIGHTS = 0666 };

/* Opens a new file beside `place`; *part gets its name, which remove_part frees. Returns a descriptor or -1.
 */
static int open_part(const char *place, mode_t rights, char **part) {
    const size_t size = strlen(place) + 48;
    char *name = malloc(size);
    if (name == NULL) return -1;
    int descriptor = -1;
    interrupt_hold();
    for (int i = 0; i < PART_NAMES && descriptor < 0; i++) {
        snprintf(name, size, "%s.part-%ld-%d", place, (long)getpid(), i);
        descriptor = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, rights);
        if (descriptor < 0 && errno != EEXIST) break;
    }
    if (descriptor >= 0 && !interrupt_remember(name)) abort();
    interrupt_release();
    if (descriptor < 0) {
        free(name);
        return -1;
    }
    *part = name;
    return descriptor;
}

static void remove_part(char *part) {
    if (part == NULL) return;
    interrupt_hold();
    unlink(part);
    interrupt_forget(part);
    interrupt_release();
    free(part);
}

/* ---- Refusals ---- */

static hr_status fail_exists(const char *path, output_rule rule, hr_error *err) {
    *err = (hr_error){.status = HR_E_IO, .message = "the file exists already"};
    snprintf(err->file, sizeof err->file, "%s", path);
    snprintf(err->remedy, sizeof err->remedy, "%s",
             rule == OUTPUT_UNFORCED ? "choose another name, or replace it with --force"
                                     : "choose another name; an existing file is never overwritten");
    return HR_E_IO;
}

static bool is_special(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 && !S_ISREG(info.st_mode);
}

/* A device or a pipe; it is not opened, which could wait for a reader. */
static hr_status probe_special(const char *path, hr_error *err) {
    struct stat info;
    if (stat(path, &info) == 0 && (S_ISDIR(info.st_mode) || S_ISSOCK(info.st_mode))) {
        errno = S_ISDIR(info.st_mode) ? EISDIR : ENXIO;
        return fail_io(err, path, "cannot be written", "name a file");
    }
    return access(path, W_OK) == 0 ? HR_OK : fail_io(err, path, "cannot be written", remedy);
}

/* Whether a new file can be made beside `place`. */
static bool takes_a_part(const char *place) {
    char *part = NULL;
    const int descriptor = open_part(place, PRIVATE_RIGHTS, &part);
    if (descriptor < 0) return false;
    close(descriptor);
    remove_part(part);
    return true;
}

hr_status output_probe(const char *path, output_rule rule, hr_error *err) {
    if (is_standard_output(path)) return HR_OK;
    if (is_special(path)) return probe_special(path, err);
    if (rule != OUTPUT_FORCED && access(path, F_OK) == 0) return fail_exists(path, rule, err);
    char *place = final_place(path);
    const bool writable = place != NULL && takes_a_part(place);
    free(place);
    return writable ? HR_OK : fail_io(err, path, "cannot be written", remedy);
}

/* ---- Writing ---- */

static int open_target(output_file *file, mode_t rights) {
    if (is_special(file->path)) return open(file->path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    file->place = final_place(file->path);
    return file->place == NULL ? -1 : open_part(file->place, rights, &file->part);
}

static hr_status open_output(output_file opened, mode_t rights, output_file *file, hr_error *err) {
    if (is_standard_output(opened.path)) {
        opened.stream = stdout;
    } else {
        const int descriptor = open_target(&opened, rights);
        opened.stream = descriptor < 0 ? NULL : fdopen(descriptor, "wb");
        if (descriptor >= 0 && opened.stream == NULL) close(descriptor);
    }
    if (opened.stream == NULL) {
        fail_io(err, opened.path, "cannot be written", remedy);
        output_abandon(&opened);
        return HR_E_IO;
    }
    *file = opened;
    return HR_OK;
}

hr_status output_open(output_file *file, const char *path, output_rule rule, hr_error *err) {
    return open_output((output_file){.path = path, .rule = rule}, PRIVATE_RIGHTS, file, err);
}

hr_status output_open_public(output_file *file, const char *path, output_rule rule, hr_error *err) {
    return open_output((output_file){.path = path, .rule = rule}, PUBLIC_RIGHTS, file, err);
}

hr_status output_add(output_file *file, const char *bytes, size_t size, hr_error *err) {
    return fwrite(bytes, 1, size, file->stream) == size
               ? HR_OK
               : fail_io(err, file->path, "cannot be written", remedy);
}

/* Takes a name that must be free. Where a file system has no links, the name is taken by an empty file, which
 * is replaced. */
static bool take_name(const char *part, const char *place) {
    if (link(part, place) == 0) {
        unlink(part);
        return true;
    }
    if (errno == EEXIST) return false;
    const int taken = open(place, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (taken < 0) return false;
    close(taken);
    if (rename(part, place) == 0) return true;
    const int reason = errno;
    unlink(place);
    errno = reason;
    return false;
}

static bool give_name(output_file *file) {
    interrupt_hold();
    const bool given = file->rule == OUTPUT_FORCED ? rename(file->part, file->place) == 0
                                                   : take_name(file->part, file->place);
    const int reason = errno;
    if (given) interrupt_forget(file->part);
    interrupt_release();
    errno = reason;
    return given;
}

/* Whether all that was written has arrived, on the disk if it is a file of ours. */
static bool close_stream(output_file *file) {
    FILE *stream = file->stream;
    file->stream = NULL;
    const bool arrived =
        fflush(stream) == 0 && !ferror(stream) && (file->part == NULL || fsync(fileno(stream)) == 0);
    const int reason = errno;
    const bool closed = stream == stdout || fclose(stream) == 0;
    if (!arrived) errno = reason;
    return arrived && closed;
}

hr_status output_finish(output_file *file, hr_error *err) {
    if (!close_stream(file)) return fail_io(err, file->path, "cannot be written", remedy);
    if (file->part == NULL) return HR_OK;
    if (!give_name(file)) {
        return errno == EEXIST ? fail_exists(file->path, file->rule, err)
                               : fail_io(err, file->path, "cannot be written", remedy);
    }
    free(file->part);
    file->part = NULL;
    return HR_OK;
}

void output_abandon(output_file *file) {
    if (file->stream != NULL && file->stream != stdout) fclose(file->stream);
    remove_part(file->part);
    free(file->place);
    *file = (output_file){0};
}

hr_status output_write(output_opener *open, const char *path, output_rule rule, const char *bytes,
                       size_t size, hr_error *err) {
    output_file file = {0};
    hr_status status = open(&file, path, rule, err);
    if (status == HR_OK) {
        fwrite(bytes, 1, size, file.stream);
        status = output_finish(&file, err);
    }
    output_abandon(&file);
    return status;
}
