/* hedgerow methods: what can be trained, and how. */
#include "commands.h"
#include "output.h"

#include <hedgerow/fit.h>
#include <string.h>

typedef struct methods_args {
    const char *name;
    bool as_json;
} methods_args;

static const arg_option methods_options[] = {
    {"METHOD", 0, ARG_OPERAND, false, offsetof(methods_args, name), NULL,
     "show this method: options, defaults, paper, privacy"},
    {"json", 0, ARG_FLAG, false, offsetof(methods_args, as_json), NULL, "one JSON object"},
};

static void list_methods(void) {
    for (size_t i = 0; i < hr_method_count(); i++) {
        const hr_method_info *method = hr_method_at(i);
        printf("%-12s  ", method->name);
        print_wrapped(stdout, method->summary, 14);
    }
    printf("\n'hedgerow methods METHOD' shows one; 'hedgerow train' uses %s unless --method names another.\n",
           hr_default_method());
}

/* A paragraph under its title. */
static void print_titled(const char *title, const char *text) {
    if (text[0] == '\0') return;
    printf("\n%s\n    ", title);
    print_wrapped(stdout, text, 4);
}

static void print_method(const hr_method_info *method) {
    hr_option_info option;
    printf("%s: ", method->name);
    print_wrapped(stdout, method->summary, 0);
    print_titled("paper", method->paper);
    print_titled("sound mode", method->sound);
    print_titled(method->is_private ? "paper mode (not private)" : "not private", method->flaws);
    if (!hr_method_option(method, 0, &option)) return;
    printf("\n%-16s %-10s %-10s %s\n", "option", "default", "in paper", "allowed");
    for (size_t i = 0; hr_method_option(method, i, &option); i++) {
        printf("%-16s %-10s %-10s %s\n", option.name, option.sound[0] != '\0' ? option.sound : "-",
               option.paper[0] != '\0' ? option.paper : "-", option.range);
        printf("    ");
        print_wrapped(stdout, option.help, 4);
    }
}

/* ---- JSON ---- */

static void json_method(json_writer *json, const hr_method_info *method) {
    static const char *const capabilities[] = {
        [HR_CAN_WEIGH] = "weights",       [HR_CAN_CACHE] = "cache",      [HR_CAN_RANKS] = "ranks",
        [HR_CAN_START] = "start",         [HR_CAN_COUNT] = "counts",     [HR_CAN_TIME] = "times",
        [HR_CAN_QUANTILES] = "quantiles", [HR_CAN_MONOTONE] = "monotone"};
    hr_option_info option;
    json_open(json, NULL, '{');
    json_text(json, "name", method->name);
    json_text(json, "summary", method->summary);
    json_text(json, "paper", method->paper);
    json_flag(json, "private", method->is_private);
    json_text(json, "sound", method->sound);
    json_text(json, "flaws", method->flaws);
    json_open(json, "can", '[');
    for (int c = 0; c < HR_CAPABILITIES; c++)
        if (hr_method_can(method->name, (hr_capability)c)) json_text(json, NULL, capabilities[c]);
    json_close(json, ']');
    json_open(json, "options", '[');
    for (size_t i = 0; hr_method_option(method, i, &option); i++) {
        json_open(json, NULL, '{');
        json_text(json, "name", option.name);
        if (option.sound[0] != '\0') json_text(json, "default", option.sound);
        if (option.paper[0] != '\0') json_text(json, "default_in_paper", option.paper);
        json_text(json, "allowed", option.range);
        json_text(json, "help", option.help);
        json_close(json, '}');
    }
    json_close(json, ']');
    json_close(json, '}');
}

/* All methods if it is NULL. */
static void print_methods_json(const hr_method_info *method) {
    json_writer json = {.out = stdout};
    if (method != NULL) {
        json_method(&json, method);
    } else {
        json_open(&json, NULL, '{');
        json_text(&json, "default", hr_default_method());
        json_open(&json, "methods", '[');
        for (size_t i = 0; i < hr_method_count(); i++) json_method(&json, hr_method_at(i));
        json_close(&json, ']');
        json_close(&json, '}');
    }
    putchar('\n');
}

static int unknown_method(const command *self, const char *name) {
    const char *names[64];
    size_t count = 0;
    for (size_t i = 0; i < hr_method_count() && count < COUNT_OF(names); i++)
        names[count++] = hr_method_at(i)->name;
    const char *nearest = args_nearest(name, names, count);
    if (nearest == NULL)
        return usage_error(self->name, "no method is called '%s'; 'hedgerow methods' lists them", name);
    return usage_error(self->name, "no method is called '%s'; did you mean '%s'?", name, nearest);
}

static int run_methods(const command *self, int argc, char **argv) {
    methods_args args = {0};
    if (!args_parse(self, argc, argv, &args)) return EXIT_USAGE;
    const hr_method_info *method = args.name != NULL ? hr_method_find(args.name) : NULL;
    if (args.name != NULL && method == NULL) return unknown_method(self, args.name);
    if (args.as_json) {
        print_methods_json(method);
    } else if (method == NULL) {
        list_methods();
    } else {
        print_method(method);
    }
    return EXIT_DONE;
}

void methods_with_option(const char *option, char *text, size_t size) {
    size_t at = 0;
    for (size_t m = 0; m < hr_method_count(); m++) {
        hr_option_info info;
        size_t i = 0;
        while (hr_method_option(hr_method_at(m), i, &info) && strcmp(info.name, option) != 0) i++;
        if (!hr_method_option(hr_method_at(m), i, &info) || at >= size) continue;
        at += (size_t)snprintf(text + at, size - at, "%s%s", at > 0 ? ", " : "", hr_method_at(m)->name);
    }
}

const command methods_command = {
    .name = "methods",
    .summary = "list the methods; a method's options, defaults, paper and privacy",
    .details = "",
    .example = "  hedgerow methods hedge",
    .options = methods_options,
    .option_count = COUNT_OF(methods_options),
    .run = run_methods,
};
