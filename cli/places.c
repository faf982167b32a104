/* Two names are one file if they lead to the same device and inode; where there is no file yet, if they lead
 * to the same name in the same folder. */
#include "places.h"

#include "output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LINKS_MAX = 40, LINK_SIZE = 4096 };

bool is_standard_output(const char *path) {
    return strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0;
}

static size_t folder_length(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash == NULL ? 0 : (size_t)(slash - path) + 1;
}

/* What the link at `path` says, seen from where `path` is seen from. NULL: it is no link, or memory is short.
 */
static char *follow(const char *path) {
    char link[LINK_SIZE];
    const ssize_t size = readlink(path, link, sizeof link - 1);
    if (size <= 0) return NULL;
    link[size] = '\0';
    const size_t folder = link[0] == '/' ? 0 : folder_length(path);
    char *next = malloc(folder + (size_t)size + 1);
    if (next == NULL) return NULL;
    memcpy(next, path, folder);
    memcpy(next + folder, link, (size_t)size + 1);
    return next;
}

char *final_place(const char *path) {
    char *place = strdup(path);
    for (int links = 0; place != NULL && links < LINKS_MAX; links++) {
        char *next = follow(place);
        if (next == NULL) return place;
        free(place);
        place = next;
    }
    free(place);
    errno = ELOOP;
    return NULL;
}

static bool same_inode(const struct stat *first, const struct stat *second) {
    return first->st_dev == second->st_dev && first->st_ino == second->st_ino;
}

/* The folder that a place is in. */
static bool folder_of(const char *place, struct stat *folder) {
    const size_t length = folder_length(place);
    if (length == 0) return stat(".", folder) == 0;
    char *name = strndup(place, length);
    const bool known = name != NULL && stat(name, folder) == 0;
    free(name);
    return known;
}

static bool same_name(const char *first, const char *second) {
    struct stat folders[2];
    if (strcmp(first + folder_length(first), second + folder_length(second)) != 0) return false;
    return folder_of(first, &folders[0]) && folder_of(second, &folders[1]) &&
           same_inode(&folders[0], &folders[1]);
}

static bool same_file(const char *first, const char *second) {
    struct stat files[2];
    const bool there = stat(first, &files[0]) == 0;
    if (there != (stat(second, &files[1]) == 0)) return false;
    if (there) return same_inode(&files[0], &files[1]);
    char *places[2] = {final_place(first), final_place(second)};
    const bool same = places[0] != NULL && places[1] != NULL && same_name(places[0], places[1]);
    free(places[0]);
    free(places[1]);
    return same;
}

static bool is_device(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 && !S_ISREG(info.st_mode);
}

/* What SQLite adds to a database's name for the files of its changes. */
static const char *const endings[] = {"-wal", "-shm", "-journal"};

char *changes_of(const char *path) {
    const size_t length = strlen(path);
    char *name = malloc(length + sizeof "-journal");
    for (size_t i = 0; name != NULL && i < sizeof endings / sizeof *endings; i++) {
        memcpy(name, path, length);
        memcpy(name + length, endings[i], strlen(endings[i]) + 1);
        if (access(name, F_OK) == 0) return name;
    }
    free(name);
    return NULL;
}

/* False: the place has none of these endings. */
static bool cut_ending(char *place) {
    const size_t length = strlen(place);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        const size_t size = strlen(endings[i]);
        if (length <= size || strcmp(place + length - size, endings[i]) != 0) continue;
        place[length - size] = '\0';
        return true;
    }
    return false;
}

/* A file of changes that is replaced or appears takes the ledger with it. */
static bool apart_from_database(const char *command, const named_file *output, const named_file *others,
                                size_t count) {
    static const char text[] = "%s '%s' is where SQLite keeps the changes of %s%s'%s'; name another file";
    struct stat info;
    char *place = final_place(output->path);
    bool apart = place == NULL || !cut_ending(place) || stat(place, &info) != 0 || !S_ISREG(info.st_mode);
    for (size_t i = 0; !apart && i < count; i++) {
        if (others[i].path == NULL || !same_file(place, others[i].path)) continue;
        usage_error(command, text, output->option, output->path, others[i].option, " ", others[i].path);
        free(place);
        return false;
    }
    if (!apart) usage_error(command, text, output->option, output->path, "", "", place);
    free(place);
    return apart;
}

bool output_apart(const char *command, const named_file *output, const named_file *others, size_t count) {
    if (output->path == NULL || is_standard_output(output->path) || is_device(output->path)) return true;
    for (size_t i = 0; i < count; i++) {
        const named_file *other = &others[i];
        if (other->path == NULL || strcmp(other->path, "-") == 0 || !same_file(output->path, other->path))
            continue;
        usage_error(command, "%s '%s' is the same file as %s '%s', which would be lost; name another file",
                    output->option, output->path, other->option, other->path);
        return false;
    }
    return apart_from_database(command, output, others, count);
}
