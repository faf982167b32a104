#include "privacy/release.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

typedef struct fixture {
    hr_csprng *csprng;
    hr_gate *gate;
} fixture;

static fixture set_up(void) {
    fixture f = {0};
    assert_int_equal(hr_csprng_open_seeded(1, &f.csprng, NULL), HR_OK);
    assert_int_equal(hr_gate_new(HR_PRIVACY_PURE, HR_UNIT, f.csprng, &f.gate, NULL), HR_OK);
    return f;
}

static void tear_down(fixture f) {
    hr_gate_free(f.gate);
    hr_csprng_close(f.csprng);
}

static const hr_release *only_line(const hr_gate *gate) {
    size_t count = 0;
    const hr_release *releases = hr_gate_releases(gate, &count);
    assert_int_equal(count, 1);
    return releases;
}

/* In one step it draws what charging and releasing draw one after the other; refused, it draws nothing. */
static void test_release__charges_and_draws_in_one_step(void **state) {
    (void)state;
    fixture one = set_up(), two = set_up();
    hr_release_scope scope = {.tree = 3, .group = 1, .part = 2};
    hr_charge charge = hr_scope_charge(&scope, "leaf sum", 4, HR_UNIT / 2, 6),
              more = hr_scope_charge(&scope, "leaf sum", 4, HR_UNIT, 6);
    hr_exact in[2] = {{10}, {-5}};
    hr_noisy out[2], wanted[2], untouched = {77};
    hr_permit permit;
    assert_int_equal(hr_gate_release_sums(one.gate, &charge, in, 2, out, NULL), HR_OK);
    assert_int_equal(hr_gate_charge_sums(two.gate, &charge, &permit, NULL), HR_OK);
    hr_gate_sums(two.gate, permit, in, 2, wanted);
    assert_memory_equal(out, wanted, sizeof out);
    const hr_release *line = only_line(one.gate);
    assert_true(line->tree == 3 && line->level == 4 && line->group == 1 && line->part == 2 &&
                line->draws == 2);
    assert_int_equal(hr_gate_release_sums(one.gate, &more, in, 1, &untouched, NULL), HR_E_BUDGET);
    assert_true(untouched.paid == 77 && only_line(one.gate)->draws == 2);
    tear_down(one);
    tear_down(two);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_release__charges_and_draws_in_one_step)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
