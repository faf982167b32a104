/* Gradients against libm, within half a unit of rounding; targets and sums of labels. */
#include "support/binned_table.h"
#include "trees/stats/gradient.h"

#include <float.h>

enum { ROWS = 3001, MAX_OUTPUTS = 7 };

typedef struct fixture {
    double targets[ROWS], scores[ROWS * MAX_OUTPUTS];
    int64_t packed[ROWS];
    uint32_t rows[ROWS];
    hr_dice dice;
} fixture;

static const hr_packing pack = {
    .shift = 34, .gradient_bound = 4096, .gradient_scale = 4096, .weight_scale = 1};

static hr_gradient_input input_of(const fixture *f, size_t outputs, size_t output, bool subset) {
    return (hr_gradient_input){.targets = f->targets,
                               .scores = f->scores,
                               .outputs = outputs,
                               .output = output,
                               .rows = subset ? f->rows : NULL,
                               .count = subset ? ROWS / 3 : ROWS,
                               .threads = 1};
}

/* outputs 0: numbers. Some scores are far out, some are exact. */
static fixture *set_up(uint64_t seed, size_t outputs, double spread) {
    fixture *f = calloc(1, sizeof *f);
    assert_non_null(f);
    hr_dice_init(&f->dice, seed);
    for (size_t i = 0; i < ROWS; i++) {
        double u = hr_dice_unit(&f->dice) * 2 - 1;
        f->targets[i] = outputs == 0   ? u
                        : outputs == 1 ? (u < 0 ? -1 : 1)
                                       : (double)hr_dice_below(&f->dice, outputs);
        f->rows[i] = (uint32_t)hr_dice_below(&f->dice, ROWS);
    }
    for (size_t i = 0; i < ROWS * MAX_OUTPUTS; i++) {
        double z = hr_dice_normal(&f->dice) * spread;
        f->scores[i] = i % 10 ? z : i % 3 ? floor(z * 8) / 8 : z * 1000;
    }
    return f;
}

static double target_of(const fixture *f, size_t outputs, size_t output, size_t row) {
    if (outputs <= 1) return f->targets[row];
    return f->targets[row] == (double)output ? 1 : -1;
}

static void check_near(int64_t found, double wanted, double slack) {
    assert_true(fabs((double)found - wanted) <= .5 + slack);
}

/* ---- Square loss ---- */

static void check_square(const fixture *f, const hr_packing *packing, size_t outputs, size_t output,
                         bool subset, double clip) {
    hr_gradient_input in = input_of(f, outputs, output, subset);
    memset((void *)f->packed, 0x77, sizeof f->packed);
    hr_gradients_square(&in, clip, packing, (int64_t *)f->packed);
    for (size_t i = 0; i < in.count; i++) {
        size_t row = subset ? f->rows[i] : i;
        double g = f->scores[row * outputs + output] - target_of(f, outputs, output, row);
        double clipped = fmax(-clip, fmin(clip, g)) * packing->gradient_scale,
               bound = (double)packing->gradient_bound;
        hr_sums sums = hr_unpack(packing, f->packed[i]);
        check_near(sums.gradient.unpaid, fmax(-bound, fmin(bound, clipped)), 1e-9);
        assert_true(sums.gradient.unpaid <= packing->gradient_bound &&
                    sums.gradient.unpaid >= -packing->gradient_bound);
        assert_true(sums.weight.unpaid == 1);
    }
    for (size_t i = in.count; i < ROWS; i++) assert_true(f->packed[i] == 0x7777777777777777);
}

static void test_square__is_score_less_target(void **state) {
    (void)state;
    static const size_t outputs[] = {1, 1, 3, 7};
    for (size_t c = 0; c < 4; c++) {
        fixture *f = set_up(c, c ? outputs[c] : 0, 1);
        for (size_t output = 0; output < outputs[c]; output++)
            for (int subset = 0; subset < 2; subset++) {
                check_square(f, &pack, outputs[c], output, subset, 1);
                check_square(f, &pack, outputs[c], output, subset, .3);
                check_square(f, &pack, outputs[c], output, subset, 1e300);
                check_square(f, &pack, outputs[c], output, subset, 1e-300);
            }
        free(f);
    }
}

static void test_square__never_passes_the_bound(void **state) {
    (void)state;
    fixture *f = set_up(5, 0, 1);
    for (int b = 0; b < 20; b++) {
        hr_packing packing = pack;
        packing.gradient_bound = (int64_t)1 << b;
        packing.gradient_scale = (double)packing.gradient_bound / .7 * (1 + 1e-15 * b);
        check_square(f, &packing, 1, 0, false, .7);
        check_square(f, &packing, 1, 0, false, 100); /* a clip that the scale does not know of */
    }
    free(f);
}

