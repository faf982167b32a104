/* Writes a table as people have them, for readers to be timed on: dates, texts with and without quotation
 * marks, numbers. The same arguments give the same bytes.
 *
 * usage: bench_texts FILE.csv ROWS
 * The first letter of a column's name says what it is: d a day (YYYY-MM-DD), q a text in quotation marks
 * (some with commas, a few with marks inside), t a text without, x a number; y is the label, 0 or 1. Some
 * cells are empty. A record has about 130 bytes. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { DATES = 2, QUOTED = 3, PLAIN = 4, NUMBERS = 4, MOST_VALUES = 200 };

static uint64_t next(uint64_t *state) {
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static unsigned below(uint64_t *state, unsigned limit) {
    return (unsigned)((next(state) >> 32) * limit >> 32);
}

static void write_date(FILE *file, uint64_t *state) {
    const unsigned year = 2005 + below(state, 20), month = 1 + below(state, 12), day = 1 + below(state, 28);
    if (below(state, 50)) fprintf(file, "%u-%02u-%02u", year, month, day);
}

/* Value `v` of a column: the same text each time. */
static void write_text(FILE *file, unsigned column, unsigned v) {
    static const char *const begins[] = {"Nor", "Ober", "St. ", "Alt", "Lim", "Wies", "Gross", "Ka"},
                             *const ends[] = {"heim", "dorf", "bach", "ingen", "au", "berg und Tal", "hof"};
    fprintf(file, "%s%s %u", begins[(v + column) % 8], ends[v / 8 % 7], v);
}

static void write_quoted(FILE *file, uint64_t *state, unsigned column) {
    const unsigned v = below(state, MOST_VALUES);
    putc('"', file);
    write_text(file, column, v);
    if (v % 4 == 1) fprintf(file, ", %u", column);
    if (v % 50 == 7) fprintf(file, " \"\"%u\"\"", v % 3);
    putc('"', file);
}

static void write_plain(FILE *file, uint64_t *state, unsigned column) {
    static const unsigned values[PLAIN] = {MOST_VALUES, 30, 5, 3};
    static const char *const words[] = {"never", "weekly", "daily", "monthly", "yearly"};
    const unsigned v = below(state, values[column]);
    if (!below(state, 40)) return;
    if (column < 2)
        write_text(file, column, v);
    else
        fputs(words[v], file);
}

static void write_number(FILE *file, uint64_t *state, unsigned column) {
    const unsigned v = below(state, 1000000);
    if (column == 0)
        fprintf(file, "%u", v % 100);
    else if (column == 1)
        fprintf(file, "%u.%02u", v / 1000, v % 100);
    else
        fprintf(file, "%s%u.%04u", v & 1 ? "-" : "", v % 7, v / 100);
}

static void write_record(FILE *file, uint64_t *state) {
    for (unsigned i = 0; i < DATES; i++, putc(',', file)) write_date(file, state);
    for (unsigned i = 0; i < QUOTED; i++, putc(',', file)) write_quoted(file, state, i);
    for (unsigned i = 0; i < PLAIN; i++, putc(',', file)) write_plain(file, state, i);
    for (unsigned i = 0; i < NUMBERS; i++, putc(',', file)) write_number(file, state, i);
    fprintf(file, "%u\n", below(state, 2));
}

int main(int argc, char **argv) {
    FILE *file = argc == 3 ? fopen(argv[1], "wb") : NULL;
    if (!file) {
        fprintf(stderr, "usage: bench_texts FILE.csv ROWS\n");
        return 2;
    }
    uint64_t state = 1;
    fputs("d0,d1,q0,q1,q2,t0,t1,t2,t3,x0,x1,x2,x3,y\n", file);
    for (unsigned long rows = strtoul(argv[2], NULL, 10); rows; rows--) write_record(file, &state);
    if (!fclose(file)) return 0;
    fprintf(stderr, "bench_texts: cannot write %s\n", argv[1]);
    return 1;
}
