/* The list of releases of a model file. A model on many features has thousands of lines that differ in level
 * and draws alone: such lines are one entry, a group. docs/reference/formats.md specifies it; in memory every
 * line stands by itself. */
#include "models/model/json_fields.h"
#include "models/model/model.h"
#include "models/model/model_words.h"
#include "privacy/mechanisms.h"

#include <inttypes.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

enum { MECHANISMS_MAX = 16 };

/* ---- Reading ---- */

/* Decimal digits without a leading zero, and `end` after them; false if that is not what stands there, or
 * beyond 64 bits. */
static bool take_digits(const char **at, char end, uint64_t *out) {
    uint64_t value = 0;
    const char *first = *at;
    for (; **at >= '0' && **at <= '9'; ++*at) {
        uint64_t digit = (uint64_t)(**at - '0');
        if (value > (UINT64_MAX - digit) / 10) return false;
        value = 10 * value + digit;
    }
    if (*at == first || (*first == '0' && *at > first + 1) || **at != end) return false;
    *out = value;
    ++*at;
    return true;
}

static void read_noise(hr_json_reader *r, const hr_json_position *at, hr_release *release) {
    const char *names[MECHANISMS_MAX];
    size_t count = 0;
    for (; count < MECHANISMS_MAX && hr_mechanism_info_of((uint32_t)count); count++)
        names[count] = hr_mechanism_info_of((uint32_t)count)->name;
    release->mechanism = (hr_mechanism)hr_json_word_of(r, at, "mechanism", names, count);
    release->sensitivity = (uint64_t)hr_json_integer_of(r, at, "sensitivity", 0, INT64_MAX);

    const hr_json_position scale = hr_json_typed_member(r, at, "scale", HR_JSON_TEXT);
    const char *text = r->status ? NULL : scale.value->text;
    if (text &&
        (!take_digits(&text, '/', &release->scale_num) || !take_digits(&text, '\0', &release->scale_den)))
        hr_json_refuse(r, &scale, "", "the scale is not of the form 'integer/integer'");

    const hr_json_position shares = {at, "shares", 0, NULL};
    if (hr_json_has(r, at, "shares"))
        release->shares = (uint64_t)hr_json_integer_of(r, at, "shares", 1, HR_SHARES_MAX);
    if (!r->status && !hr_shares_fit(release))
        hr_json_refuse(r, &shares, "", "noise of a 'shared' mechanism has shares, and no other has");
}

/* Of how many levels the entry at `at` is; 0 of a line that is no group. */
static size_t levels_of(hr_json_reader *r, const hr_json_position *at) {
    if (!hr_json_has(r, at, "levels")) return 0;
    return (size_t)hr_json_integer_of(r, at, "levels", 1, HR_GROUPED_LINES_MAX);
}

/* How many lines it stands for. */
static size_t lines_of(hr_json_reader *r, const hr_json_position *at, size_t levels) {
    if (!levels) return 1;
    const hr_json_position rows = hr_json_typed_member(r, at, "draws", HR_JSON_ARRAY);
    size_t lines = 0;
    for (size_t i = 0; i < hr_json_size(r, &rows); i++) {
        const hr_json_position row = hr_json_element(&rows, i);
        hr_json_expect(r, &row, HR_JSON_ARRAY);
        const size_t entries = hr_json_size(r, &row);
        if (!r->status && (!entries || entries > levels + 1))
            hr_json_refuse(r, &row, "", "a row of draws has a count, and a number for each level at most");
        if (r->status) return 0;
        const hr_json_position times = hr_json_element(&row, 0);
        lines += levels * (size_t)hr_json_integer_at(r, &times, 1, HR_GROUPED_LINES_MAX);
        if (lines > HR_GROUPED_LINES_MAX)
            hr_json_refuse(r, &times, "", "a group has %d lines at most", HR_GROUPED_LINES_MAX);
    }
    if (!lines) hr_json_refuse(r, &rows, "", "a group has one line or more");
    return lines;
}

