#include "support/binned_table.h"

void *arena_room(hr_arena *arena, size_t count, size_t size) {
    void *got = hr_arena_alloc(arena, count ? count : 1, size);
    assert_non_null(got);
    return got;
}

uint8_t bin_at(const binned_table *t, size_t row, size_t feature) {
    return t->bins[row * t->binning.feature_count + feature];
}

/* Number v is in bin v + 1. Every third feature is a category. */
static void describe_feature(binned_table *t, size_t feature, uint32_t bin_count, hr_column *column) {
    static const char *const digits[] = {"0", "1", "2", "3", "4", "5", "6", "7",
                                         "8", "9", "a", "b", "c", "d", "e", "f"};
    char *name = arena_room(t->arena, 8, 1);
    for (size_t i = 0, f = feature; i < 4; i++, f /= 16) name[i] = digits[f % 16][0];
    double *edges = arena_room(t->arena, bin_count, sizeof *edges);
    for (uint32_t e = 0; e + 2 < bin_count; e++) edges[e] = e + .5;
    hr_kind kind = feature % 3 == 2 ? HR_KIND_CATEGORY : HR_KIND_NUMBER;
    *column = (hr_column){.name = name, .kind = kind, .low = 0, .high = 255};
    if (kind == HR_KIND_CATEGORY) {
        const char **values = arena_room(t->arena, bin_count, sizeof *values);
        for (uint32_t v = 0; v + 1 < bin_count; v++) {
            char *text = arena_room(t->arena, 8, 1);
            text[0] = 'v', text[1] = digits[v / 16][0], text[2] = digits[v % 16][0];
            values[v] = text;
        }
        column->value_count = bin_count - 1;
        column->values = values;
    }
    t->binning.features[feature] = (hr_feature_bins){kind, bin_count, kind == HR_KIND_NUMBER ? edges : NULL};
}

binned_table binned_table_new(hr_dice *dice, size_t rows, size_t features, const uint32_t *bin_counts,
                              size_t kinds) {
    binned_table t = {.arena = hr_arena_new(), .rows = rows};
    assert_non_null(t.arena);
    t.binning = (hr_binning){features, arena_room(t.arena, features, sizeof *t.binning.features), NULL};
    t.bins = arena_room(t.arena, rows * features, 1);
    hr_column *columns = arena_room(t.arena, features, sizeof *columns),
              label = {.name = "label", .kind = HR_KIND_NUMBER, .low = 0, .high = 1};
    double **values = arena_room(t.arena, features, sizeof *values);
    for (size_t f = 0; f < features; f++) {
        uint32_t bins = bin_counts[f % kinds];
        describe_feature(&t, f, bins, &columns[f]);
        values[f] = arena_room(t.arena, rows, sizeof **values);
        for (size_t i = 0; i < rows; i++) {
            uint8_t bin = (uint8_t)hr_dice_below(dice, bins);
            if (f % 3 == 1 && hr_dice_below(dice, 20)) bin = (uint8_t)(bins / 2);
            t.bins[i * features + f] = bin;
            values[f][i] = columns[f].kind == HR_KIND_CATEGORY ? bin : bin ? bin - 1 : (double)NAN;
        }
    }
    assert_int_equal(
        hr_schema_make(&(hr_schema_parts){.label = label, .features = columns, .feature_count = features},
                       &t.schema, NULL),
        HR_OK);
    assert_int_equal(hr_data_from_arrays(t.schema, rows, (const double *const *)values, NULL, &t.data, NULL),
                     HR_OK);
    return t;
}

void binned_table_bin(binned_table *t) {
    assert_int_equal(hr_binned_new(t->data, &t->binning, 2, &t->binned, NULL), HR_OK);
}

void binned_table_close(binned_table *t) {
    hr_binned_free(t->binned);
    hr_data_free(t->data);
    hr_schema_free(t->schema);
    hr_arena_free(t->arena);
}

hr_split random_split(hr_dice *dice, const hr_binning *binning) {
    hr_split split = {.made = true, .feature = (uint32_t)hr_dice_below(dice, binning->feature_count)};
    const hr_feature_bins *feature = &binning->features[split.feature];
    split.kind = feature->kind;
    split.missing_left = hr_dice_below(dice, 2);
    split.cut = (uint8_t)hr_dice_below(dice, feature->bin_count);
    uint64_t most = hr_dice_below(dice, 5);
    for (uint32_t b = 0; b < feature->bin_count; b++)
        if (hr_dice_below(dice, 4) < most) hr_bin_set_add(&split.left, (uint8_t)b);
    return split;
}

int64_t *random_packed(hr_dice *dice, hr_arena *arena, const hr_packing *packing, int64_t weight_bound,
                       size_t rows) {
    int64_t *packed = arena_room(arena, rows, sizeof *packed);
    for (size_t i = 0; i < rows; i++) {
        int64_t gradient = (int64_t)hr_dice_below(dice, (uint64_t)(2 * packing->gradient_bound + 1)) -
                           packing->gradient_bound;
        packed[i] = hr_pack(packing, gradient, 1 + (int64_t)hr_dice_below(dice, (uint64_t)weight_bound));
    }
    return packed;
}
