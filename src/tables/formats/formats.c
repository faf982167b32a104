#include "tables/formats/formats.h"

#include "base/fail.h"
#include "base/text/text.h"

#include <stdio.h>

/* The first is what text is taken for that looks like no other. */
static const hr_table_format *const formats[] = {&hr_csv_format, &hr_libsvm_format};

enum { FORMATS = sizeof formats / sizeof *formats, LISTED = 128 };

/* NULL: no format has this number. */
static const hr_table_format *find_number(hr_format number) {
    for (size_t i = 0; i < FORMATS; i++)
        if (formats[i]->number == number) return formats[i];
    return NULL;
}

bool hr_table_format_exists(hr_format number) {
    return number == HR_FORMAT_AUTO || find_number(number);
}

hr_status hr_table_open(const hr_table_place *place, hr_origins *origins, hr_byte_source *out,
                        hr_error *err) {
    char names[LISTED]; /* "A, B or C" */
    size_t used = 0;
    for (size_t i = 0; i < FORMATS && used < sizeof names; i++)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", hr_list_gap(i, FORMATS),
                                 formats[i]->name);
    hr_table_place known = *place;
    known.formats = names;
    return hr_table_source_open(&known, origins, out, err);
}

/* The format of what has separators, or comes from a database. */
static const hr_table_format *find_separated(void) {
    size_t i = 0;
    while (!formats[i]->separated) i++;
    return formats[i];
}

static const hr_table_format *look(const char *bytes, size_t size) {
    for (size_t i = 0; i < FORMATS; i++)
        if (formats[i]->looks && formats[i]->looks(bytes, size)) return formats[i];
    return formats[0];
}

hr_status hr_table_format_find(const hr_read_options *options, hr_byte_source *source,
                               const hr_table_format **out, hr_error *err) {
    const bool separated = options->separator || options->query || options->quote || options->skip_lines;
    *out = options->format == HR_FORMAT_AUTO && separated ? find_separated() : find_number(options->format);
    if (*out) return HR_OK;
    hr_status status = source->at == source->end ? hr_byte_source_more(source, err) : HR_OK;
    if (!status) *out = look(source->at, (size_t)(source->end - source->at));
    return status;
}

hr_status hr_table_format_check(const hr_table_format *format, const hr_read_options *options,
                                hr_error *err) {
    return format->check ? format->check(options, err) : HR_OK;
}
