#include "support/simfl_pieces.h"

#include "federation/machines/simfl_exchange.h"

#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#if defined(__clang__)
#pragma GCC diagnostic ignored "-Wreserved-identifier"
#pragma GCC diagnostic ignored "-Wunknown-warning-option"
#endif

size_t simfl_piece_records;

static size_t shortened(size_t count) {
    return simfl_piece_records && simfl_piece_records < count ? simfl_piece_records : count;
}

size_t __real_hr_simfl_hash_piece(const hr_simfl_rules *rules, size_t left);
size_t __wrap_hr_simfl_hash_piece(const hr_simfl_rules *rules, size_t left) {
    return shortened(__real_hr_simfl_hash_piece(rules, left));
}

size_t __real_hr_simfl_gradient_piece(size_t left);
size_t __wrap_hr_simfl_gradient_piece(size_t left) {
    return shortened(__real_hr_simfl_gradient_piece(left));
}
