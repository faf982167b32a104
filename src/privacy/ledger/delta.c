#include "privacy/ledger/delta.h"

#include <assert.h>
#include <math.h>

hr_delta_units hr_delta_up(double value) {
    assert(value >= 0 && value <= 1);
    return (hr_delta_units)ceil(ldexp(value, 62));
}

hr_delta_units hr_delta_down(double value) {
    assert(value >= 0 && value <= 1);
    return (hr_delta_units)floor(ldexp(value, 62));
}

double hr_delta_value(hr_delta_units units) {
    double value = (double)units;
    if (value < 0x1p63 && (hr_delta_units)value < units) value = nextafter(value, HUGE_VAL);
    return ldexp(value, -62);
}

double hr_delta_value_below(hr_delta_units units) {
    double value = (double)units;
    if (value >= 0x1p63 || (hr_delta_units)value > units) value = nextafter(value, 0);
    return ldexp(value, -62);
}
