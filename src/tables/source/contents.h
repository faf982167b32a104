/* What a file holds, by its first bytes. */
#ifndef HR_TABLES_SOURCE_CONTENTS_H
#define HR_TABLES_SOURCE_CONTENTS_H

#include "base/byte_source.h"
#include "tables/source/codec.h"

#include <hedgerow/status.h>

typedef enum hr_contents_kind {
    HR_CONTENTS_TEXT, /* nothing else was recognised */
    HR_CONTENTS_COMPRESSED,
    HR_CONTENTS_CONVERTED, /* text that is read as the CSV that it stands for */
    HR_CONTENTS_SQLITE,
    HR_CONTENTS_PARQUET,
    HR_CONTENTS_OTHER /* of no use here */
} hr_contents_kind;

typedef struct hr_contents {
    hr_contents_kind kind;
    const char *name;   /* of the format */
    const char *remedy; /* OTHER: how to convert it; COMPRESSED: how to get a build that reads it */
    const hr_codec *(*codec)(void); /* COMPRESSED */
    /* CONVERTED: opens the CSV, and takes the source over unless it fails. Fails: MEMORY. */
    hr_status (*convert)(hr_byte_source *source, hr_byte_stream **out, hr_error *err);
} hr_contents;

/* Of a file that begins with these bytes: as many as were read at once. */
hr_contents hr_contents_find(const char *bytes, size_t size);

/* The failure of contents that cannot be read; `formats` are the names of those that a table may be in. */
hr_status hr_contents_refuse(const hr_contents *contents, const char *formats, hr_error *err);

#endif
