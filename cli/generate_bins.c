#include "generate_bins.h"

#include "bins_file.h"
#include "output.h"

#include <stdlib.h>
#include <string.h>

enum { PIECE_BYTES = 8 << 20, LONGEST_WRITE = 1 << 17 };

/* Lines that wait to become records, behind a copy of the table's first line. */
typedef struct generated_pieces {
    const hr_schema *schema;
    hr_binner *binner;
    char *text;
    size_t used, header; /* header: bytes of the first line; 0: it has not come yet */
    hr_status status;
    hr_error *err;
} generated_pieces;

static void take_generated_header(generated_pieces *p) {
    const char *end = memchr(p->text, '\n', p->used);
    if (p->header == 0 && end != NULL) p->header = (size_t)(end - p->text) + 1;
}

/* Generated tables have no line breaks within cells. */
static size_t whole_lines(const generated_pieces *p) {
    size_t end = p->used;
    while (end > 0 && p->text[end - 1] != '\n') end--;
    return end;
}

static hr_status bin_lines(generated_pieces *p) {
    const size_t end = whole_lines(p);
    hr_data *data = NULL;
    if (end <= p->header) return HR_OK;
    hr_status status = hr_data_parse(p->schema, p->text, end, NULL, &data, p->err);
    if (status == HR_OK) status = hr_binner_add(p->binner, data, p->err);
    hr_data_free(data);
    memmove(p->text + p->header, p->text + end, p->used - end);
    p->used -= end - p->header;
    return status;
}

static bool keep_generated(void *user, const char *bytes, size_t size) {
    generated_pieces *p = user;
    if (size > LONGEST_WRITE) return false;
    memcpy(p->text + p->used, bytes, size);
    p->used += size;
    take_generated_header(p);
    if (p->used >= PIECE_BYTES) p->status = bin_lines(p);
    return p->status == HR_OK;
}

static hr_status bin_generated(const hr_generate_options *options, generated_pieces *p, hr_error *err) {
    p->text = malloc(PIECE_BYTES + LONGEST_WRITE);
    if (p->text == NULL)
        return fail_io(err, "the table", "cannot be binned: out of memory", "close other programs");
    const hr_status status = hr_generate(options, keep_generated, p, err);
    if (status == HR_OK) p->status = bin_lines(p);
    if (p->status == HR_OK && status == HR_OK) return hr_binner_finish(p->binner, err);
    return p->status != HR_OK ? p->status : status;
}

hr_status write_generated_bins(const hr_generate_options *options, uint32_t bins, const char *path,
                               hr_error *err) {
    hr_bin_options how = HR_BIN_OPTIONS_INIT;
    hr_schema *schema = NULL;
    char *yaml = NULL;
    hr_error of_pieces = {0};
    bins_file file = {0};
    generated_pieces p = {.err = &of_pieces};
    how.bins = bins;
    hr_status status = hr_generate_schema(options, &yaml, err);
    if (status == HR_OK) status = hr_schema_parse(yaml, strlen(yaml), "schema", &schema, err);
    if (status == HR_OK) status = bins_file_open(&file, schema, path, &how, err);
    p.schema = schema;
    p.binner = file.binner;
    if (status == HR_OK) status = bin_generated(options, &p, err);
    if (p.status != HR_OK) *err = of_pieces;
    free(p.text);
    bins_file_close(&file);
    hr_text_free(yaml);
    hr_schema_free(schema);
    return status;
}
