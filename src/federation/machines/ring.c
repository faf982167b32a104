/* What both machines of a ring share. */
#include "base/fail.h"
#include "federation/machines/ring_machine.h"

hr_status hr_ring_terms_check(const Hedgerow__Terms *terms, hr_error *err) {
    if (!terms->paper || terms->coalition)
        return hr_fail(err, HR_E_FORMAT, "", "a job on a ring that claims to be private");
    return hr_securesum_terms_check(terms, err);
}

hr_status hr_ring_length_check(size_t count, size_t values, hr_error *err) {
    if (count == values) return HR_OK;
    return hr_fail(err, HR_E_POLICY, "", "%zu numbers where the sum has %zu", count, values);
}
