/* 1.234 is 1234 in a table whose other columns have decimal commas. */
#include "tables/infer/infer_write.h"

static bool is_read_column(const hr_inferences *all, size_t i) {
    return *all->columns[i]->name && !(all->dropped && all->dropped[i]);
}

static void remark_decimals(hr_inference *g, const char *text) {
    hr_remark_begin(&g->remarks);
    hr_buffer_text(&g->remarks, text);
}

static void decide_column(hr_inference *g, bool points, bool commas) {
    const hr_decimal_mark mark = hr_text_inference_decimal(&g->text);
    if (mark != HR_DECIMAL_POINT_OR_GROUPS && mark != HR_DECIMAL_COMMA_OR_GROUPS) return;
    const bool point = mark == HR_DECIMAL_POINT_OR_GROUPS;
    if (commas && !points) {
        hr_text_inference_take_comma(&g->text);
        remark_decimals(
            g, point ? "the point is taken for a separator of thousands, since other columns of the "
                       "table have decimal commas"
                     : "the comma is taken for a decimal comma, as other columns of the table have it");
    } else if (point && (!points || commas)) {
        remark_decimals(g, "every fraction has exactly three digits: if the point separates thousands, write "
                           "decimal: \",\" and thousands: \".\", and multiply the bounds by 1000");
    } else if (!point && (!points || commas)) {
        remark_decimals(g, "the comma is taken for a separator of thousands; if it is a decimal comma, write "
                           "decimal: \",\" in place of 'thousands', and divide the bounds by 1000");
    }
}

void hr_inferences_decide_decimals(const hr_inferences *all) {
    bool points = false, commas = false;
    for (size_t i = 0; i < all->count; i++) {
        if (!is_read_column(all, i)) continue;
        const hr_decimal_mark mark = hr_text_inference_decimal(&all->columns[i]->text);
        points |= mark == HR_DECIMAL_POINT;
        commas |= mark == HR_DECIMAL_COMMA;
    }
    for (size_t i = 0; i < all->count; i++)
        if (is_read_column(all, i)) decide_column(all->columns[i], points, commas);
}
