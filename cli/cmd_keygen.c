/* hedgerow keygen: the key that a member of a federation is known by, or that of ranks of one owner. */
#include "commands.h"
#include "output.h"
#include "secrets.h"

#include <hedgerow/cluster.h>
#include <hedgerow/federation.h>

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

typedef struct keygen_args {
    const char *path, *of, *link;
    bool as_json;
} keygen_args;

#define AT(field) offsetof(keygen_args, field)

static const arg_option keygen_options[] = {
    {"FILE", 0, ARG_OPERAND, false, AT(path), NULL, "where the new secret key goes"},
    {"public", 0, ARG_TEXT, false, AT(of), "FILE", "print the public key of this secret key instead"},
    {"link", 0, ARG_TEXT, false, AT(link), "FILE",
     "make the secret of a job of 'train --link' there instead: it goes to all ranks, and to nobody else"},
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

/* No other key has a public part. */
static hr_status create_link_key(const char *path, hr_error *err) {
    char key[HR_CLUSTER_KEY_TEXT];
    hr_status status = hr_cluster_key(key, err);
    if (status != HR_OK) return status;
    const int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file >= 0 && dprintf(file, "%s\n", key) == HR_CLUSTER_KEY_TEXT && close(file) == 0) return HR_OK;
    *err = (hr_error){.status = HR_E_IO};
    snprintf(err->file, sizeof err->file, "%s", path);
    snprintf(err->message, sizeof err->message, "cannot write the key: %s", strerror(errno));
    snprintf(err->remedy, sizeof err->remedy, "choose a new name; an existing file is never overwritten");
    return HR_E_IO;
}

static int run_keygen(const command *self, int argc, char **argv) {
    keygen_args args = {0};
    if (!args_parse(self, argc, argv, &args)) return EXIT_USAGE;
    if ((args.path != NULL) + (args.of != NULL) + (args.link != NULL) != 1)
        return usage_error(self->name, "give either a FILE for a new key, or --public FILE, or --link FILE");
    secrets_guard();
    hr_error err = {0};
    if (args.link != NULL)
        return create_link_key(args.link, &err) == HR_OK ? EXIT_DONE : report_error(self->name, &err);
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
    .example = "  hedgerow keygen hospital-a.key\n  hedgerow keygen --public hospital-a.key\n  hedgerow "
               "keygen --link job.key",
    .options = keygen_options,
    .option_count = COUNT_OF(keygen_options),
    .run = run_keygen,
    .whole = true,
};
