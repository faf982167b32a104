/* Delta as an integer, so that a ledger adds it up without drift: units of 2^-62 (2.2e-19).
 *
 * Delta is far smaller than epsilon, hence the finer unit; the sum 1 still fits in 63 bits, which is what
 * SQLite stores. Scaling a double by a power of two is exact, so up and down are off by less than one unit
 * and never to the owner's loss. */
#ifndef HR_PRIVACY_LEDGER_DELTA_H
#define HR_PRIVACY_LEDGER_DELTA_H

#include <stdint.h>

typedef uint64_t hr_delta_units;
#define HR_DELTA_UNIT ((hr_delta_units)1 << 62)

/* Units nearest above / below a value; 0 <= value <= 1. A multiple of the unit comes back unchanged. */
hr_delta_units hr_delta_up(double value);
hr_delta_units hr_delta_down(double value);

/* The double nearest above / below; below 2^53 units both are exact. */
double hr_delta_value(hr_delta_units units);
double hr_delta_value_below(hr_delta_units units);

#endif