static size_t count_lines(hr_json_reader *r, const hr_json_position *list) {
    size_t lines = 0, grouped = 0;
    for (size_t i = 0; i < hr_json_size(r, list); i++) {
        const hr_json_position at = hr_json_element(list, i);
        hr_json_expect(r, &at, HR_JSON_OBJECT);
        const size_t levels = levels_of(r, &at), of_entry = lines_of(r, &at, levels);
        lines += of_entry;
        grouped += levels ? of_entry : 0;
        if (grouped > HR_GROUPED_LINES_MAX)
            hr_json_refuse(r, &at, "", "the groups have %d lines at most", HR_GROUPED_LINES_MAX);
        if (lines > r->releases_max)
            hr_json_refuse(r, &at, "", "more than %zu releases, in a file of this size", r->releases_max);
    }
    return lines;
}

/* What all lines of an entry share; of levels the first. */
static void read_line(hr_json_reader *r, const hr_json_position *at, size_t levels, hr_release *line) {
    static const char *const keys[] = {"what",      "tree",        "level", "group",  "part",
                                       "mechanism", "sensitivity", "scale", "shares", "owner",
                                       "units",     "cost",        "draws", "levels"};
    const hr_json_position cost_at = {at, "cost", 0, NULL};
    hr_json_only_keys(r, at, keys, COUNT(keys) - (r->version < HR_MODEL_VERSION_GROUPS));
    line->what = hr_json_text_of(r, at, "what");
    line->tree = hr_json_integer_of(r, at, "tree", -1, INT64_MAX);
    const int64_t above = levels > 1 ? (int64_t)levels - 1 : 0;
    line->level = hr_json_integer_of(r, at, "level", above ? 0 : -1, INT64_MAX - above);
    line->group = (uint64_t)hr_json_integer_of(r, at, "group", 0, INT64_MAX);
    line->part = (uint64_t)hr_json_integer_of(r, at, "part", 0, INT64_MAX);
    read_noise(r, at, line);
    if (hr_json_has(r, at, "owner")) line->owner = (uint64_t)hr_json_integer_of(r, at, "owner", 1, INT64_MAX);
    line->cost = (hr_units)hr_json_integer_of(r, at, "units", 0, (int64_t)HR_UNITS_MAX);
    const double cost = hr_json_number_of(r, at, "cost");
    if (!r->status && cost != hr_units_value(line->cost))
        hr_json_refuse(r, &cost_at, "", "the cost is not units / 2^40");
}

/* Writes a group's lines to `to`, row by row, each row as often as its first entry counts; returns what comes
 * behind them. */
static hr_release *read_rows(hr_json_reader *r, const hr_json_position *at, size_t levels,
                             const hr_release *first, hr_release *to) {
    const hr_json_position rows = hr_json_member(r, at, "draws");
    for (size_t i = 0; i < hr_json_size(r, &rows); i++) {
        const hr_json_position row = hr_json_element(&rows, i);
        const size_t times = (size_t)row.value->items[0].integer, entries = row.value->count;
        for (size_t k = 0; k < levels; k++) {
            to[k] = *first;
            to[k].level += (int64_t)k;
            if (k + 1 >= entries) continue;
            const hr_json_position draws = hr_json_element(&row, k + 1);
            to[k].draws = (uint64_t)hr_json_integer_at(r, &draws, 0, INT64_MAX);
        }
        for (size_t t = 1; t < times; t++) memcpy(to + t * levels, to, levels * sizeof *to);
        to += times * levels;
    }
    return to;
}

void hr_json_read_releases(hr_json_reader *r, const hr_json_position *root) {
    const hr_json_position list = hr_json_typed_member(r, root, "releases", HR_JSON_ARRAY);
    hr_model *m = r->model;
    m->release_count = r->status ? 0 : count_lines(r, &list);
    m->releases = hr_json_allocate(r, m->release_count, sizeof *m->releases);
    hr_release *to = m->releases;
    for (size_t i = 0; i < hr_json_size(r, &list); i++) {
        const hr_json_position at = hr_json_element(&list, i);
        hr_release line = {0};
        const size_t levels = levels_of(r, &at);
        read_line(r, &at, levels, &line);
        if (levels) {
            to = read_rows(r, &at, levels, &line, to);
            continue;
        }
        line.draws = (uint64_t)hr_json_integer_of(r, &at, "draws", 0, INT64_MAX);
        *to++ = line;
    }
}

/* ---- Writing ---- */