/* Within half a unit of w times the clipped gradient, and never beyond w times the bound. */
static void test_square__multiplies_by_the_weight_within_its_bound(void **state) {
    (void)state;
    static uint8_t weights[ROWS];
    hr_packing packing = {.shift = 34, .gradient_bound = 32, .gradient_scale = 32, .weight_scale = 16};
    fixture *f = set_up(6, 1, 1);
    for (size_t i = 0; i < ROWS; i++) weights[i] = (uint8_t)(1 + hr_dice_below(&f->dice, 128));
    for (int subset = 0; subset < 2; subset++)
        for (int threads = 1; threads <= 3; threads++) {
            hr_gradient_input in = input_of(f, 1, 0, subset);
            in.weights = weights;
            in.threads = threads;
            packing.gradient_scale = threads < 3 ? 32 : 1000; /* a scale that the bound does not know of */
            hr_gradients_square(&in, 1, &packing, f->packed);
            for (size_t i = 0; i < in.count; i++) {
                size_t row = subset ? f->rows[i] : i;
                double g = fmax(-1, fmin(1, f->scores[row] - f->targets[row])) * packing.gradient_scale,
                       bound = (double)(packing.gradient_bound * weights[row]);
                hr_sums sums = hr_unpack(&packing, f->packed[i]);
                check_near(sums.gradient.unpaid, fmax(-bound, fmin(bound, g * weights[row])), 1e-9);
                assert_true(fabs((double)sums.gradient.unpaid) <= bound);
                assert_true(sums.weight.unpaid == weights[row]);
            }
        }
    free(f);
}

static void test_square_bound__is_the_largest(void **state) {
    (void)state;
    for (size_t outputs = 1; outputs <= 3; outputs++)
        for (int subset = 0; subset < 2; subset++)
            for (int threads = 1; threads <= 4; threads++) {
                fixture *f = set_up(outputs, outputs, .5);
                hr_gradient_input in = input_of(f, outputs, outputs - 1, subset);
                in.threads = threads;
                double most = 0;
                for (size_t i = 0; i < in.count; i++) {
                    size_t row = subset ? f->rows[i] : i;
                    most = fmax(most, fabs(f->scores[row * outputs + outputs - 1] -
                                           target_of(f, outputs, outputs - 1, row)));
                }
                assert_true(hr_gradients_square_bound(&in) == most);
                in.count = 0;
                assert_true(hr_gradients_square_bound(&in) == 0);
                free(f);
            }
}

static void test_rows_within__keeps_what_is_within(void **state) {
    (void)state;
    static const double bounds[] = {0, .25, 1, 1e9};
    for (size_t b = 0; b < 4; b++)
        for (int subset = 0; subset < 2; subset++) {
            fixture *f = set_up(b, 1, .5);
            f->scores[7] = f->targets[7] + .25; /* on the bound */
            f->scores[8] = f->targets[8] - .25;
            hr_gradient_input in = input_of(f, 1, 0, subset);
            uint32_t kept[ROWS];
            size_t count = hr_rows_within(&in, bounds[b], kept), at = 0;
            for (size_t i = 0; i < in.count; i++) {
                uint32_t row = subset ? f->rows[i] : (uint32_t)i;
                if (fabs(f->scores[row] - f->targets[row]) <= bounds[b])
                    assert_true(at < count && kept[at++] == row);
            }
            assert_true(at == count);
            free(f);
        }
}

/* ---- Logistic loss ---- */

static double probability(const fixture *f, size_t outputs, size_t output, size_t row) {
    const double *scores = f->scores + row * outputs;
    if (outputs == 1)
        return scores[0] >= 0 ? 1 / (1 + exp(-scores[0])) : exp(scores[0]) / (1 + exp(scores[0]));
    double most = scores[0], sum = 0;
    for (size_t k = 1; k < outputs; k++) most = fmax(most, scores[k]);
    for (size_t k = 0; k < outputs; k++) sum += exp(scores[k] - most);
    return exp(scores[output] - most) / sum;
}

