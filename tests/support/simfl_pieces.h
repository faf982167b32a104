/* Pieces of hashes and gradients of few records, so that small jobs of SimFL have several. For programs that
 * have simfl_pieces.c among their sources and send the calls of both sizes by way of it, at link time
 * (tests/federation/meson.build). */
#ifndef HR_TESTS_SUPPORT_SIMFL_PIECES_H
#define HR_TESTS_SUPPORT_SIMFL_PIECES_H

#include <stddef.h>

/* Records of a piece at most; 0: as many as the library says. */
extern size_t simfl_piece_records;

#endif
