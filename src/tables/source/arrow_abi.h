/* The structs of Arrow's C data interface, whose members its specification fixes: how the module that reads
 * Parquet files hands over columns (parquet_module.h). */
#ifndef HR_TABLES_SOURCE_ARROW_ABI_H
#define HR_TABLES_SOURCE_ARROW_ABI_H

#include <stdint.h>

#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

struct ArrowSchema {
    const char *format, *name, *metadata;
    int64_t flags, n_children;
    struct ArrowSchema **children, *dictionary;
    void (*release)(struct ArrowSchema *schema);
    void *private_data;
};

struct ArrowArray {
    int64_t length, null_count, offset, n_buffers, n_children;
    const void **buffers;
    struct ArrowArray **children, *dictionary;
    void (*release)(struct ArrowArray *array);
    void *private_data;
};

#endif
#endif
