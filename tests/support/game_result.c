#include "support/game_result.h"

#include "support/check.h"

#include <stdio.h>
#include <stdlib.h>

/* tools/games.py names the games of a program that it wants, and hears of all of them, also in a copy of the
 * project in which the first is lost. */
static const char *games_wanted(void) {
    return getenv("HR_GAMES");
}

__attribute__((constructor)) static void choose_games(void) {
    if (games_wanted()) cmocka_set_test_filter(games_wanted());
}

void say_game(const game_result *result, const char *how) {
    print_message("%-52s claimed %.3f  at least %.3f  of %zu runs%s\n", result->name, result->claimed,
                  result->bound, result->runs, how);
    fflush(stdout);
}

void assert_result_quiet(const game_result *result) {
    say_game(result, "");
    if (!(result->bound <= result->claimed) && !games_wanted())
        fail_msg("%s: epsilon is at least %.3f, claimed %.3f", result->name, result->bound, result->claimed);
}

void skip_long_game(void) {
    if (!getenv("HR_LONG") && !games_wanted()) skip();
}
