/* hedgerow federation init, open: the files of a federation, and the inboxes at its broker. */
#include "commands.h"
#include "output.h"

#include <hedgerow/federation.h>
#include <string.h>

/* ---- federation init ---- */

typedef struct federation_init_args {
    const char *folder, *name, *url;
    arg_list members;
} federation_init_args;

#define AT(field) offsetof(federation_init_args, field)

static const arg_option init_options[] = {
    {"DIR", 0, ARG_OPERAND, true, AT(folder), NULL, "the folder to make; it must not exist"},
    {"name", 0, ARG_TEXT, true, AT(name), "NAME", "of the federation: small letters, digits and '-'"},
    {"member", 0, ARG_LIST, true, AT(members), "NAME[=KEY]",
     "a member, and its public key if it has made one; without a key, a secret key is made for it. Given "
     "once for each"},
    {"url", 0, ARG_TEXT, true, AT(url), "URL", "of the broker, as members dial it: tls://HOST:PORT"},
};

/* Cuts NAME=KEY in two. */
static hr_new_member split_member(char *word) {
    char *equals = strchr(word, '=');
    if (equals != NULL) *equals = '\0';
    return (hr_new_member){.name = word, .key = equals == NULL ? NULL : equals + 1};
}

static void tell_what_next(const federation_init_args *args, const hr_new_member *members) {
    fprintf(
        stderr,
        "%s/broker: for the machine of the broker. Start it there, in that folder: nats-server -c nats.conf\n"
        "Then create the inboxes, here: hedgerow federation open %s\n",
        args->folder, args->folder);
    for (size_t i = 0; i < args->members.count; i++) {
        fprintf(stderr, "%s/%s: for %s%s.\n", args->folder, members[i].name, members[i].name,
                members[i].key == NULL ? ", with a secret key: delete it here after sending it" : "");
    }
    fprintf(stderr, "%s/authority: keep it secret; its key can sign certificates of new members.\n",
            args->folder);
}

static int run_federation_init(const command *self, int argc, char **argv) {
    federation_init_args args = {0};
    if (!args_parse(self, argc, argv, &args)) return EXIT_USAGE;
    hr_new_member members[ARG_LIST_MAX];
    for (size_t i = 0; i < args.members.count; i++) members[i] = split_member(args.members.items[i]);
    const hr_federation_options options = {.size = sizeof options,
                                           .name = args.name,
                                           .url = args.url,
                                           .members = members,
                                           .member_count = args.members.count};
    hr_error err = {0};
    if (hr_federation_init(args.folder, &options, &err) != HR_OK) return report_error(self->name, &err);
    tell_what_next(&args, members);
    return EXIT_DONE;
}

const command federation_init_command = {
    .name = "federation init",
    .summary = "make the files of a federation, of its broker and of its members",
    .details = "It is safer if members make their own keys ('hedgerow keygen') and send the public ones: "
               "then nobody else ever holds their secret keys.",
    .example = "  hedgerow federation init fed --name demo --url tls://localhost:4222 --member coordinator "
               "--member north --member south",
    .options = init_options,
    .option_count = COUNT_OF(init_options),
    .run = run_federation_init,
};

/* ---- federation open ---- */

typedef struct federation_open_args {
    const char *folder;
} federation_open_args;

static const arg_option open_options[] = {
    {"DIR", 0, ARG_OPERAND, true, offsetof(federation_open_args, folder), NULL,
     "the folder that 'hedgerow federation init' made"},
};

static int run_federation_open(const command *self, int argc, char **argv) {
    federation_open_args args = {0};
    if (!args_parse(self, argc, argv, &args)) return EXIT_USAGE;
    hr_error err = {0};
    return hr_federation_open(args.folder, &err) == HR_OK ? EXIT_DONE : report_error(self->name, &err);
}

const command federation_open_command = {
    .name = "federation open",
    .summary = "create the members' inboxes at a running broker",
    .details = "Run it once after the broker's first start. Running it again changes nothing: existing "
               "inboxes keep their packets.",
    .example = "  hedgerow federation open fed",
    .options = open_options,
    .option_count = COUNT_OF(open_options),
    .run = run_federation_open,
};