static void check_logistic(const fixture *f, const hr_packing *packing, size_t outputs, size_t output,
                           bool subset) {
    hr_gradient_input in = input_of(f, outputs, output, subset);
    hr_gradients_logistic(&in, packing, (int64_t *)f->packed);
    for (size_t i = 0; i < in.count; i++) {
        size_t row = subset ? f->rows[i] : i;
        double p = probability(f, outputs, output, row), g = p - (target_of(f, outputs, output, row) > 0);
        hr_sums sums = hr_unpack(packing, f->packed[i]);
        double bound = (double)packing->gradient_bound;
        check_near(sums.gradient.unpaid, fmax(-bound, fmin(bound, g * packing->gradient_scale)),
                   packing->gradient_scale * 1e-14);
        check_near(sums.weight.unpaid, fmax(1, p * (1 - p) * packing->weight_scale),
                   packing->weight_scale * 1e-14);
        assert_true(sums.gradient.unpaid <= packing->gradient_bound &&
                    sums.gradient.unpaid >= -packing->gradient_bound);
        assert_true(sums.weight.unpaid >= 1);
    }
}

static void test_logistic__is_the_derivative(void **state) {
    (void)state;
    static const double spreads[] = {.01, 1, 10, 300};
    for (size_t outputs = 1; outputs <= MAX_OUTPUTS; outputs++)
        for (int bits = 4; bits <= 28; bits += 8)
            for (size_t s = 0; s < 4; s++) {
                fixture *f = set_up(outputs * 10 + s, outputs, spreads[s]);
                hr_packing packing = {.shift = 31,
                                      .gradient_bound = 1 << bits,
                                      .gradient_scale = 1 << bits,
                                      .weight_scale = 1 << bits};
                for (size_t output = 0; output < outputs; output++)
                    for (int subset = 0; subset < 2; subset++)
                        check_logistic(f, &packing, outputs, output, subset);
                free(f);
            }
}

/* Far more bits than training uses: nothing of a double's precision is lost on the way. */
static void test_logistic__is_precise(void **state) {
    (void)state;
    const double scale = 0x1p50;
    const hr_packing packing = {
        .shift = 10, .gradient_bound = (int64_t)1 << 50, .gradient_scale = scale, .weight_scale = 1};
    for (size_t outputs = 1; outputs <= 3; outputs++) {
        fixture *f = set_up(outputs, outputs, 3);
        for (size_t i = 0; i < ROWS * outputs; i++) f->scores[i] = fmax(-39, fmin(39, f->scores[i]));
        hr_gradient_input in = input_of(f, outputs, 0, false);
        hr_gradients_logistic(&in, &packing, f->packed);
        for (size_t row = 0; row < ROWS; row++) {
            double g = probability(f, outputs, 0, row) - (target_of(f, outputs, 0, row) > 0);
            assert_true(fabs((double)hr_unpack(&packing, f->packed[row]).gradient.unpaid / scale - g) <
                        2e-15);
        }
        free(f);
    }
}

static void test_logistic__never_passes_the_bound(void **state) {
    (void)state;
    const hr_packing packing = {
        .shift = 31, .gradient_bound = 1000, .gradient_scale = 1 << 20, .weight_scale = 1 << 20};
    for (size_t outputs = 1; outputs <= 3; outputs++) {
        fixture *f = set_up(outputs, outputs, 1);
        check_logistic(f, &packing, outputs, 0, false);
        free(f);
    }
}

static void test_logistic__survives_any_finite_score(void **state) {
    (void)state;
    static const double far[] = {-1e308, -1e5,   -745.2, -709.8, -708.4, -37,   -1e-320, -0.,
                                 0,      1e-320, 37,     708.4,  709.8,  745.2, 1e5,     1e308};
    const hr_packing packing = {
        .shift = 31, .gradient_bound = 1 << 20, .gradient_scale = 1 << 20, .weight_scale = 1 << 20};
    for (size_t outputs = 1; outputs <= 3; outputs++) {
        fixture *f = set_up(outputs, outputs, 1);
        for (size_t i = 0; i < ROWS * outputs; i++) f->scores[i] = far[hr_dice_below(&f->dice, 16)];
        for (size_t output = 0; output < outputs; output++)
            check_logistic(f, &packing, outputs, output, false);
        free(f);
    }
}

/* Schemas and released trees make finite numbers only; what a record may move sums by does not rest on that.
 */
