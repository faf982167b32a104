/* Hashes of cells, by which different texts are told apart and counted. */
#ifndef HR_TABLES_INFER_INFER_HASH_H
#define HR_TABLES_INFER_INFER_HASH_H

#include "base/text/number_fast.h"

__extension__ typedef unsigned __int128 hr_hash_product;

/* Both halves of the product of two words, one upon the other: every bit depends on many of each word. */
static inline uint64_t hr_hash_fold(uint64_t a, uint64_t b) {
    const hr_hash_product product = (hr_hash_product)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* Of the two words of eight bytes at the end of a text, or all of it. `before`: of what stands before them.
 */
static inline uint64_t hr_hash_words(uint64_t before, uint64_t first, uint64_t second) {
    const uint64_t hash = hr_hash_fold(first ^ before ^ 0x9e3779b97f4a7c15u, second ^ 0xc4ceb9fe1a85ec53u);
    return hr_hash_fold(hash ^ 0xff51afd7ed558ccdu, before ^ 0xd6e8feb86659fd93u);
}

/* The same for the same text: of its words of eight bytes, the first byte the lowest, two at a time. The last
 * ones are filled up with zeros. */
static inline uint64_t hr_text_hash(const char *text, size_t size) {
    uint64_t hash = size, words[2] = {0};
    for (; size > 16; text += 16, size -= 16)
        hash = hr_hash_words(hash, hr_load_8(text), hr_load_8(text + 8));
    for (size_t i = 0; i < size; i++) words[i / 8] |= (uint64_t)(unsigned char)text[i] << 8 * (i % 8);
    return hr_hash_words(hash, words[0], words[1]);
}

/* The same where HR_NUMBER_FAST_REACH bytes behind the text are readable: most cells without a branch. */
static inline uint64_t hr_cell_hash(const char *text, size_t size) {
    static const char ones[32] = "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff";
    if (size > 16) return hr_text_hash(text, size);
    const char *of_size = ones + 16 - size; /* as many, and then zeros */
    const uint64_t first = hr_load_8(text) & hr_load_8(of_size),
                   second = hr_load_8(text + 8) & hr_load_8(of_size + 8);
    return hr_hash_words(size, first, second);
}

#endif
