/* Parsing by table. It is strict (no abbreviations, nothing twice, numbers to their last character): a
 * mistyped option of a training run can cost privacy budget that does not come back. */
#include "args.h"

#include "output.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct option_parser {
    const command *self;
    unsigned char *target;
    bool seen[ARG_OPTIONS_MAX];
    int argc, next;
    char **argv;
} option_parser;

static bool is_switch(const arg_option *option) {
    return option->kind != ARG_OPERAND;
}

static bool bad_value(const option_parser *p, const arg_option *option, const char *value,
                      const char *wanted) {
    usage_error(p->self->name, "--%s: '%s' is not %s", option->name, value, wanted);
    return false;
}

static bool set_integer_option(const option_parser *p, const arg_option *option, const char *value,
                               arg_integer *out) {
    char *end = NULL;
    errno = 0;
    const unsigned long long number = strtoull(value, &end, 10);
    if (value[0] < '0' || value[0] > '9' || *end != '\0' || errno != 0)
        return bad_value(p, option, value, "an integer from 0 to 2^64 - 1");
    *out = (arg_integer){.value = number, .given = true};
    return true;
}

static bool set_real(const option_parser *p, const arg_option *option, const char *value, arg_real *out) {
    char *end = NULL;
    const double number = strtod(value, &end);
    const bool plain = strspn(value, "0123456789+-.eE") == strlen(value);
    if (end == value || *end != '\0' || !plain || !isfinite(number))
        return bad_value(p, option, value, "a finite decimal number");
    *out = (arg_real){.value = number, .given = true};
    return true;
}

static bool set_choice(const option_parser *p, const arg_option *option, const char *value, size_t *out) {
    const size_t length = strlen(value);
    const char *word = option->value;
    for (size_t index = 0;; index++) {
        const size_t size = strcspn(word, "|");
        if (size == length && memcmp(word, value, length) == 0) {
            *out = index;
            return true;
        }
        if (word[size] == '\0') break;
        word += size + 1;
    }
    char wanted[128];
    snprintf(wanted, sizeof wanted, "one of %s", option->value);
    return bad_value(p, option, value, wanted);
}

static bool add_setting(const option_parser *p, const char *name, const char *value, arg_settings *out) {
    for (size_t i = 0; i < out->count; i++) {
        if (strcmp(out->items[i].name, name) == 0) {
            usage_error(p->self->name, "'%s' is set twice; give it once", name);
            return false;
        }
    }
    if (out->count == ARG_SETTINGS_MAX) {
        usage_error(p->self->name, "more than %d options of the method", ARG_SETTINGS_MAX);
        return false;
    }
    out->items[out->count++] = (arg_setting){name, value};
    return true;
}

static bool add_pair(const option_parser *p, const arg_option *option, char *value, arg_settings *out) {
    char *equals = strchr(value, '=');
    if (equals == NULL || equals == value) return bad_value(p, option, value, "of the form NAME=VALUE");
    *equals = '\0';
    return add_setting(p, value, equals + 1, out);
}

static bool refuse_empty(const option_parser *p, const arg_option *option) {
    usage_error(p->self->name, "%s%s is empty", is_switch(option) ? "--" : "", option->name);
    return false;
}

static bool add_item(const option_parser *p, const arg_option *option, char *value, arg_list *out) {
    if (value[0] == '\0') return refuse_empty(p, option);
    if (out->count == ARG_LIST_MAX) {
        usage_error(p->self->name, "--%s is given more than %d times", option->name, ARG_LIST_MAX);
        return false;
    }
    out->items[out->count++] = value;
    return true;
}

static bool set_value_arguments(const option_parser *p, const arg_option *option, char *value) {
    void *target = p->target + option->offset;
    switch (option->kind) {
    case ARG_FLAG:
    case ARG_WAIVER: *(bool *)target = true; return true;
    case ARG_INTEGER: return set_integer_option(p, option, value, target);
    case ARG_REAL: return set_real(p, option, value, target);
    case ARG_CHOICE: return set_choice(p, option, value, target);
    case ARG_SETTING: return add_setting(p, option->name, value, target);
    case ARG_PAIR: return add_pair(p, option, value, target);
    case ARG_LIST: return add_item(p, option, value, target);
    case ARG_TEXT:
    case ARG_MODEL:
    case ARG_OPERAND: break;
    }
    if (value[0] == '\0') return refuse_empty(p, option);
    *(const char **)target = value;
    return true;
}

