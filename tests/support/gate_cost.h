#ifndef HR_TESTS_SUPPORT_GATE_COST_H
#define HR_TESTS_SUPPORT_GATE_COST_H

#include "privacy/gate.h"

/* What the gate's releases cost in all, re-added from their list by the accountant. */
hr_units gate_cost(const hr_gate *gate);

#endif
