/* Gives every file of a corpus to a fuzz target, so that the corpora are ordinary tests with any compiler.
 *
 * usage: fuzz_NAME DIRECTORY */
#include "check.h"

#include <dirent.h>
#include <string.h>

static void replay(const char *path) {
    FILE *file = fopen(path, "rb");
    CHECK(file && fseek(file, 0, SEEK_END) == 0);
    long size = ftell(file);
    CHECK(size >= 0);
    rewind(file);
    /* Exactly as large as the input, so that sanitizers see a read behind it. */
    uint8_t *bytes = malloc(size ? (size_t)size : 1);
    CHECK(bytes && fread(bytes, 1, (size_t)size, file) == (size_t)size);
    fclose(file);
    LLVMFuzzerTestOneInput(bytes, (size_t)size);
    free(bytes);
}

int main(int argc, char **argv) {
    DIR *directory = argc == 2 ? opendir(argv[1]) : NULL;
    size_t count = 0;
    if (!directory) {
        fprintf(stderr, "usage: %s DIRECTORY\n", argv[0]);
        return 2;
    }
    for (const struct dirent *entry; (entry = readdir(directory));) {
        char path[4096];
        if (entry->d_name[0] == '.') continue;
        CHECK(snprintf(path, sizeof path, "%s/%s", argv[1], entry->d_name) < (int)sizeof path);
        replay(path);
        count++;
    }
    closedir(directory);
    printf("%zu inputs\n", count);
    return count ? 0 : 1;
}
