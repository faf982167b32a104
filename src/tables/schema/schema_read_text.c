#include "tables/schema/schema_read_text.h"

#include "tables/schema/cell_text.h"
#include "tables/schema/check.h"
#include "tables/schema/date_parts.h"
#include "tables/schema/schema.h"

#include <math.h>
#include <string.h>

static hr_status read_mark(const hr_keys *keys, const hr_yaml_node *node, const char *what, char *out) {
    const char *text = NULL;
    if (!node) return HR_OK;
    hr_status status = hr_keys_text(keys, node, what, &text);
    if (status) return status;
    if (text[1])
        return hr_keys_refuse(keys, node, "write the one mark", "%s is one character, such as \",\"", what);
    *out = text[0];
    return HR_OK;
}

hr_status hr_read_number_format(const hr_keys *keys, const hr_number_format_keys *nodes,
                                hr_number_format *out) {
    hr_status status = read_mark(keys, nodes->decimal, "decimal", &out->decimal);
    if (!status) status = read_mark(keys, nodes->thousands, "thousands", &out->thousands);
    if (!status && nodes->symbol) status = hr_keys_text(keys, nodes->symbol, "symbol", &out->symbol);
    return status;
}

static hr_status read_date_end(const hr_keys *keys, const hr_yaml_node *node, const char *what,
                               bool (*parse)(const char *, int64_t *), int64_t *out) {
    const char *text = NULL;
    hr_status status = hr_keys_text(keys, node, what, &text);
    if (status || parse(text, out)) return status;
    return hr_keys_refuse(keys, node, "write a day or time such as 2024-02-29 or 2024-02-29T18:30:00",
                          "%s: '%s' is not a date", what, text);
}

static hr_status read_offset(const hr_keys *keys, const hr_yaml_node *node, hr_offset_rule *out) {
    const char *text = NULL;
    hr_status status = hr_keys_text(keys, node, "offset", &text);
    if (status) return status;
    for (int i = 0; i <= HR_OFFSET_LOCAL; i++) {
        *out = (hr_offset_rule)i;
        if (strcmp(text, HR_OFFSET_NAMES[i]) == 0) return HR_OK;
    }
    return hr_keys_refuse(keys, node,
                          "write utc (times are converted to UTC), local (times are those of the clock as "
                          "written) or refused",
                          "unknown offset '%s'", text);
}

static hr_status read_parts_of_date(const hr_keys *keys, const hr_yaml_node *list, const hr_date_column *date,
                                    hr_column *out) {
    static const char remedy[] = "the parts are trend, year, month, day, yearday, weekday, hour and minute";
    if (list->kind != HR_YAML_SEQUENCE || !list->count)
        return hr_keys_refuse_kind(keys, list, "parts", "a list such as [hour, weekday, trend]");
    for (const hr_yaml_node *item = list->child; item; item = item->next) {
        const char *text = NULL;
        hr_date_part part = HR_DATE_PART_TREND;
        hr_status status = hr_keys_text(keys, item, "a part", &text);
        if (status) return status;
        if (!hr_date_part_find(text, &part))
            return hr_keys_refuse(keys, item, remedy, "unknown part '%s'", text);
        if (!hr_date_part_column(date, part, keys->arena, out++)) return hr_fail_memory(keys->err);
    }
    return HR_OK;
}

hr_status hr_read_date_column(const hr_keys *keys, const hr_yaml_node *map, const char *name,
                              const hr_date_keys *nodes, hr_column *out) {
    static const char why[] = "a date needs its public range, from and to, and its parts";
    hr_date_column *date = hr_arena_alloc(keys->arena, 1, sizeof *date);
    if (!date) return hr_fail_memory(keys->err);
    date->name = name;
    hr_status status = hr_keys_need(keys, map, nodes->from, "from", why);
    if (!status) status = hr_keys_need(keys, map, nodes->to, "to", why);
    if (!status) status = hr_keys_need(keys, map, nodes->parts, "parts", why);
    if (!status) status = read_date_end(keys, nodes->from, "from", hr_date_from_parse, &date->from);
    if (!status) status = read_date_end(keys, nodes->to, "to", hr_date_to_parse, &date->to);
    if (!status && nodes->format) status = hr_keys_text(keys, nodes->format, "format", &date->format);
    if (!status && nodes->offset) status = read_offset(keys, nodes->offset, &date->offset);
    return status ? status : read_parts_of_date(keys, nodes->parts, date, out);
}

/* How many intervals a fit is to find, and where the last one ends. */
static hr_status read_quantile_cuts(const hr_keys *keys, const hr_yaml_node *map, hr_column *out) {
    static const char *const names[] = {"quantiles", "high", NULL};
    static const char why[] =
        "intervals between quantiles have their number, quantiles, and high, the last cut";
    const hr_yaml_node *nodes[2] = {NULL, NULL};
    double count = 0, high = 0;
    hr_status status = hr_keys_find(keys, map, names, why, nodes);
    if (!status) status = hr_keys_need(keys, map, nodes[0], "quantiles", why);
    if (!status) status = hr_keys_need(keys, map, nodes[1], "high", why);
    if (!status) status = hr_keys_number(keys, nodes[0], "quantiles", &count);
    if (!status) status = hr_keys_number(keys, nodes[1], "high", &high);
    if (!status && !(count >= 2 && count <= HR_INTERVALS_MAX && count == floor(count)))
        status =
            hr_keys_refuse(keys, nodes[0], "give a whole number from 2 to 64", "no such number of quantiles");
    if (!status && !(high > 0))
        status = hr_keys_refuse(keys, nodes[1], "high: give the last cut, above 0", "no such last cut");
    return status ? status : hr_time_cuts_even(keys->arena, (size_t)count, high, out, keys->err);
}

hr_status hr_read_time_column(const hr_keys *keys, const hr_yaml_node *map, const hr_time_keys *nodes,
                              hr_column *out) {
    static const char why[] = "a time has an event, the column that says whether it came, and intervals";
    const hr_yaml_node *list = nodes->intervals;
    size_t count = 0;
    out->low = -HR_TIME_MAX;
    out->high = HR_TIME_MAX;
    hr_status status = hr_keys_need(keys, map, nodes->event, "event", why);
    if (!status) status = hr_keys_need(keys, map, list, "intervals", why);
    if (!status) status = hr_keys_text(keys, nodes->event, "event", &out->event);
    if (!status && list->kind == HR_YAML_MAPPING) return read_quantile_cuts(keys, list, out);
    if (!status && list->kind != HR_YAML_SEQUENCE)
        status = hr_keys_refuse_kind(keys, list, "intervals",
                                     "a list of cuts such as [30, 90, 365], or {quantiles: 8, high: 365}");
    if (status) return status;
    double *cuts = hr_arena_alloc(keys->arena, list->count, sizeof *cuts);
    if (!cuts) return hr_fail_memory(keys->err);
    for (const hr_yaml_node *item = list->child; !status && item; item = item->next)
        status = hr_keys_number(keys, item, "a cut", &cuts[count++]);
    out->intervals = cuts;
    out->interval_count = count;
    return status;
}
