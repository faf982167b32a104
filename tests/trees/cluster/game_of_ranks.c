/* One side of a game of whole trainings over ranks, and its result.
 * usage: game_of_ranks play SCHEMA DATA SIDE OUT, as a rank of several: rank 0 trains hedge again and again,
 * the others add up; what each model tells goes to the file OUT. SIDE: 0 without the canary, 1 with it.
 *        game_of_ranks judge OUT0 OUT1: what the two sides show of mu */
#include "privacy/accountant.h"
#include "support/hedge_games.h"

enum { RECORDS = 100, ONES = 35, RUNS = 600 };

static const setting of_ranks = {"W15 a record where two ranks' rows meet", 1e-6, 2};
static const double EPSILON = 12;

static hr_status play_side(hr_cluster *cluster, const hr_data *data, int side, const char *path,
                           hr_error *err) {
    game g = game_of(&of_ranks, EPSILON, EPSILON, RUNS, likelihood_ratio);
    FILE *out = fopen(path, "w");
    if (!out) return HR_E_IO;
    hedge_leaf = (leaf_of_all){RECORDS, ONES};
    g.options.cluster = cluster;
    g.options.reproducible_noise = true;
    hr_status status = HR_OK;
    for (size_t i = 0; !status && i < g.runs; i++) {
        hr_model *model = NULL;
        g.options.seed = (uint64_t)(side + 1) * 1000000 + i;
        status = hr_fit(data, &g.options, &model, err);
        if (!status) fprintf(out, "%.17g\n", g.look(model));
        hr_model_free(model);
    }
    return fclose(out) ? HR_E_IO : status;
}

static int play(char **words) {
    hr_cluster *cluster = NULL;
    hr_schema *schema = NULL;
    hr_data *data = NULL;
    hr_error err = {0};
    if (hr_cluster_open(&cluster, &err)) return 1;
    const hr_cluster_table files = {(const char *const *)&words[1], 1, NULL};
    hr_status status = hr_cluster_agree(cluster, hr_schema_read(words[0], &schema, &err), &err);
    if (!status) status = hr_cluster_read(cluster, schema, &files, &data, &err);
    if (!status && hr_cluster_rank(cluster))
        status = hr_cluster_serve(cluster, data, 1, &err);
    else if (!status)
        status = play_side(cluster, data, atoi(words[2]), words[3], &err);
    if (status) fprintf(stderr, "%s\n", err.message);
    hr_data_free(data);
    hr_schema_free(schema);
    hr_cluster_close(cluster);
    return status != HR_OK;
}

static int judge(char **paths) {
    for (int side = 0; side < 2; side++) {
        FILE *in = fopen(paths[side], "r");
        size_t count = 0;
        while (in && count < RUNS && fscanf(in, "%lf", &game_seen[side][count]) == 1) count++;
        if (!in || fclose(in) || count < RUNS) return 1;
    }
    const game g = game_of(&of_ranks, EPSILON, EPSILON, RUNS, likelihood_ratio);
    const game_result result = {g.name, g.claimed, mu_of_statistic(game_seen[0], game_seen[1], RUNS), RUNS};
    say_game(&result, "");
    return result.bound > result.claimed; /* what the game can find its twin shows (tests/games.toml) */
}

int main(int count, char **words) {
    if (count == 6 && !strcmp(words[1], "play")) return play(words + 2);
    if (count == 4 && !strcmp(words[1], "judge")) return judge(words + 2);
    return 2;
}
