#include "tables/source/contents.h"

#include "base/fail.h"
#include "tables/source/arff.h"

#include <string.h>

/* How a format begins: with these bytes, or as `looks` finds. */
typedef struct signature {
    const char *bytes;
    size_t size;
    bool (*looks)(const char *bytes, size_t size); /* NULL: the bytes decide */
    hr_contents contents;
} signature;

#define BYTES(text) text, sizeof text - 1, NULL
#define TO_CSV(reader)                                                                                       \
    "convert it: python3 -c \"import pandas; pandas." reader "('FILE').to_csv('FILE.csv', index=False)\""
#define WITH(package, feature)                                                                               \
    "decompress it, or install " package " and build Hedgerow with -D" feature "=enabled"
#define UNPACK "unpack it, and give the table in it"

static const signature signatures[] = {
    {BYTES("\x1f\x8b"), {HR_CONTENTS_COMPRESSED, "gzip", WITH("zlib1g-dev", "gzip"), hr_codec_gzip, NULL}},
    {BYTES("\x28\xb5\x2f\xfd"),
     {HR_CONTENTS_COMPRESSED, "zstd", WITH("libzstd-dev", "zstd"), hr_codec_zstd, NULL}},
    {BYTES("\xfd\x37zXZ\0"), {HR_CONTENTS_COMPRESSED, "xz", WITH("liblzma-dev", "xz"), hr_codec_xz, NULL}},
    {BYTES("SQLite format 3\0"), {HR_CONTENTS_SQLITE, "SQLite", "", NULL, NULL}},
    {BYTES("PAR1\x15"), {HR_CONTENTS_PARQUET, "Parquet", "", NULL, NULL}},
    {BYTES("ARROW1\0"), {HR_CONTENTS_OTHER, "Arrow", TO_CSV("read_feather"), NULL, NULL}},
    {BYTES("FEA1\0"), {HR_CONTENTS_OTHER, "Feather", TO_CSV("read_feather"), NULL, NULL}},
    {BYTES("\xd0\xcf\x11\xe0"), {HR_CONTENTS_OTHER, "Excel", TO_CSV("read_excel"), NULL, NULL}},
    {BYTES("PK\3\4"),
     {HR_CONTENTS_OTHER, "ZIP", UNPACK "; if it is an Excel sheet, save it as CSV", NULL, NULL}},
    {BYTES("BZh91AY&SY"), {HR_CONTENTS_OTHER, "bzip2", "decompress it with bunzip2", NULL, NULL}},
    {BYTES("\4\x22\x4d\x18"), {HR_CONTENTS_OTHER, "LZ4", "decompress it with lz4", NULL, NULL}},
    {NULL, 0, hr_arff_looks, {HR_CONTENTS_CONVERTED, "ARFF", "", NULL, hr_arff_open}},
    {BYTES("7z\xbc\xaf\x27\x1c"), {HR_CONTENTS_OTHER, "7z", UNPACK, NULL, NULL}},
};

static bool begins(const signature *s, const char *bytes, size_t size) {
    if (s->looks) return s->looks(bytes, size);
    return size >= s->size && memcmp(bytes, s->bytes, s->size) == 0;
}

hr_contents hr_contents_find(const char *bytes, size_t size) {
    for (size_t i = 0; i < sizeof signatures / sizeof *signatures; i++) {
        const signature *s = &signatures[i];
        if (begins(s, bytes, size)) return s->contents;
    }
    return (hr_contents){HR_CONTENTS_TEXT, "text", "", NULL, NULL};
}

hr_status hr_contents_refuse(const hr_contents *contents, const char *formats, hr_error *err) {
    if (contents->kind == HR_CONTENTS_COMPRESSED)
        return hr_fail(err, HR_E_ABSENT, contents->remedy, "this build of Hedgerow cannot read %s files",
                       contents->name);
    return hr_fail(err, HR_E_FORMAT, contents->remedy, "this is a file of the format %s, not a %s table",
                   contents->name, formats);
}
