/* hedgerow federation: the files of a federation, and the inboxes at its broker. */
#include "commands.h"
#include "output.h"

#include <hedgerow/federation.h>
#include <limits.h>
#include <string.h>
#include <time.h>

enum { WHEN = 32 };

static void when_text(int64_t seconds, char text[WHEN]) {
    const time_t when = (time_t)seconds;
    struct tm parts;
    if (gmtime_r(&when, &parts) == NULL || strftime(text, WHEN, "%Y-%m-%dT%H:%M:%SZ", &parts) == 0)
        text[0] = '\0';
}

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
    {"url", 0, ARG_TEXT, true, AT(url), "URL",
     "of the broker, as members dial it: tls://HOST:PORT; three or five of a cluster, with commas between"},
};

/* Cuts NAME=KEY in two. */
static hr_new_member split_member(char *word) {
    char *equals = strchr(word, '=');
    if (equals != NULL) *equals = '\0';
    return (hr_new_member){.name = word, .key = equals == NULL ? NULL : equals + 1};
}

static void print_member(const char *folder, const hr_new_member *member) {
    fprintf(stderr, "%s/%s: for %s%s.\n", folder, member->name, member->name,
            member->key == NULL ? ", with a secret key: delete it here after sending it" : "");
}

static void print_what_next(const federation_init_args *args, const hr_new_member *members) {
    fprintf(
        stderr,
        "%s/broker: for the machine of the broker. Start it there, in that folder: nats-server -c nats.conf\n"
        "Then create the inboxes, here: hedgerow federation open %s\n",
        args->folder, args->folder);
    for (size_t i = 0; i < args->members.count; i++) print_member(args->folder, &members[i]);
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
    print_what_next(&args, members);
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
    .whole = true,
};

/* ---- Changes ---- */

typedef struct change_args {
    const char *folder;
    char *member;
} change_args;

#undef AT
#define AT(field) offsetof(change_args, field)

#define FOLDER_OPERAND                                                                                       \
    { "DIR", 0, ARG_OPERAND, true, AT(folder), NULL, "the folder that 'hedgerow federation init' made" }

/* What the founder has to do with the files that changed. */
static int print_version(const command *self, const change_args *args, const char *how_often) {
    char file[1024], fingerprint[HR_FINGERPRINT_TEXT];
    uint64_t version = 0;
    hr_error err = {0};
    snprintf(file, sizeof file, "%s/federation.yaml", args->folder);
    if (hr_federation_fingerprint(file, &version, fingerprint, &err) != HR_OK)
        return report_error(self->name, &err);
    fprintf(stderr,
            "version %llu, fingerprint %s\n"
            "%s/broker/nats.conf: for the broker, which reads it after: nats-server --signal reload%s\n"
            "Then adapt the inboxes, here: hedgerow federation open %s\n"
            "%s/federation.yaml: for every member, who starts its program again.\n",
            (unsigned long long)version, fingerprint, args->folder, how_often, args->folder, args->folder);
    return EXIT_DONE;
}

static const arg_option add_options[] = {
    FOLDER_OPERAND,
    {"member", 0, ARG_TEXT, true, AT(member), "NAME[=KEY]",
     "the new member, and its public key if it has made one; without a key, a secret key is made for it"},
};

static int run_federation_add(const command *self, int argc, char **argv) {
    change_args args = {0};
    if (!args_parse(self, argc, argv, &args)) return EXIT_USAGE;
    const hr_new_member member = split_member(args.member);
    hr_error err = {0};
    if (hr_federation_add(args.folder, &member, &err) != HR_OK) return report_error(self->name, &err);
    print_member(args.folder, &member);
    return print_version(self, &args, ", given twice: the second time connects the new member");
}

const command federation_add_command = {
    .name = "federation add",
    .summary = "add a member to a federation",
    .details =
        "Makes the member's folder, and changes federation.yaml, whose version goes up by one, and the "
        "broker's configuration.",
    .example = "  hedgerow federation add fed --member west",
    .options = add_options,
    .option_count = COUNT_OF(add_options),
    .run = run_federation_add,
    .whole = true,
};

static const arg_option remove_options[] = {
    FOLDER_OPERAND,
    {"member", 0, ARG_TEXT, true, AT(member), "NAME", "who leaves"},
};