static bool takes_value(const arg_option *option) {
    return option->kind != ARG_FLAG && option->kind != ARG_WAIVER;
}

/* --out is --output, whichever of the two a command has; a model is an operand or --model. */
static bool is_synonym(const arg_option *option, const char *name, size_t length) {
    if (is_switch(option))
        return strcmp(option->name, "output") == 0 && length == strlen("out") &&
               memcmp(name, "out", length) == 0;
    return strcmp(option->name, "MODEL") == 0 && length == strlen("model") &&
           memcmp(name, "model", length) == 0;
}

static size_t find_option(const command *self, const char *name, size_t length) {
    size_t i = 0;
    for (; i < self->option_count; i++) {
        const arg_option *option = &self->options[i];
        if (is_switch(option) && strlen(option->name) == length && memcmp(option->name, name, length) == 0)
            break;
        if (is_synonym(option, name, length)) break;
    }
    return i;
}

static bool unknown_option(const option_parser *p, const char *word) {
    const char *names[ARG_OPTIONS_MAX + 1];
    size_t count = 0;
    names[count++] = "help";
    for (size_t i = 0; i < p->self->option_count; i++) {
        if (is_switch(&p->self->options[i])) names[count++] = p->self->options[i].name;
    }
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(word, "="), word);
    const char *nearest = args_nearest(name + strspn(name, "-"), names, count);
    if (nearest != NULL) {
        usage_error(p->self->name, "unknown option '%s'; did you mean '--%s'?", name, nearest);
    } else {
        usage_error(p->self->name, "unknown option '%s'", name);
    }
    return false;
}

/* The option's value: what follows '=', or the next word. */
static bool take_value(option_parser *p, const arg_option *option, char *attached, char **value) {
    if (!takes_value(option)) {
        if (attached == NULL) return true;
        usage_error(p->self->name, "--%s takes no value", option->name);
        return false;
    }
    if (attached == NULL && p->next == p->argc) {
        usage_error(p->self->name, "--%s needs a value: --%s %s", option->name, option->name, option->value);
        return false;
    }
    *value = attached != NULL ? attached : p->argv[p->next++];
    return true;
}

static bool parse_option(option_parser *p, char *word) {
    char *attached = NULL;
    size_t index;
    if (word[1] == '-') {
        const size_t length = strcspn(word + 2, "=");
        index = find_option(p->self, word + 2, length);
        if (word[2 + length] == '=') attached = word + 2 + length + 1;
    } else {
        const bool is_letter = word[2] == '\0';
        for (index = 0; index < p->self->option_count; index++)
            if (is_letter && p->self->options[index].letter == word[1]) break;
    }
    if (index == p->self->option_count) return unknown_option(p, word);
    const arg_option *option = &p->self->options[index];
    if (p->seen[index] && option->kind != ARG_PAIR && option->kind != ARG_LIST) {
        usage_error(p->self->name, "%s%s is given twice", is_switch(option) ? "--" : "", option->name);
        return false;
    }
    p->seen[index] = true;
    char *value = NULL;
    return take_value(p, option, attached, &value) && set_value_arguments(p, option, value);
}

static bool parse_operand(option_parser *p, char *word) {
    for (size_t i = 0; i < p->self->option_count; i++) {
        if ((is_switch(&p->self->options[i]) && p->self->options[i].kind != ARG_MODEL) || p->seen[i])
            continue;
        p->seen[i] = true;
        return set_value_arguments(p, &p->self->options[i], word);
    }
    usage_error(p->self->name, "'%s' is one word too many", word);
    return false;
}

static bool nothing_missing(const option_parser *p) {
    bool operands_only = false;
    for (size_t i = 0; i < p->self->option_count; i++)
        operands_only |= p->seen[i] && p->self->options[i].kind == ARG_WAIVER;
    for (size_t i = 0; i < p->self->option_count; i++) {
        const arg_option *option = &p->self->options[i];
        if (!option->required || p->seen[i] || (operands_only && is_switch(option))) continue;
        if (is_switch(option)) {
            usage_error(p->self->name, "--%s %s is required", option->name, option->value);
        } else {
            usage_error(p->self->name, "%s is required", option->name);
        }
        return false;
    }
    return true;
}

