/* The files of a new federation. Everything is made from nothing, and removed again if anything fails:
 * half a federation, with half of its secrets, is of no use. */
#include "base/fail.h"
#include "federation/config/federation_dir.h"
#include "federation/transport/broker.h"

#include <assert.h>
#include <stdlib.h>

static hr_status make_configs(hr_federation_writer *w, const hr_broker_address *address) {
    hr_status status = HR_OK;
    for (size_t i = 0; !status && i < address->count; i++) {
        char *config = NULL, name[HR_BROKER_CONFIG];
        hr_broker_config_name(i, name);
        status = hr_writer_config(w, address, i, &config);
        if (!status) status = hr_writer_file(w, "broker", name, HR_PUBLIC_RIGHTS, config);
        free(config);
    }
    return status;
}

static hr_status make_broker(hr_federation_writer *w, const hr_broker_address *address,
                             const hr_authority *authority, const char *authority_text) {
    const char *hosts = hr_writer_hosts(w, address);
    hr_status status = hosts ? hr_writer_folder(w, "broker") : hr_fail_memory(w->err);
    if (!status) status = make_configs(w, address);
    if (!status) status = hr_writer_file(w, "broker", "ca.pem", HR_PUBLIC_RIGHTS, authority_text);
    if (!status)
        status = hr_writer_certificate(w, authority, HR_CERTIFICATE_SERVER, hosts, "broker", "server");
    if (!status)
        status = hr_writer_certificate(w, authority, HR_CERTIFICATE_CLIENT, HR_BROKER_ADMIN, "broker",
                                       HR_BROKER_ADMIN);
    return status;
}

static hr_status make_federation_files(hr_federation_writer *w, const hr_broker_address *address,
                                       const hr_authority *authority, const hr_certificate *own) {
    char *federation = NULL;
    w->keys = hr_arena_alloc(w->arena, w->options->member_count, sizeof *w->keys);
    hr_status status = hr_writer_folder(w, "");
    if (!status && !w->keys) status = hr_fail_memory(w->err);
    for (size_t i = 0; !status && i < w->options->member_count; i++) status = hr_writer_member(w, i);
    if (!status) status = hr_writer_render(w, &federation);
    if (!status) status = hr_writer_public(w, "", federation, own->certificate);
    if (!status) status = hr_writer_folder(w, "authority");
    if (!status) status = hr_writer_file(w, "authority", "ca-key.pem", HR_SECRET_RIGHTS, own->key);
    if (!status) status = make_broker(w, address, authority, own->certificate);
    for (size_t i = 0; !status && i < w->options->member_count; i++) {
        const char *name = w->options->members[i].name;
        status = hr_writer_public(w, name, federation, own->certificate);
        if (!status) status = hr_writer_certificate(w, authority, HR_CERTIFICATE_CLIENT, name, name, "tls");
    }
    free(federation);
    return status;
}

hr_status hr_federation_init(const char *folder, const hr_federation_options *options, hr_error *err) {
    static const hr_sized kind = {sizeof *options, sizeof *options,
                                  "set size to sizeof(hr_federation_options)"};
    hr_federation_options ours = {0};
    assert(folder && *folder && options);
    hr_status status = hr_sized_take(&kind, options, &ours, err);
    if (status) return status;
    assert(ours.name && ours.url && (ours.members || !ours.member_count));
    hr_broker_address address;
    status = hr_writer_check(&ours, &address, err);
    if (status) return status;
    hr_federation_writer w = {
        .options = &ours, .version = 1, .root = folder, .arena = hr_arena_new(), .err = err};
    hr_authority *authority = NULL;
    hr_certificate own = {0};
    status = w.arena ? hr_authority_make(ours.name, &authority, err) : hr_fail_memory(err);
    if (!status) status = hr_authority_write(authority, &own, err);
    if (!status) status = make_federation_files(&w, &address, authority, &own);
    if (status) hr_writer_undo(&w);
    hr_certificate_done(&own);
    hr_authority_free(authority);
    hr_arena_free(w.arena);
    return status;
}
