#include "timings.h"

hr_status timings_begin(bool wanted, hr_timings **out, hr_error *err) {
    return wanted ? hr_timings_new(out, err) : HR_OK;
}

static void print_timing(FILE *out, const hr_timing *timing) {
    fprintf(out, "%-11s  %11.6f  %11.6f\n", timing->name, timing->wall, timing->processor);
}

void print_timings(FILE *out, hr_timings *timings) {
    hr_timing total, timing;
    if (timings == NULL) return;
    hr_timings_total(timings, &total);
    fprintf(out, "%-11s  %11s  %11s\n", "phase", "seconds", "processor");
    for (size_t i = 0; hr_timings_at(timings, i, &timing); i++) print_timing(out, &timing);
    print_timing(out, &total);
}

static void json_seconds(json_writer *json, const hr_timing *timing) {
    json_number(json, "seconds", timing->wall);
    json_number(json, "processor", timing->processor);
}

void json_timings(json_writer *json, hr_timings *timings) {
    hr_timing total, timing;
    if (timings == NULL) return;
    hr_timings_total(timings, &total);
    json_open(json, "timings", '{');
    json_seconds(json, &total);
    json_open(json, "phases", '[');
    for (size_t i = 0; hr_timings_at(timings, i, &timing); i++) {
        json_open(json, NULL, '{');
        json_text(json, "phase", timing.name);
        json_seconds(json, &timing);
        json_close(json, '}');
    }
    json_close(json, ']');
    json_close(json, '}');
}

void print_timings_json(FILE *out, hr_timings *timings) {
    json_writer json = {.out = out};
    if (timings == NULL) return;
    json_open(&json, NULL, '{');
    json_timings(&json, timings);
    json_close(&json, '}');
    fputc('\n', out);
}
