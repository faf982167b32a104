#include "base/checksum.h"

#include <string.h>

enum { CHECKSUM_LANES = 4, CHECKSUM_STRIPE = CHECKSUM_LANES * sizeof(uint64_t) };

static const uint64_t prime1 = 0x9e3779b185ebca87, prime2 = 0xc2b2ae3d27d4eb4f, prime3 = 0x165667b19e3779f9,
                      prime4 = 0x85ebca77c2b2ae63, prime5 = 0x27d4eb2f165667c5;

static uint64_t rotate(uint64_t x, int bits) {
    return x << bits | x >> (64 - bits);
}

/* Little-endian, on any machine. */
static uint64_t little(const uint8_t *bytes, size_t size) {
    uint64_t word = 0;
    for (size_t i = 0; i < size; i++) word |= (uint64_t)bytes[i] << 8 * i;
    return word;
}

static uint64_t take_word(uint64_t lane, uint64_t word) {
    return rotate(lane + word * prime2, 31) * prime1;
}

static uint64_t merge_lane(uint64_t hash, uint64_t lane) {
    return (hash ^ take_word(0, lane)) * prime1 + prime4;
}

/* Takes whole stripes; returns how many bytes. */
static size_t take_stripes(const uint8_t *bytes, size_t size, uint64_t *hash) {
    uint64_t lanes[CHECKSUM_LANES] = {prime1 + prime2, prime2, 0, 0 - prime1};
    size_t at = 0;
    for (; at + CHECKSUM_STRIPE <= size; at += CHECKSUM_STRIPE)
        for (size_t k = 0; k < CHECKSUM_LANES; k++)
            lanes[k] = take_word(lanes[k], little(bytes + at + 8 * k, 8));
    *hash = rotate(lanes[0], 1) + rotate(lanes[1], 7) + rotate(lanes[2], 12) + rotate(lanes[3], 18);
    for (size_t k = 0; k < CHECKSUM_LANES; k++) *hash = merge_lane(*hash, lanes[k]);
    return at;
}

uint64_t hr_checksum(const void *from, size_t size) {
    const uint8_t *bytes = from;
    uint64_t hash = prime5;
    size_t at = size < CHECKSUM_STRIPE ? 0 : take_stripes(bytes, size, &hash);
    hash += size;
    for (; at + 8 <= size; at += 8)
        hash = rotate(hash ^ take_word(0, little(bytes + at, 8)), 27) * prime1 + prime4;
    for (; at + 4 <= size; at += 4)
        hash = rotate(hash ^ little(bytes + at, 4) * prime1, 23) * prime2 + prime3;
    for (; at < size; at++) hash = rotate(hash ^ bytes[at] * prime5, 11) * prime1;
    hash = (hash ^ hash >> 33) * prime2;
    hash = (hash ^ hash >> 29) * prime3;
    return hash ^ hash >> 32;
}
