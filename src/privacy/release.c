#include "privacy/release.h"

hr_charge hr_scope_charge(const hr_release_scope *scope, const char *what, int64_t level, hr_units cost,
                          uint64_t sensitivity) {
    return (hr_charge){.what = what,
                       .tree = scope->tree,
                       .level = level,
                       .group = scope->group,
                       .part = scope->part,
                       .cost = cost,
                       .sensitivity = sensitivity};
}

hr_status hr_gate_release_sums(hr_gate *gate, const hr_charge *charge, const hr_exact *in, size_t count,
                               hr_noisy *out, hr_error *err) {
    hr_permit permit;
    hr_status status = hr_gate_charge_sums(gate, charge, &permit, err);
    if (!status) hr_gate_sums(gate, permit, in, count, out);
    return status;
}
