/* "Did you mean ...?": the distance between words as fingers err, counting insertions, deletions,
 * substitutions and swaps of neighbours (the restricted Damerau-Levenshtein distance). */
#include "args.h"

#include <string.h>

enum { LONGEST = 40 };

static size_t least(size_t a, size_t b) {
    return a < b ? a : b;
}

static size_t distance(const char *a, const char *b) {
    const size_t rows = strlen(a), columns = strlen(b);
    if (rows > LONGEST || columns > LONGEST) return SIZE_MAX;
    size_t d[LONGEST + 1][LONGEST + 1];
    for (size_t i = 0; i <= rows; i++) d[i][0] = i;
    for (size_t j = 0; j <= columns; j++) d[0][j] = j;
    for (size_t i = 1; i <= rows; i++) {
        for (size_t j = 1; j <= columns; j++) {
            const size_t substitution = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            d[i][j] = least(substitution, least(d[i - 1][j], d[i][j - 1]) + 1);
            const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swapped) d[i][j] = least(d[i][j], d[i - 2][j - 2] + 1);
        }
    }
    return d[rows][columns];
}

const char *args_nearest(const char *word, const char *const *words, size_t count) {
    const size_t length = strlen(word);
    const char *nearest = NULL;
    size_t best = length / 3 + 2; /* at a greater distance two words do not look alike */
    for (size_t i = 0; i < count; i++) {
        const bool begins = length >= 3 && strncmp(word, words[i], length) == 0;
        const size_t d = begins ? 1 : distance(word, words[i]);
        if (d < best) {
            best = d;
            nearest = words[i];
        }
    }
    return nearest;
}
