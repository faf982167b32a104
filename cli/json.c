/* JSON for scripts: a writer that needs no library and no memory. */
#include "output.h"

#include <hedgerow/amount.h>
#include <math.h>
#include <string.h>

static void put_string(FILE *out, const char *text) {
    fputc('"', out);
    for (; *text != '\0'; text++) {
        const unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\') {
            fprintf(out, "\\%c", c);
        } else if (c < 0x20 || c == 0x7f) {
            fprintf(out, "\\u%04x", c);
        } else {
            fputc(c, out);
        }
    }
    fputc('"', out);
}

static void begin_json_value(json_writer *json, const char *name) {
    if (json->follows) fputs(", ", json->out);
    json->follows = true;
    if (name == NULL) return;
    put_string(json->out, name);
    fputs(": ", json->out);
}

void json_open(json_writer *json, const char *name, char bracket) {
    begin_json_value(json, name);
    fputc(bracket, json->out);
    json->follows = false;
}

void json_close(json_writer *json, char bracket) {
    fputc(bracket, json->out);
    json->follows = true;
}

void json_text(json_writer *json, const char *name, const char *text) {
    begin_json_value(json, name);
    put_string(json->out, text);
}

void json_number(json_writer *json, const char *name, double value) {
    begin_json_value(json, name);
    char text[HR_NUMBER_TEXT] = "null";
    if (isfinite(value)) hr_number_text(value, text);
    fputs(text, json->out);
}

static void json_amount(json_writer *json, const char *name, const char *text) {
    begin_json_value(json, name);
    fputs(text, json->out);
}

void json_delta(json_writer *json, const char *name, double delta) {
    char text[HR_AMOUNT_TEXT];
    hr_spent_text(delta, text);
    json_amount(json, name, text);
}

void json_delta_left(json_writer *json, const char *name, double delta) {
    char text[HR_AMOUNT_TEXT];
    hr_delta_left_text(delta, text);
    json_amount(json, name, text);
}

void json_integer(json_writer *json, const char *name, uint64_t value) {
    begin_json_value(json, name);
    fprintf(json->out, "%llu", (unsigned long long)value);
}

void json_exact_rows(json_writer *json, const char *whose, uint64_t rows) {
    char name[64];
    snprintf(name, sizeof name, "exact_%s%srows", whose, *whose == '\0' ? "" : "_");
    json_integer(json, name, rows);
}

void json_flag(json_writer *json, const char *name, bool value) {
    begin_json_value(json, name);
    fputs(value ? "true" : "false", json->out);
}

void json_names(json_writer *json, const char *name, const char *names) {
    char one[64];
    json_open(json, name, '[');
    while (*names != '\0') {
        const size_t size = strcspn(names, ",");
        snprintf(one, sizeof one, "%.*s", (int)size, names);
        json_text(json, NULL, one);
        names += size + strspn(names + size, ", ");
    }
    json_close(json, ']');
}

void json_members(json_writer *json, const char *object) {
    begin_json_value(json, NULL);
    fprintf(json->out, "%.*s", (int)(strrchr(object, '}') - object) - 1, object + 1);
}
