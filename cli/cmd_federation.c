/* hedgerow federation init, open: the files of a federation, and the boxes at its broker. */
#include "commands.h"
#include "output.h"

#include <hedgerow/federation.h>
#include <string.h>

/* ---- federation init ------------------------------------------------------------------------------------------------ */

typedef struct init_args {
    const char *folder, *name, *url;
    arg_list members;
} init_args;

#define AT(field) offsetof(init_args, field)

static const arg_option init_options[] = {
    {"DIR", 0, ARG_OPERAND, true, AT(folder), NULL, "the folder to make; it must not exist"},
    {"name", 0, ARG_TEXT, true, AT(name), "NAME", "of the federation: small letters, digits and '-'"},
    {"member", 0, ARG_LIST, true, AT(members), "NAME[=KEY]",
     "a member, and her public key if she has made one; without, a secret key is made for her. Given once for each"},
    {"url", 0, ARG_TEXT, true, AT(url), "URL", "of the broker, as members dial it: tls://HOST:PORT"},
};

/* Cuts NAME=KEY in two. */
static hr_new_member split_member(char *word) {
    char *equals = strchr(word, '=');
    if (equals != NULL) *equals = '\0';
    return (hr_new_member){.name = word, .key = equals == NULL ? NULL : equals + 1};
}

static void tell_what_next(const init_args *args, const hr_new_member *members) {
    fprintf(stderr,
            "%s/broker goes to the machine of the broker. Start it there, in that folder: nats-server -c nats.conf\n"
            "Then make the boxes, here: hedgerow federation open %s\n",
            args->folder, args->folder);
    for (size_t i = 0; i < args->members.count; i++) {
        fprintf(stderr, "%s/%s goes to %s%s.\n", args->folder, members[i].name, members[i].name,
                members[i].key == NULL ? ", with a secret key: delete it here once she has it" : "");
    }
    fprintf(stderr, "%s/authority stays secret: who holds it can let others connect.\n", args->folder);
}

static int run_init(const command *self, int argc, char **argv) {
    init_args args = {0};
    if (!args_parse(self, argc, argv, &args)) return EXIT_USAGE;
    hr_new_member members[ARG_LIST_MAX];
    for (size_t i = 0; i < args.members.count; i++) members[i] = split_member(args.members.items[i]);
    const hr_federation_options options = {
        .size = sizeof options, .name = args.name, .url = args.url, .members = members, .member_count = args.members.count};
    hr_error err = {0};
    if (hr_federation_init(args.folder, &options, &err) != HR_OK) return report_error(self->name, &err);
    tell_what_next(&args, members);
    return EXIT_DONE;
}

const command federation_init_command = {
    .name = "federation init",
    .summary = "make the files of a federation, of its broker and of its members",
    .details = "Members do best to make their own keys ('hedgerow keygen') and to send the public one: then nobody else ever holds "
               "their secret.",
    .example = "  hedgerow federation init fed --name demo --url tls://localhost:4222 --member miner --member north --member south",
    .options = init_options,
    .option_count = COUNT_OF(init_options),
    .run = run_init,
};

/* ---- federation open ------------------------------------------------------------------------------------------------ */

typedef struct open_args {
    const char *folder;
} open_args;

static const arg_option open_options[] = {
    {"DIR", 0, ARG_OPERAND, true, offsetof(open_args, folder), NULL, "the folder that 'hedgerow federation init' made"},
};

static int run_open(const command *self, int argc, char **argv) {
    open_args args = {0};
    if (!args_parse(self, argc, argv, &args)) return EXIT_USAGE;
    hr_error err = {0};
    return hr_federation_open(args.folder, &err) == HR_OK ? EXIT_DONE : report_error(self->name, &err);
}

const command federation_open_command = {
    .name = "federation open",
    .summary = "make the members' boxes at a broker that runs",
    .details = "Once after the broker's first start. What is there already keeps its parcels, so it does no harm again.",
    .example = "  hedgerow federation open fed",
    .options = open_options,
    .option_count = COUNT_OF(open_options),
    .run = run_open,
};
