#define _GNU_SOURCE /* nftw */

#include "support/remove_tree.h"

#include <ftw.h>
#include <stdio.h>

static int remove_entry(const char *path, const struct stat *about, int kind, struct FTW *place) {
    (void)about, (void)kind, (void)place;
    return remove(path);
}

void remove_tree(const char *folder) {
    enum { OPEN_FOLDERS = 16 };
    nftw(folder, remove_entry, OPEN_FOLDERS, FTW_DEPTH | FTW_PHYS);
}