static int run_federation_remove(const command *self, int argc, char **argv) {
    change_args args = {0};
    if (!args_parse(self, argc, argv, &args)) return EXIT_USAGE;
    hr_error err = {0};
    if (hr_federation_remove(args.folder, args.member, &err) != HR_OK) return report_error(self->name, &err);
    return print_version(self, &args, "");
}

const command federation_remove_command = {
    .name = "federation remove",
    .summary = "remove a member from a federation",
    .details =
        "Changes federation.yaml, whose version goes up by one, and the broker's configuration. When the "
        "broker reads it, the member's connection ends. The member's folder stays.",
    .example = "  hedgerow federation remove fed --member south",
    .options = remove_options,
    .option_count = COUNT_OF(remove_options),
    .run = run_federation_remove,
    .whole = true,
};

static const arg_option rekey_options[] = {
    FOLDER_OPERAND,
    {"member", 0, ARG_TEXT, true, AT(member), "NAME=KEY", "the member and its new public key"},
};

static int run_federation_rekey(const command *self, int argc, char **argv) {
    change_args args = {0};
    if (!args_parse(self, argc, argv, &args)) return EXIT_USAGE;
    const hr_new_member member = split_member(args.member);
    if (member.key == NULL) return usage_error(self->name, "--member needs a key: --member NAME=KEY");
    hr_error err = {0};
    if (hr_federation_rekey(args.folder, &member, &err) != HR_OK) return report_error(self->name, &err);
    return print_version(self, &args, "");
}

const command federation_rekey_command = {
    .name = "federation rekey",
    .summary = "replace a member's public key",
    .details = "Changes federation.yaml, whose version goes up by one. The member makes the new key with "
               "'hedgerow keygen'.",
    .example = "  hedgerow federation rekey fed --member north=hr-ed25519:...",
    .options = rekey_options,
    .option_count = COUNT_OF(rekey_options),
    .run = run_federation_rekey,
    .whole = true,
};

typedef struct renew_args {
    change_args change; /* first: FOLDER_OPERAND */
    arg_integer days;
    bool new_ca, drop_old_ca;
} renew_args;

static const arg_option renew_options[] = {
    FOLDER_OPERAND,
    {"member", 0, ARG_TEXT, false, AT(member), "NAME", "whose certificate: a member, 'broker' or 'admin'"},
    {"days", 0, ARG_INTEGER, false, offsetof(renew_args, days), "N",
     "how long the certificate holds: 1 to 3653, which is the default; not longer than the authority"},
    {"new-ca", 0, ARG_FLAG, false, offsetof(renew_args, new_ca), NULL,
     "make a new authority, beside the present one: certificates of both are valid"},
    {"drop-old-ca", 0, ARG_FLAG, false, offsetof(renew_args, drop_old_ca), NULL,
     "end the validity of the previous authority, once all certificates are of the new one"},
};

static bool print_renewed(void *name, const hr_certificate_info *certificate) {
    if (strcmp(certificate->name, "authority") == 0 && *certificate->remark)
        fprintf(stderr, "%s: %s\n", certificate->remark, certificate->remedy);
    if (strcmp(certificate->name, name) != 0) return true;
    char when[WHEN];
    when_text(certificate->ends, when);
    fprintf(stderr, "the certificate of %s holds until %.10s.\n", certificate->name, when);
    return false;
}

static int renew_certificate(const command *self, const renew_args *args) {
    const uint64_t days = args->days.given ? args->days.value : HR_RENEWAL_DAYS;
    const char *folder = args->change.folder;
    char *name = args->change.member;
    hr_error err = {0};
    hr_status status = hr_federation_renew(folder, name, days > UINT_MAX ? UINT_MAX : (unsigned)days, &err);
    if (status == HR_OK) status = hr_federation_certificates(folder, print_renewed, name, &err);
    return status == HR_OK ? EXIT_DONE : report_error(self->name, &err);
}

/* What the founder has to do with a change of authorities. */
static int print_authorities(const command *self, const renew_args *args, const char *then) {
    const char *folder = args->change.folder;
    fprintf(stderr, "%s/ca.pem: for the broker and for every member, beside federation.yaml.\n", folder);
    const int code = print_version(self, &args->change, "");
    if (code == EXIT_DONE) fprintf(stderr, "%s\n", then);
    return code;
}