/* Whether two lines may stand in one group. */
static bool alike(const hr_release *a, const hr_release *b) {
    return a->tree == b->tree && a->group == b->group && a->part == b->part && a->cost == b->cost &&
           a->sensitivity == b->sensitivity && a->mechanism == b->mechanism && a->scale_num == b->scale_num &&
           a->scale_den == b->scale_den && a->shares == b->shares && a->owner == b->owner &&
           !strcmp(a->what, b->what);
}

/* How many of the lines, from the first on, are one group: 1, or as many as there are whole rows of levels
 * that ascend by 1, the same in every row. *levels: in a row, as many as the first ones have. */
static size_t group_size(const hr_release *lines, size_t count, size_t *levels) {
    size_t row = 1;
    while (row < count && lines->level >= 0 && alike(lines, &lines[row]) &&
           (uint64_t)lines[row].level - (uint64_t)lines->level == row)
        row++;
    size_t size = row;
    for (size_t i = row; i < count && alike(lines, &lines[i]); i++) {
        if (lines[i].level != lines->level + (int64_t)(i % row)) break;
        if ((i + 1) % row == 0) size = i + 1;
    }
    *levels = row;
    return size;
}

static bool same_draws(const hr_release *a, const hr_release *b, size_t levels) {
    size_t k = 0;
    while (k < levels && a[k].draws == b[k].draws) k++;
    return k == levels;
}

/* How often each row of draws occurs in turn, and the row, without the zeros at its end. */
static void add_rows(hr_buffer *b, const hr_release *lines, size_t size, size_t levels) {
    for (size_t at = 0, times; at < size; at += times * levels) {
        size_t entries = levels;
        times = 1;
        while (at + times * levels < size && same_draws(&lines[at], &lines[at + times * levels], levels))
            times++;
        while (entries && !lines[at + entries - 1].draws) entries--;
        hr_buffer_format(b, "%s[%zu", at ? "," : "[", times);
        for (size_t k = 0; k < entries; k++) hr_buffer_format(b, ",%" PRIu64, lines[at + k].draws);
        hr_buffer_text(b, "]");
    }
    hr_buffer_text(b, "]");
}

/* `size` lines as one entry, a group if they are more than one. */
static void add_entry(hr_buffer *b, const hr_release *line, size_t size, size_t levels) {
    hr_buffer_text(b, "{\"what\": ");
    hr_json_add_text(b, line->what);
    hr_buffer_format(b, ", \"tree\": %" PRId64 ", \"level\": %" PRId64, line->tree, line->level);
    if (size > 1) hr_buffer_format(b, ", \"levels\": %zu", levels);
    hr_buffer_format(b, ", \"group\": %" PRIu64 ", \"part\": %" PRIu64, line->group, line->part);
    hr_buffer_format(b, ", \"mechanism\": \"%s\", \"sensitivity\": %" PRIu64,
                     hr_mechanism_text(line->mechanism), line->sensitivity);
    hr_buffer_format(b, ", \"scale\": \"%" PRIu64 "/%" PRIu64 "\"", line->scale_num, line->scale_den);
    if (line->shares) hr_buffer_format(b, ", \"shares\": %" PRIu64, line->shares);
    if (line->owner) hr_buffer_format(b, ", \"owner\": %" PRIu64, line->owner);
    hr_buffer_format(b, ", \"units\": %" PRIu64 ", \"cost\": ", line->cost);
    hr_json_add_number(b, hr_units_value(line->cost));
    hr_buffer_text(b, ", \"draws\": ");
    if (size > 1)
        add_rows(b, line, size, levels);
    else
        hr_buffer_format(b, "%" PRIu64, line->draws);
    hr_buffer_text(b, "}");
}

void hr_json_add_releases(hr_buffer *b, const hr_release *releases, size_t count) {
    size_t room = HR_GROUPED_LINES_MAX, levels;
    hr_buffer_text(b, ",\n  \"releases\": [");
    for (size_t at = 0, size; at < count; at += size) {
        const size_t left = count - at;
        size = room ? group_size(&releases[at], left < room ? left : room, &levels) : 1;
        room -= size > 1 ? size : 0;
        hr_buffer_text(b, at ? ",\n    " : "\n    ");
        add_entry(b, &releases[at], size, levels);
    }
    hr_buffer_text(b, count ? "\n  ]" : "]");
}
