#include "support/gate_cost.h"

#include "support/check.h"

hr_units gate_cost(const hr_gate *gate) {
    size_t count = 0;
    hr_units total = 0;
    const hr_release *releases = hr_gate_releases(gate, &count);
    assert_int_equal(hr_account(releases, count, &total, NULL), HR_OK);
    return total;
}
