/* What a game found, as a line that tools/games.py reads: it lists the games and their twins. */
#ifndef HR_TESTS_SUPPORT_GAME_RESULT_H
#define HR_TESTS_SUPPORT_GAME_RESULT_H

#include <stddef.h>

/* What a game found: a lower bound of epsilon, or of what else is claimed, of so many runs on each side. */
typedef struct game_result {
    const char *name;
    double claimed, bound;
    size_t runs;
} game_result;

/* The line that tools/games.py reads. */
void say_game(const game_result *result, const char *how);
void assert_result_quiet(const game_result *result);

/* Skips the test that calls it, whose game takes minutes, unless HR_LONG or HR_GAMES is in the environment:
 * make slow and tools/games.py play it. */
void skip_long_game(void);

#endif