static int run_federation_renew(const command *self, int argc, char **argv) {
    renew_args args = {0};
    hr_error err = {0};
    if (!args_parse(self, argc, argv, &args)) return EXIT_USAGE;
    if ((args.change.member != NULL) + args.new_ca + args.drop_old_ca != 1)
        return usage_error(self->name, "give one of --member NAME, --new-ca and --drop-old-ca");
    if (args.change.member != NULL) return renew_certificate(self, &args);
    if (args.days.given) return usage_error(self->name, "--days goes with --member");
    const hr_status status = args.new_ca ? hr_federation_renew_authority(args.change.folder, &err)
                                         : hr_federation_drop_authority(args.change.folder, &err);
    if (status != HR_OK) return report_error(self->name, &err);
    return print_authorities(self, &args,
                             args.new_ca
                                 ? "When all have both files: renew every certificate, that of the "
                                   "broker last, and end with --drop-old-ca."
                                 : "Certificates of the previous authority are refused from then on.");
}

const command federation_renew_command = {
    .name = "federation renew",
    .summary = "make a new certificate for a member or the broker",
    .details =
        "Replaces the certificate and its key in the folder. The broker accepts it under the same name; the "
        "old one stays valid until it expires. A new authority takes the three steps that "
        "docs/how-to/runbook.md shows: --new-ca, every certificate, --drop-old-ca.",
    .example = "  hedgerow federation renew fed --member north",
    .options = renew_options,
    .option_count = COUNT_OF(renew_options),
    .run = run_federation_renew,
    .whole = true,
};

/* ---- federation fingerprint ---- */

typedef struct fingerprint_args {
    const char *file;
} fingerprint_args;

static const arg_option fingerprint_options[] = {
    {"FILE", 0, ARG_OPERAND, true, offsetof(fingerprint_args, file), NULL, "a federation.yaml"},
};

static int run_federation_fingerprint(const command *self, int argc, char **argv) {
    fingerprint_args args = {0};
    if (!args_parse(self, argc, argv, &args)) return EXIT_USAGE;
    hr_error err = {0};
    uint64_t version = 0;
    char fingerprint[HR_FINGERPRINT_TEXT];
    if (hr_federation_fingerprint(args.file, &version, fingerprint, &err) != HR_OK)
        return report_error(self->name, &err);
    printf("version %llu, fingerprint %s\n", (unsigned long long)version, fingerprint);
    return EXIT_DONE;
}

const command federation_fingerprint_command = {
    .name = "federation fingerprint",
    .summary = "a short text that members compare: who takes part",
    .details =
        "It is the same where the name, the version, the broker, its authority (ca.pem beside the file) "
        "and the members with their keys are the same.",
    .example = "  hedgerow federation fingerprint north/federation.yaml",
    .options = fingerprint_options,
    .option_count = COUNT_OF(fingerprint_options),
    .run = run_federation_fingerprint,
};

/* ---- The inboxes ---- */

typedef struct inbox_args {
    const char *folder, *to, *from;
    bool as_json;
} inbox_args;

#undef AT
#define AT(field) offsetof(inbox_args, field)

static const arg_option open_options[] = {FOLDER_OPERAND};

static int run_federation_open(const command *self, int argc, char **argv) {
    inbox_args args = {0};
    if (!args_parse(self, argc, argv, &args)) return EXIT_USAGE;
    hr_error err = {0};
    return hr_federation_open(args.folder, &err) == HR_OK ? EXIT_DONE : report_error(self->name, &err);
}

const command federation_open_command = {
    .name = "federation open",
    .summary = "create the members' inboxes at a running broker",
    .details = "Run it after the broker's first start, and whenever members were added or removed. Existing "
               "inboxes keep their packets. Each inbox is then opened once with its member's certificate, if "
               "that is still in the folder: who cannot use an inbox is named, with the remedy.",
    .example = "  hedgerow federation open fed",
    .options = open_options,
    .option_count = COUNT_OF(open_options),
    .run = run_federation_open,
};

static const arg_option show_options[] = {
    FOLDER_OPERAND,
    {"json", 0, ARG_FLAG, false, AT(as_json), NULL, "one JSON object"},
};

static bool print_certificate(void *user, const hr_certificate_info *certificate) {
    (void)user;
    if (*certificate->remark) printf("%s: %s\n", certificate->remark, certificate->remedy);
    return true;
}