static void test_gradients__are_bounded_whatever_floats_are(void **state) {
    (void)state;
    static const double odd[] = {(double)NAN, -INFINITY, INFINITY, -DBL_MAX, DBL_MAX, 0, 1};
    const hr_packing packing = {
        .shift = 31, .gradient_bound = 1000, .gradient_scale = 1 << 20, .weight_scale = 1 << 20};
    fixture *f = set_up(1, 1, 1);
    for (size_t outputs = 1; outputs <= 3; outputs++)
        for (int subset = 0; subset < 2; subset++)
            for (int loss = 0; loss < 2; loss++) {
                for (size_t i = 0; i < ROWS; i++) f->targets[i] = odd[hr_dice_below(&f->dice, 7)];
                for (size_t i = 0; i < ROWS * outputs; i++) f->scores[i] = odd[hr_dice_below(&f->dice, 7)];
                hr_gradient_input in = input_of(f, outputs, 0, subset);
                if (loss)
                    hr_gradients_logistic(&in, &packing, f->packed);
                else
                    hr_gradients_square(&in, 1, &packing, f->packed);
                for (size_t i = 0; i < in.count; i++) {
                    hr_sums sums = hr_unpack(&packing, f->packed[i]);
                    assert_true(sums.gradient.unpaid >= -1000 && sums.gradient.unpaid <= 1000);
                    assert_true(sums.weight.unpaid >= 1 && sums.weight.unpaid <= (loss ? 1 << 18 : 1));
                }
            }
    free(f);
}

static void test_gradients__do_not_see_threads(void **state) {
    (void)state;
    fixture *f = set_up(9, 3, 2);
    const hr_packing packing = {
        .shift = 31, .gradient_bound = 1 << 20, .gradient_scale = 1 << 20, .weight_scale = 1 << 20};
    static int64_t one[ROWS];
    for (int loss = 0; loss < 2; loss++)
        for (int threads = 1; threads <= 4; threads++) {
            hr_gradient_input in = input_of(f, 3, 1, false);
            in.threads = threads;
            if (loss)
                hr_gradients_logistic(&in, &packing, f->packed);
            else
                hr_gradients_square(&in, 1, &packing, f->packed);
            if (threads == 1) memcpy(one, f->packed, sizeof one);
            assert_memory_equal(one, f->packed, sizeof one);
        }
    free(f);
}

/* Adding a record must change one summand alone: no gradient may depend on its neighbours or on its place. */
/* More records than a thread takes at once: all of them as they are, and listed one by one. */
static void test_gradients__of_all_records_are_those_of_a_list(void **state) {
    (void)state;
    enum { MANY = 10001 };
    static double scores[MANY], targets[MANY];
    static uint32_t rows[MANY];
    static int64_t all[MANY], listed[MANY];
    const hr_packing packing = {
        .shift = 31, .gradient_bound = 1 << 20, .gradient_scale = 1 << 20, .weight_scale = 1 << 20};
    for (uint32_t i = 0; i < MANY; i++) {
        rows[i] = i;
        scores[i] = sin(i) * 9;
        targets[i] = i % 3 ? 1 : -1;
    }
    for (int threads = 1; threads <= 3; threads++) {
        hr_gradient_input in = {
            .targets = targets, .scores = scores, .outputs = 1, .count = MANY, .threads = threads};
        hr_gradients_logistic(&in, &packing, all);
        in.rows = rows;
        hr_gradients_logistic(&in, &packing, listed);
        assert_memory_equal(all, listed, sizeof all);
    }
}

static void test_gradients__do_not_see_other_records(void **state) {
    (void)state;
    const hr_packing packing = {
        .shift = 31, .gradient_bound = 1 << 20, .gradient_scale = 1 << 20, .weight_scale = 1 << 20};
    for (size_t outputs = 1; outputs <= 5; outputs++)
        for (int loss = 0; loss < 2; loss++) {
            fixture *f = set_up(outputs, outputs, 2);
            hr_gradient_input all = input_of(f, outputs, 0, false), one = all;
            if (loss)
                hr_gradients_logistic(&all, &packing, f->packed);
            else
                hr_gradients_square(&all, 1, &packing, f->packed);
            for (uint32_t row = 0; row < ROWS; row += 7) {
                int64_t alone;
                one.rows = &row, one.count = 1;
                if (loss)
                    hr_gradients_logistic(&one, &packing, &alone);
                else
                    hr_gradients_square(&one, 1, &packing, &alone);
                assert_true(alone == f->packed[row]);
            }
            free(f);
        }
}

/* ---- Labels ---- */

