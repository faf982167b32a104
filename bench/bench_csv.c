/* How fast one thread reads CSV, beside a plain peer (getline and strtod) in the same run. One line a case:
 * megabytes per second of processor time, best of several runs, the ratio to the peer, and a checksum that
 * shows that both read the same numbers. With a file (numbers with a header, the label last), reads that
 * several times by as many threads, and says how long the fastest time took by the clock on the wall.
 *
 * usage: bench_csv [ROWS]            (default 200000; 28 columns)
 *        bench_csv FILE.csv THREADS */
#include <hedgerow/hedgerow.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { COLUMNS = 28, RUNS = 5 };

typedef struct shape {
    const char *name, *before, *after; /* a number stands between `before` and `after` */
    int digits;
    bool scientific;
} shape;

static const shape shapes[] = {
    {"6 significant digits", "", "", 6, false},   {"8 significant digits", "", "", 8, false},
    {"quoted, 7 digits", "\"", "\"", 7, false},   {"quoted and padded, 7", "\"  ", "\"", 7, false},
    {"17 significant digits", "", "", 17, false}, {"scientific, 19 digits", "", "", 18, true},
};

static uint64_t state = 1;
static uint64_t next(void) {
    uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* Roughly normal, like standardized measurements. */
static double draw(void) {
    double sum = -2;
    for (int i = 0; i < 4; i++) sum += (double)(next() >> 11) * 0x1p-53;
    return sum * 1.7;
}

static double seconds(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void *must(void *p) {
    if (p) return p;
    fprintf(stderr, "bench_csv: out of memory\n");
    exit(1);
}

/* A schema for columns that are all numbers, from the header line of their table; the last is the label. */
static hr_schema *make_schema(const char *header) {
    size_t size = strlen(header) * 80 + 200, at = 0;
    char *text = must(malloc(size));
    const char *label = strrchr(header, ',');
    label = label ? label + 1 : header;
    at += (size_t)snprintf(
        text, size,
        "hedgerow-schema: 1\nlabel: {name: %.*s, kind: number, low: -1e9, high: 1e9}\nfeatures:\n",
        (int)strcspn(label, "\r\n"), label);
    for (const char *name = header; name < label;) {
        int length = (int)strcspn(name, ",");
        at += (size_t)snprintf(text + at, size - at, "  - {name: %.*s, kind: number, low: -1e9, high: 1e9}\n",
                               length, name);
        name += length + 1;
    }
    hr_schema *schema = NULL;
    if (hr_schema_parse(text, at, "schema", &schema, NULL)) exit(1);
    free(text);
    return schema;
}

static char *make_table(const shape *s, size_t rows, size_t *size) {
    char *text = must(malloc((rows + 1) * COLUMNS * 32)), *p = text;
    for (int i = 0; i < COLUMNS; i++) p += sprintf(p, "c%d%c", i, i + 1 < COLUMNS ? ',' : '\n');
    for (size_t row = 0; row < rows; row++) {
        for (int i = 0; i < COLUMNS; i++) {
            p += snprintf(p, 40, s->scientific ? "%s%.*e%s" : "%s%.*g%s", s->before, s->digits, draw(),
                          s->after);
            *p++ = i + 1 < COLUMNS ? ',' : '\n';
        }
    }
    *size = (size_t)(p - text);
    return text;
}

/* The order of additions is the same for both readers: column by column. */
static double sum_columns(const double *const *columns, size_t rows) {
    double sum = 0;
    for (int i = 0; i < COLUMNS; i++) {
        for (size_t row = 0; row < rows; row++) sum += columns[i][row];
    }
    return sum;
}

static double sum_data(const hr_data *data) {
    const double *columns[COLUMNS] = {NULL};
    for (size_t i = 0; i + 1 < COLUMNS; i++) columns[i] = hr_data_numbers(data, i);
    columns[COLUMNS - 1] = hr_data_labels(data);
    return sum_columns(columns, hr_data_rows(data));
}

typedef struct reading {
    const hr_schema *schema;
    const char *path, *text; /* text: read this instead */
    size_t size;
    int threads;
    clockid_t clock;
} reading;

static double time_library(const reading *r, double *sum) {
    double best = 1e9;
    for (int run = 0; run < RUNS; run++) {
        hr_data *data = NULL;
        hr_error err = {0};
        hr_read_options options = HR_READ_OPTIONS_INIT;
        options.threads = r->threads;
        double start = seconds(r->clock);
        if (r->text ? hr_data_parse(r->schema, r->text, r->size, &options, &data, &err)
                    : hr_data_read(r->schema, r->path, &options, &data, &err)) {
            fprintf(stderr, "bench_csv: %s\n", err.message);
            exit(1);
        }
        double took = seconds(r->clock) - start;
        if (took < best) best = took;
        if (sum) *sum = sum_data(data);
        hr_data_free(data);
    }
    return best;
}

static double time_peer(const char *path, size_t rows, double *sum) {
    double *columns[COLUMNS];
    double start = seconds(CLOCK_PROCESS_CPUTIME_ID);
    FILE *file = must(fopen(path, "r"));
    char *line = NULL;
    size_t capacity = 0;
    for (int i = 0; i < COLUMNS; i++) columns[i] = must(malloc(rows * sizeof(double)));
    if (getline(&line, &capacity, file) < 0) exit(1);
    for (size_t row = 0; row < rows && getline(&line, &capacity, file) >= 0; row++) {
        char *p = line;
        for (int i = 0; i < COLUMNS; i++) {
            bool quoted = *p == '"';
            columns[i][row] = strtod(p + quoted, &p);
            p += quoted + 1;
        }
    }
    double took = seconds(CLOCK_PROCESS_CPUTIME_ID) - start;
    *sum = sum_columns((const double *const *)columns, rows);
    for (int i = 0; i < COLUMNS; i++) free(columns[i]);
    free(line);
    fclose(file);
    return took;
}

static void bench(const shape *s, size_t rows) {
    size_t size = 0;
    char *text = make_table(s, rows, &size), path[] = "bench-csv-XXXXXX";
    hr_schema *schema = make_schema("c0,c1,c2,c3,c4,c5,c6,c7,c8,c9,c10,c11,c12,c13,c14,c15,c16,c17,c18,c19,"
                                    "c20,c21,c22,c23,c24,c25,c26,c27");
    int fd = mkstemp(path);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
    if (!file || fwrite(text, 1, size, file) != size || fclose(file)) {
        fprintf(stderr, "bench_csv: cannot write %s\n", path);
        exit(1);
    }
    double sum_file = 0, sum_memory = 0, sum_peer = 0;
    reading r = {.schema = schema, .path = path, .threads = 1, .clock = CLOCK_PROCESS_CPUTIME_ID};
    double from_file = time_library(&r, &sum_file);
    r.text = text;
    r.size = size;
    double from_memory = time_library(&r, &sum_memory);
    double peer = time_peer(path, rows, &sum_peer), mega = (double)size * 1e-6;
    printf("%-22s %6.1f MB  file %6.0f MB/s  memory %6.0f MB/s  getline+strtod %5.0f MB/s  ratio %4.1f  "
           "checksum %.17g %s\n",
           s->name, mega, mega / from_file, mega / from_memory, mega / peer, peer / from_file, sum_file,
           sum_file == sum_memory && sum_file == sum_peer ? "same" : "DIFFERENT");
    unlink(path);
    hr_schema_free(schema);
    free(text);
}

static int bench_file(const char *path, int threads) {
    FILE *file = must(fopen(path, "r"));
    char *header = NULL;
    size_t capacity = 0;
    if (getline(&header, &capacity, file) < 0 || fseek(file, 0, SEEK_END)) return 1;
    double mega = (double)ftell(file) * 1e-6;
    fclose(file);
    hr_schema *schema = make_schema(header);
    const reading r = {.schema = schema, .path = path, .threads = threads, .clock = CLOCK_MONOTONIC};
    double took = time_library(&r, NULL);
    printf("{\"seconds\": %.6f, \"megabytes\": %.6f, \"megabytes_per_second\": %.0f}\n", took, mega,
           mega / took);
    hr_schema_free(schema);
    free(header);
    return 0;
}

int main(int argc, char **argv) {
    if (argc > 2) return bench_file(argv[1], atoi(argv[2]));
    size_t rows = argc > 1 ? strtoul(argv[1], NULL, 10) : 200000;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) bench(&shapes[i], rows);
}
