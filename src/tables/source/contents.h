/* What a file holds, told by its first bytes. */
#ifndef HR_TABLES_SOURCE_CONTENTS_H
#define HR_TABLES_SOURCE_CONTENTS_H

#include "tables/source/codec.h"

#include <hedgerow/status.h>

typedef enum hr_contents_kind {
    HR_CONTENTS_TEXT, /* nothing else was recognised */
    HR_CONTENTS_COMPRESSED,
    HR_CONTENTS_SQLITE,
    HR_CONTENTS_OTHER /* of no use here */
} hr_contents_kind;

typedef struct hr_contents {
    hr_contents_kind kind;
    const char *name;   /* of the format */
    const char *remedy; /* OTHER: how to convert it; COMPRESSED: how to get a build that reads it */
    const hr_codec *(*codec)(void); /* COMPRESSED */
} hr_contents;

/* Of a file that begins with these bytes, 64 of them if there are as many. */
hr_contents hr_contents_find(const char *bytes, size_t size);

/* The failure of contents that cannot be read; `formats` are the names of those that a table may be in. */
hr_status hr_contents_refuse(const hr_contents *contents, const char *formats, hr_error *err);

#endif
