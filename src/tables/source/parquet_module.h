/* The module that reads Parquet files by Arrow's C++ library, parquet_module.cpp. The library takes tens of
 * milliseconds to load, so the module is loaded with the first such file. No exception leaves it. */
#ifndef HR_TABLES_SOURCE_PARQUET_MODULE_H
#define HR_TABLES_SOURCE_PARQUET_MODULE_H

#include "tables/source/arrow_abi.h"

#include <stddef.h>

/* The number of this interface: a module with another one is of another version of Hedgerow. */
enum { HR_PARQUET_INTERFACE = 1, HR_PARQUET_MESSAGE = 256 };

typedef enum hr_parquet_result {
    HR_PARQUET_DONE,
    HR_PARQUET_DAMAGED,     /* the file does not follow the format */
    HR_PARQUET_UNSUPPORTED, /* what the file needs is not in the library */
    HR_PARQUET_LARGE,       /* it takes more memory than is allowed */
    HR_PARQUET_MEMORY
} hr_parquet_result;

typedef struct hr_parquet_file hr_parquet_file;

/* Each writes `message` (HR_PARQUET_MESSAGE bytes) unless it is done. */
typedef struct hr_parquet_module {
    int interface;
    const char *library; /* its name and version */
    /* Takes the descriptor of a regular file over, in case of failure too; `memory`: bytes that may be taken
     * at a time. */
    hr_parquet_result (*open)(int file, int64_t memory, hr_parquet_file **out, char *message);
    /* The columns are the children. The caller releases *out. */
    hr_parquet_result (*schema)(hr_parquet_file *file, struct ArrowSchema *out, char *message);
    size_t (*groups)(const hr_parquet_file *file);
    /* As the file's head has it; a hostile one may have any number. Negative: also if it cannot be read. */
    int64_t (*rows)(const hr_parquet_file *file, size_t group);
    /* Goes to the beginning of a row group, of which these columns are read, one at least. */
    hr_parquet_result (*start)(hr_parquet_file *file, size_t group, const int *columns, size_t count,
                               char *message);
    /* The next rows, with a child for each column, valid in all its parts; the caller releases *out. Not
     * released afterwards, but empty (release is NULL): the group has no more. */
    hr_parquet_result (*next)(hr_parquet_file *file, struct ArrowArray *out, char *message);
    void (*close)(hr_parquet_file *file);
} hr_parquet_module;

/* The one symbol of the module. */
#define HR_PARQUET_SYMBOL "hr_parquet_module_of"
typedef const hr_parquet_module *hr_parquet_module_getter(void);

#endif
