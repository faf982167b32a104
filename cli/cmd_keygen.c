/* hedgerow keygen: the key that a member of a federation is known by. */
#include "commands.h"
#include "output.h"
#include "secrets.h"

#include <hedgerow/federation.h>

typedef struct keygen_args {
    const char *path, *of;
    bool as_json;
} keygen_args;

#define AT(field) offsetof(keygen_args, field)

static const arg_option keygen_options[] = {
    {"FILE", 0, ARG_OPERAND, false, AT(path), NULL, "where the new secret key goes"},
    {"public", 0, ARG_TEXT, false, AT(of), "FILE", "print the public key of this secret key instead"},
    {"json", 0, ARG_FLAG, false, AT(as_json), NULL, "one JSON object"},
};

static void print_key(const char *file, const char *public_key, bool as_json) {
    if (!as_json) {
        puts(public_key);
        return;
    }
    json_writer json = {.out = stdout};
    json_open(&json, NULL, '{');
    json_text(&json, "file", file);
    json_text(&json, "public_key", public_key);
    json_close(&json, '}');
    putchar('\n');
}

static int run_keygen(const command *self, int argc, char **argv) {
    keygen_args args = {0};
    if (!args_parse(self, argc, argv, &args)) return EXIT_USAGE;
    if (!args.path == !args.of)
        return usage_error(self->name, "give either a FILE for a new key, or --public FILE");
    secrets_guard();
    hr_error err = {0};
    char public_key[HR_KEY_TEXT];
    const hr_status status =
        args.of ? hr_key_public(args.of, public_key, &err) : hr_key_create(args.path, public_key, &err);
    if (status != HR_OK) return report_error(self->name, &err);
    print_key(args.of ? args.of : args.path, public_key, args.as_json);
    return EXIT_DONE;
}

const command keygen_command = {
    .name = "keygen",
    .summary = "make the key of a member of a federation",
    .details = "The file holds the secret key: it stays on this machine, and only you may read it. The "
               "public key is printed; it goes into the federation file. An existing file is not changed.",
    .example = "  hedgerow keygen hospital-a.key\n  hedgerow keygen --public hospital-a.key",
    .options = keygen_options,
    .option_count = COUNT_OF(keygen_options),
    .run = run_keygen,
    .whole = true,
};