bool args_parse(const command *self, int argc, char **argv, void *target) {
    option_parser p = {.self = self, .target = target, .argc = argc, .argv = argv};
    bool operands_only = false;
    if (self->option_count > ARG_OPTIONS_MAX) abort();
    while (p.next < p.argc) {
        char *word = p.argv[p.next++];
        if (!operands_only && strcmp(word, "--") == 0) {
            operands_only = true;
        } else if (!operands_only && word[0] == '-' && word[1] != '\0') {
            if (!parse_option(&p, word)) return false;
        } else if (!parse_operand(&p, word)) {
            return false;
        }
    }
    return nothing_missing(&p);
}

bool args_want_help(int argc, char **argv) {
    for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) return true;
    }
    return false;
}

/* ---- Help ---- */

static void option_label(const arg_option *option, char *label, size_t size) {
    char letter[8] = "";
    if (option->letter != '\0') snprintf(letter, sizeof letter, "-%c, ", option->letter);
    const bool bare = !takes_value(option) || !is_switch(option);
    snprintf(label, size, "%s%s%s%s%s", letter, is_switch(option) ? "--" : "", option->name, bare ? "" : " ",
             bare ? "" : option->value);
}

static void print_synopsis(const command *self) {
    printf("usage: hedgerow %s", self->name);
    bool optional = false;
    for (size_t i = 0; i < self->option_count; i++) {
        const arg_option *option = &self->options[i];
        if (!is_switch(option)) continue;
        if (option->required) printf(" --%s %s", option->name, option->value);
        optional = optional || !option->required;
    }
    if (optional) fputs(" [options]", stdout);
    for (size_t i = 0; i < self->option_count; i++) {
        const arg_option *option = &self->options[i];
        if (!is_switch(option)) printf(option->required ? " %s" : " [%s]", option->name);
    }
    putchar('\n');
}

/* A label that is wider stands out of its column; its help must be short. */
enum { LABEL_WIDTH_MAX = 32 };

static void print_option(const arg_option *option, int width, const char *help) {
    char label[80];
    option_label(option, label, sizeof label);
    printf("  %-*s  ", width, label);
    print_wrapped(stdout, help, (size_t)width + 4);
}

/* Whether an option stands among those of methods. */
static bool is_grouped(const command *self, const arg_option *option) {
    return self->name_methods != NULL && option->kind == ARG_SETTING;
}

static void print_method_options(const command *self, int width) {
    char help[600];
    puts("\noptions of methods, with the methods that have them; 'hedgerow methods NAME' lists all that one "
         "has:");
    for (size_t i = 0; i < self->option_count; i++) {
        const arg_option *option = &self->options[i];
        if (!is_grouped(self, option)) continue;
        const int size = snprintf(help, sizeof help, "%s: ", option->help);
        self->name_methods(option->name, help + size, sizeof help - (size_t)size);
        print_option(option, width, help);
    }
}

void args_print_help(const command *self) {
    char label[80];
    size_t widest = strlen("-h, --help");
    print_synopsis(self);
    putchar('\n');
    print_wrapped(stdout, self->summary, 0);
    if (self->details[0] != '\0') {
        putchar('\n');
        print_wrapped(stdout, self->details, 0);
    }
    puts("\noptions:");
    for (size_t i = 0; i < self->option_count; i++) {
        option_label(&self->options[i], label, sizeof label);
        if (strlen(label) > widest && strlen(label) <= LABEL_WIDTH_MAX) widest = strlen(label);
    }
    const int width = (int)widest;
    for (size_t i = 0; i < self->option_count; i++)
        if (!is_grouped(self, &self->options[i]))
            print_option(&self->options[i], width, self->options[i].help);
    printf("  %-*s  print this\n", width, "-h, --help");
    if (self->name_methods != NULL) print_method_options(self, width);
    if (self->print_exits != NULL) self->print_exits();
    printf("\nexample:\n%s\n", self->example);
}
