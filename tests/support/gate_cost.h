#ifndef HR_TESTS_SUPPORT_GATE_COST_H
#define HR_TESTS_SUPPORT_GATE_COST_H

#include "privacy/crypto/csprng.h"
#include "privacy/gate.h"

/* What the gate's releases cost in all, re-added from their list by the accountant. */
hr_units gate_cost(const hr_gate *gate);

/* A gate that can pay for one charge, and what it draws from. */
typedef struct charged_gate {
    hr_csprng *csprng;
    hr_gate *gate;
    hr_charge charge;
} charged_gate;

/* The charge costs `cost`, rounded up, which is all that the gate has. */
charged_gate charged_gate_open(hr_charge charge, hr_privacy_measure measure, double cost, uint64_t seed);
void charged_gate_close(charged_gate g);

#endif
