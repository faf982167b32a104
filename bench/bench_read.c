/* Times reading one CSV file through the public API, for run.py to set beside other libraries. (bench_csv
 * times the reader by itself, on several shapes of numbers.)
 *
 * usage: bench_read FILE LABEL THREADS
 * The schema is the one that the library proposes; finding it is timed by itself. Prints one line of JSON:
 * seconds of the clock on the wall, and of all processors. */
#include <hedgerow/hedgerow.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double seconds(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Of the clock on the wall, and of all processors. */
typedef struct moment {
    double wall, processor;
} moment;

static moment now(void) {
    return (moment){seconds(CLOCK_MONOTONIC), seconds(CLOCK_PROCESS_CPUTIME_ID)};
}

static long size_of(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file) return 0;
    long size = fseek(file, 0, SEEK_END) ? 0 : ftell(file);
    fclose(file);
    return size;
}

static hr_status run(const char *path, const char *label, int threads, hr_error *err) {
    hr_read_options options = HR_READ_OPTIONS_INIT;
    hr_infer_options proposal = HR_INFER_OPTIONS_INIT;
    options.threads = threads;
    proposal.reading = &options;
    proposal.label = label;
    char *yaml = NULL;
    hr_schema *schema = NULL;
    hr_data *data = NULL;
    const moment begin = now();
    hr_status status = hr_schema_infer_all(&path, 1, &proposal, &yaml, err);
    const moment proposed = now();
    if (!status) status = hr_schema_parse(yaml, strlen(yaml), "proposed", &schema, err);
    const moment start = now();
    if (!status) status = hr_data_read(schema, path, &options, &data, err);
    const moment end = now();
    if (!status)
        printf("{\"seconds\": %.9f, \"processor\": %.9f, \"megabytes\": %.6f, \"rows\": %zu, "
               "\"schema\": {\"seconds\": %.9f, \"processor\": %.9f}}\n",
               end.wall - start.wall, end.processor - start.processor, 1e-6 * (double)size_of(path),
               hr_data_rows(data), proposed.wall - begin.wall, proposed.processor - begin.processor);
    hr_data_free(data);
    hr_schema_free(schema);
    hr_text_free(yaml);
    return status;
}

int main(int argc, char **argv) {
    if (argc != 4) {
        fprintf(stderr, "usage: bench_read FILE LABEL THREADS\n");
        return 2;
    }
    hr_error err = {0};
    if (!run(argv[1], argv[2], atoi(argv[3]), &err)) return 0;
    char text[1024];
    hr_error_format(&err, text, sizeof text);
    fprintf(stderr, "bench_read: %s\n", text);
    return 1;
}
