/* A binned cache that a command writes, which an interruption leaves no part of. */
#ifndef CLI_BINS_FILE_H
#define CLI_BINS_FILE_H

#include <hedgerow/data.h>

typedef struct bins_file {
    hr_binner *binner;
    char *unfinished; /* the name that the library gives the file until it is whole */
} bins_file;

/* As hr_binner_open. bins_file_close frees what the file holds, also where this failed. */
hr_status bins_file_open(bins_file *file, const hr_schema *schema, const char *path,
                         const hr_bin_options *options, hr_error *err);
void bins_file_close(bins_file *file);

#endif
