/* Times reading one CSV file through the public API, for run.py to set beside other libraries. (bench_csv
 * times the reader by itself, on several shapes of numbers.)
 *
 * usage: bench_read FILE LABEL THREADS
 * The schema is the one that the library proposes; finding it is not timed. Prints one line of JSON. */
#include <hedgerow/hedgerow.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
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
    options.threads = threads;
    char *yaml = NULL;
    hr_schema *schema = NULL;
    hr_data *data = NULL;
    hr_status status = hr_schema_infer(path, HR_FORMAT_CSV, label, &yaml, err);
    if (!status) status = hr_schema_parse(yaml, strlen(yaml), "proposed", &schema, err);
    double start = seconds();
    if (!status) status = hr_data_read(schema, path, &options, &data, err);
    double spent = seconds() - start;
    if (!status)
        printf("{\"seconds\": %.9f, \"megabytes\": %.6f, \"rows\": %zu}\n", spent,
               1e-6 * (double)size_of(path), hr_data_rows(data));
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
