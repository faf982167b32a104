/* Where the records of a table come from, so that none is counted twice.
 *
 * A guarantee is about one record, or one person, more or less. A file that is read twice makes two records
 * of each, and the guarantee twice as weak as promised. A file is known by its device and its number there,
 * so that links and other ways to write its path are seen; a table of a database by its query, too. A copy,
 * or another pipe with the same bytes, is known by a hash of the text that is read (XXH3, 128 bits), whatever
 * its compression; one that differs in a byte is taken for another table. This finds mistakes: who wants to
 * count records twice can change a byte. */
#ifndef HR_TABLES_SOURCE_ORIGINS_H
#define HR_TABLES_SOURCE_ORIGINS_H

#include "tables/source/table_source.h"

#include <stddef.h>
#include <stdint.h>

typedef struct hr_content {
    uint64_t high, low;
} hr_content;

typedef struct hr_origin {
    char *shown;           /* how messages call it: the path, or an address without a password */
    char *address;         /* of a database server; NULL: a file */
    char *query;           /* the text of the query of a database; NULL: all of a file */
    uint64_t device, file; /* of a file: st_dev, st_ino */
    bool has_content;      /* all of it was read, and there are records in it */
    hr_content content;    /* the hash of its text */
} hr_origin;

/* {0}: of nothing yet. */
struct hr_origins {
    hr_origin *items;
    size_t count;
    bool may_repeat;   /* what was read already is no failure here: hr_origins_refuse_repeats finds it */
    bool may_be_equal; /* equal contents are no failure: the owner declares that they are other records */
    struct hr_content_tap *tap; /* hashes what is being read; NULL: nothing is */
};

void hr_origins_done(hr_origins *origins);

/* Adds the file that is open as `file`, or all that a query (its text) finds in it; place->path is only
 * shown. NULL for origins: nothing happens. Fails: ARGUMENT (it was added before), IO, MEMORY. */
HR_MUST_CHECK hr_status hr_origins_add_file(hr_origins *origins, const hr_table_place *place, int file,
                                            const char *query, hr_error *err);

/* The same of what a query finds in the database at an address. */
HR_MUST_CHECK hr_status hr_origins_add_server(hr_origins *origins, const char *address, const char *query,
                                              hr_error *err);

/* The same of files that need not be opened for it; those that are not there are left to their readers. */
HR_MUST_CHECK hr_status hr_origins_add_paths(hr_origins *origins, const char *const *paths, size_t count,
                                             hr_error *err);

/* Hashes what is read from here on from the source, of the origin that was added last. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_origins_read(hr_origins *origins, hr_byte_source *source, hr_error *err);
/* All of it was read. A table without records is equal to none. Fails: ARGUMENT (a text that is there
 * already). */
HR_MUST_CHECK hr_status hr_origins_finish(hr_origins *origins, bool has_records, hr_error *err);

/* Adds copies of `more`. Fails: ARGUMENT (one was added before), MEMORY. */
HR_MUST_CHECK hr_status hr_origins_add_all(hr_origins *origins, const hr_origins *more, hr_error *err);

/* NULL is allowed for tables that come from memory. Fails: ARGUMENT (something is there twice; in both). */
HR_MUST_CHECK hr_status hr_origins_refuse_repeats(const hr_origins *origins, hr_error *err);
HR_MUST_CHECK hr_status hr_origins_refuse_shared(const hr_origins *a, const hr_origins *b, hr_error *err);

#endif