static bool print_waiting(void *user, const hr_waiting_packets *waiting) {
    char when[WHEN];
    bool *any = user;
    when_text(waiting->oldest, when);
    if (!*any) printf("%-32s  %-32s  %7s  %12s  %s\n", "inbox", "sender", "packets", "bytes", "oldest");
    *any = true;
    printf("%-32s  %-32s  %7llu  %12llu  %s\n", waiting->to, waiting->from,
           (unsigned long long)waiting->packets, (unsigned long long)waiting->bytes, when);
    return true;
}

/* Nothing is printed before the broker has answered. */
typedef struct waiting_list {
    json_writer json;
    bool begun;
} waiting_list;

static void begin_list(waiting_list *list) {
    if (list->begun) return;
    list->begun = true;
    json_open(&list->json, NULL, '{');
    json_open(&list->json, "waiting", '[');
}

static bool write_certificate(void *user, const hr_certificate_info *certificate) {
    char when[WHEN];
    json_writer *json = user;
    when_text(certificate->ends, when);
    json_open(json, NULL, '{');
    json_text(json, "name", certificate->name);
    json_text(json, "ends", when);
    json_text(json, "remark", certificate->remark);
    json_close(json, '}');
    return true;
}

static bool write_waiting(void *user, const hr_waiting_packets *waiting) {
    char when[WHEN];
    waiting_list *list = user;
    begin_list(list);
    when_text(waiting->oldest, when);
    json_open(&list->json, NULL, '{');
    json_text(&list->json, "to", waiting->to);
    json_text(&list->json, "from", waiting->from);
    json_integer(&list->json, "packets", waiting->packets);
    json_integer(&list->json, "bytes", waiting->bytes);
    json_text(&list->json, "oldest", when);
    json_close(&list->json, '}');
    return true;
}

static hr_status show_json(const char *folder, hr_error *err) {
    waiting_list list = {.json = {.out = stdout}};
    hr_status status = hr_federation_show(folder, write_waiting, &list, err);
    if (status != HR_OK) return status;
    begin_list(&list);
    json_close(&list.json, ']');
    json_open(&list.json, "certificates", '[');
    status = hr_federation_certificates(folder, write_certificate, &list.json, err);
    json_close(&list.json, ']');
    json_close(&list.json, '}');
    putchar('\n');
    return status;
}

static hr_status show_table(const char *folder, hr_error *err) {
    bool any = false;
    hr_status status = hr_federation_certificates(folder, print_certificate, NULL, err);
    if (status == HR_OK) status = hr_federation_show(folder, print_waiting, &any, err);
    if (status == HR_OK && !any) puts("no packets wait");
    return status;
}

static int run_federation_show(const command *self, int argc, char **argv) {
    inbox_args args = {0};
    if (!args_parse(self, argc, argv, &args)) return EXIT_USAGE;
    hr_error err = {0};
    const hr_status status = args.as_json ? show_json(args.folder, &err) : show_table(args.folder, &err);
    return status == HR_OK ? EXIT_DONE : report_error(self->name, &err);
}

const command federation_show_command = {
    .name = "federation show",
    .summary = "what waits in the inboxes at the broker, by inbox and sender",
    .details = "Certificates that expire within 60 days, or have expired, come first. Packets wait while "
               "their receiver does not run. The bytes are those of sealed packets; every "
               "packet is read once to add them up, and stays.",
    .example = "  hedgerow federation show fed",
    .options = show_options,
    .option_count = COUNT_OF(show_options),
    .run = run_federation_show,
};

static const arg_option purge_options[] = {
    FOLDER_OPERAND,
    {"to", 0, ARG_TEXT, true, AT(to), "NAME", "whose inbox"},
    {"from", 0, ARG_TEXT, false, AT(from), "NAME", "packets of this sender only; of all unless given"},
};

static int run_federation_purge(const command *self, int argc, char **argv) {
    inbox_args args = {0};
    if (!args_parse(self, argc, argv, &args)) return EXIT_USAGE;
    hr_error err = {0};
    uint64_t packets = 0;
    if (hr_federation_purge(args.folder, args.to, args.from, &packets, &err) != HR_OK)
        return report_error(self->name, &err);
    fprintf(stderr, "%llu packets deleted\n", (unsigned long long)packets);
    return EXIT_DONE;
}

const command federation_purge_command = {
    .name = "federation purge",
    .summary = "delete packets that wait in an inbox",
    .details = "Members that run send again what was not acknowledged, so a job loses nothing but time.",
    .example = "  hedgerow federation purge fed --to north --from south",
    .options = purge_options,
    .option_count = COUNT_OF(purge_options),
    .run = run_federation_purge,
};
