/* The library reads data from standard input by itself; schemas and models it takes from memory. */
#include "input.h"

#include "output.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char input_name[] = "standard input";

static bool is_standard(const char *path) {
    return path != NULL && strcmp(path, "-") == 0;
}

/* Reads standard input to its end. Owner: the caller frees *bytes. */
static hr_status slurp(char **bytes, size_t *size, hr_error *err) {
    char *text = NULL;
    size_t used = 0, capacity = 0, got;
    do {
        if (capacity - used < 65536) {
            capacity = capacity * 2 + 65536;
            char *larger = realloc(text, capacity);
            if (larger == NULL) {
                free(text);
                return fail_io(err, input_name, "cannot be read", "");
            }
            text = larger;
        }
        got = fread(text + used, 1, capacity - used, stdin);
        used += got;
    } while (got > 0);
    if (ferror(stdin)) {
        free(text);
        return fail_io(err, input_name, "cannot be read", "");
    }
    *bytes = text;
    *size = used;
    return HR_OK;
}

hr_status input_schema(const char *path, hr_schema **out, hr_error *err) {
    if (!is_standard(path)) return hr_schema_read(path, out, err);
    char *bytes = NULL;
    size_t size = 0;
    hr_status status = slurp(&bytes, &size, err);
    if (status == HR_OK) status = hr_schema_parse(bytes, size, input_name, out, err);
    free(bytes);
    return status;
}

hr_status input_model(const char *path, hr_model **out, hr_error *err) {
    if (!is_standard(path)) return hr_model_read(path, out, err);
    char *bytes = NULL;
    size_t size = 0;
    hr_status status = slurp(&bytes, &size, err);
    if (status == HR_OK) status = hr_model_parse(bytes, size, input_name, out, err);
    free(bytes);
    return status;
}

hr_status input_data(const hr_schema *schema, const char *path, size_t format, bool label_optional,
                     hr_data **out, hr_error *err) {
    hr_read_options options = HR_READ_OPTIONS_INIT;
    options.format = (hr_format)format;
    options.label_optional = label_optional;
    if (is_standard(path)) options.name = input_name;
    return hr_data_read(schema, path, &options, out, err);
}

bool input_only_once(const char *command, const char *first, const char *second) {
    if (!is_standard(first) || !is_standard(second)) return true;
    usage_error(command, "two inputs cannot both be standard input ('-')");
    return false;
}
