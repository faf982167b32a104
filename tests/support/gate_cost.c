#include "support/gate_cost.h"

#include "support/check.h"

hr_units gate_cost(const hr_gate *gate) {
    size_t count = 0;
    hr_units total = 0;
    const hr_release *releases = hr_gate_releases(gate, &count);
    assert_int_equal(hr_account(releases, count, &total, NULL), HR_OK);
    return total;
}

charged_gate charged_gate_open(hr_charge charge, hr_privacy_measure measure, double cost, uint64_t seed) {
    charged_gate g = {.charge = charge};
    g.charge.cost = hr_units_up(cost);
    assert_int_equal(hr_csprng_open_seeded(seed, &g.csprng, NULL), HR_OK);
    assert_int_equal(hr_gate_new(measure, g.charge.cost, g.csprng, &g.gate, NULL), HR_OK);
    return g;
}

void charged_gate_close(charged_gate g) {
    hr_gate_free(g.gate);
    hr_csprng_close(g.csprng);
}
