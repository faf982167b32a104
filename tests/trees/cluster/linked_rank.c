/* One rank of a link over ZeroMQ in C, which may die at one of its calls.
 * usage: linked_rank ADDRESS KEY_FILE RANK RANKS SCHEMA DATA [dies=N] [serving=N] [stops=N]
 *        [join=SECONDS] [silence=SECONDS] [model=FILE]
 * dies: at its call N of the link; serving: at call N since it serves
 * At rank 0 it trains hedge with reproducible noise. Says at the end how many calls the link had. */
#include <hedgerow/hedgerow.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static hr_cluster_link inner;
static unsigned long calls, dies_at, serving_at, stops_at;

/* Before the call: what it would have sent is not. */
static void count_call(void) {
    calls++;
    if (calls == dies_at) raise(SIGKILL);
    if (calls == stops_at) {
        puts("stopped");
        fflush(stdout);
        raise(SIGSTOP);
    }
}

static hr_status join_counted(void *state, hr_error *err) {
    if (stops_at == 0) puts(inner.address);
    fflush(stdout);
    count_call();
    return inner.join(state, err);
}

static hr_status broadcast_counted(void *state, size_t root, void *bytes, size_t size, hr_error *err) {
    count_call();
    return inner.broadcast(state, root, bytes, size, err);
}

static hr_status send_counted(void *state, size_t to, const void *bytes, size_t size, hr_error *err) {
    count_call();
    return inner.send(state, to, bytes, size, err);
}

static hr_status receive_counted(void *state, void *bytes, size_t size, hr_error *err) {
    count_call();
    return inner.receive(state, bytes, size, err);
}

static hr_status sum_counted(void *state, int64_t *words, size_t count, hr_error *err) {
    count_call();
    return inner.sum(state, words, count, err);
}

static void close_counted(void *state) {
    count_call();
    inner.close(state);
}

static hr_cluster_link counted(void) {
    hr_cluster_link table = inner;
    table.join = join_counted;
    table.broadcast = broadcast_counted;
    table.send = send_counted;
    table.receive = receive_counted;
    table.sum = sum_counted;
    table.close = close_counted;
    return table;
}

static hr_status fit(hr_cluster *cluster, const hr_data *data, const char *path, hr_error *err) {
    hr_fit_options options;
    hr_model *model = NULL;
    hr_status status = hr_fit_options_init(&options, "hedge", HR_MODE_SOUND, err);
    options.cluster = cluster;
    options.reproducible_noise = true;
    options.seed = 5;
    if (!status) status = hr_fit(data, &options, &model, err);
    if (!status && path) status = hr_model_write(model, path, err);
    hr_model_free(model);
    return status;
}

/* As `hedgerow train` does. */
static hr_status take_part(hr_cluster *cluster, char **words, const char *model, hr_error *err) {
    hr_schema *schema = NULL;
    hr_data *data = NULL;
    const char *paths[] = {words[1]};
    const hr_cluster_table table = {paths, 1, NULL};
    hr_status status = hr_cluster_agree(cluster, HR_OK, err);
    if (!status) status = hr_cluster_agree(cluster, hr_schema_read(words[0], &schema, err), err);
    if (!status) status = hr_cluster_read(cluster, schema, &table, &data, err);
    if (serving_at) dies_at = calls + serving_at;
    if (!status && hr_cluster_rank(cluster))
        status = hr_cluster_serve(cluster, data, 1, err);
    else if (!status)
        status = fit(cluster, data, model, err);
    hr_data_free(data);
    hr_schema_free(schema);
    return status;
}

int main(int count, char **words) {
    char key[100] = "";
    const char *model = NULL;
    hr_cluster *cluster = NULL;
    hr_error err = {0};
    if (count < 7) return 2;
    hr_cluster_zeromq options = {.address = words[1],
                                 .key = key,
                                 .rank = strtoul(words[3], NULL, 10),
                                 .size = strtoul(words[4], NULL, 10)};
    for (int i = 7; i < count; i++) {
        const char *value = strchr(words[i], '=') + 1;
        if (words[i][0] == 'd') dies_at = strtoul(value, NULL, 10);
        if (words[i][0] == 's' && words[i][1] == 'e') serving_at = strtoul(value, NULL, 10);
        if (words[i][0] == 's' && words[i][1] == 't') stops_at = strtoul(value, NULL, 10);
        if (words[i][0] == 's' && words[i][1] == 'i') options.silence_seconds = strtod(value, NULL);
        if (words[i][0] == 'j') options.join_seconds = strtod(value, NULL);
        if (words[i][0] == 'm') model = value;
    }
    FILE *in = fopen(words[2], "r");
    if (!in || fscanf(in, "%99s", key) != 1) return 2;
    fclose(in);
    hr_status status = hr_cluster_zeromq_open(&options, &inner, &err);
    const hr_cluster_link table = counted();
    if (!status) status = hr_cluster_join(&table, &cluster, &err);
    if (!status) status = take_part(cluster, words + 5, model, &err);
    hr_cluster_close(cluster);
    if (status) fprintf(stderr, "%s\n", err.message);
    printf("calls %lu\n", calls);
    return status != HR_OK;
}