static hr_data *labelled(hr_schema **schema, size_t classes, const double *labels, size_t rows) {
    static const char *const names[] = {"a", "b", "c", "d"};
    hr_column x = {.name = "x", .kind = HR_KIND_NUMBER, .low = 0, .high = 1},
              y = {.name = "y", .kind = HR_KIND_NUMBER, .low = -10, .high = 30};
    if (classes)
        y = (hr_column){.name = "y", .kind = HR_KIND_CATEGORY, .value_count = classes, .values = names};
    double *values = calloc(rows + 1, sizeof *values);
    hr_data *data;
    assert_non_null(values);
    assert_int_equal(
        hr_schema_make(&(hr_schema_parts){.label = y, .features = &x, .feature_count = 1}, schema, NULL),
        HR_OK);
    assert_int_equal(hr_data_from_arrays(*schema, rows, (const double *const[]){values}, labels, &data, NULL),
                     HR_OK);
    free(values);
    return data;
}

static void check_targets(size_t classes, const double *labels, const double *wanted, size_t rows) {
    hr_schema *schema;
    hr_data *data = labelled(&schema, classes, labels, rows);
    double targets[8];
    hr_targets_of(data, targets);
    for (size_t i = 0; i < rows; i++)
        assert_true(fabs(targets[i] - wanted[i]) < 1e-15 && fabs(targets[i]) <= (classes > 2 ? 3 : 1));
    hr_data_free(data);
    hr_schema_free(schema);
}

static void test_targets__are_labels_as_losses_see_them(void **state) {
    (void)state;
    check_targets(0, (double[]){-10, 30, 10, 0}, (double[]){-1, 1, 0, -.5}, 4);
    check_targets(2, (double[]){0, 1, 1}, (double[]){-1, 1, 1}, 3);
    check_targets(4, (double[]){3, 0, 2, 1}, (double[]){3, 0, 2, 1}, 4);
}

static void test_label_sums__count_classes(void **state) {
    (void)state;
    hr_exact sums[4];
    const double two[] = {-1, 1, 1, -1, 1}, four[] = {3, 3, 0, 2, 3};
    assert_int_equal(hr_label_sums(two, 5, 1, true, sums), 2);
    assert_true(sums[0].unpaid == 2 && sums[1].unpaid == 3);
    assert_int_equal(hr_label_sums(four, 5, 4, true, sums), 4);
    assert_true(sums[0].unpaid == 1 && sums[1].unpaid == 0 && sums[2].unpaid == 1 && sums[3].unpaid == 3);
    assert_int_equal(hr_label_sums(four, 0, 4, true, sums), 4);
    for (int k = 0; k < 4; k++) assert_true(sums[k].unpaid == 0);
}

static void test_label_sums__add_numbers(void **state) {
    (void)state;
    fixture *f = set_up(4, 0, 1);
    hr_exact sum, shuffled;
    assert_int_equal(hr_label_sums(f->targets, ROWS, 1, false, &sum), 1);
    double wanted = 0;
    for (size_t i = 0; i < ROWS; i++) wanted += f->targets[i] * 0x1p20;
    assert_true(fabs((double)sum.unpaid - wanted) <= ROWS * .5 + 1e-3);
    for (size_t i = 0; i < ROWS / 2; i++) {
        double kept = f->targets[i];
        f->targets[i] = f->targets[ROWS - 1 - i], f->targets[ROWS - 1 - i] = kept;
    }
    hr_label_sums(f->targets, ROWS, 1, false, &shuffled);
    assert_true(shuffled.unpaid == sum.unpaid);
    double one = 1;
    hr_label_sums(&one, 1, 1, false, &sum);
    assert_true(sum.unpaid == 1 << 20);
    free(f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_square__is_score_less_target),
        cmocka_unit_test(test_square__never_passes_the_bound),
        cmocka_unit_test(test_square__multiplies_by_the_weight_within_its_bound),
        cmocka_unit_test(test_square_bound__is_the_largest),
        cmocka_unit_test(test_rows_within__keeps_what_is_within),
        cmocka_unit_test(test_logistic__is_the_derivative),
        cmocka_unit_test(test_logistic__is_precise),
        cmocka_unit_test(test_logistic__never_passes_the_bound),
        cmocka_unit_test(test_logistic__survives_any_finite_score),
        cmocka_unit_test(test_gradients__are_bounded_whatever_floats_are),
        cmocka_unit_test(test_gradients__do_not_see_threads),
        cmocka_unit_test(test_gradients__of_all_records_are_those_of_a_list),
        cmocka_unit_test(test_gradients__do_not_see_other_records),
        cmocka_unit_test(test_targets__are_labels_as_losses_see_them),
        cmocka_unit_test(test_label_sums__count_classes),
        cmocka_unit_test(test_label_sums__add_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
