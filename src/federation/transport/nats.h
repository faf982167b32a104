/* A transport for organisations: a NATS JetStream broker, which every member connects to and none has to
 * trust.
 *
 * One stream holds the packets of one federation until they are settled. The subject fed.FEDERATION.TO.FROM
 * is where FROM puts packets for TO. Each member has an account of its own at the broker, which reaches the
 * stream in four ways alone: packets on fed.FEDERATION.*.SELF, and three requests that concern its own
 * consumer, which filters fed.FEDERATION.SELF.*. That keeps members from flooding or emptying each other's
 * inboxes; the sender of a packet follows from its signature, not its subject.
 *
 * libnats, once used, keeps threads of its own and ignores SIGPIPE until the process ends; nats_Close, which
 * would end them for the whole process, is left to the program. */
#ifndef HR_FEDERATION_TRANSPORT_NATS_H
#define HR_FEDERATION_TRANSPORT_NATS_H

#include "base/log.h"
#include "federation/transport/address.h"
#include "federation/transport/transport.h"

#include <stdbool.h>

enum {
    HR_NATS_SEND_SECONDS = 5, /* for the broker's answer to a packet */
    HR_NATS_ACK_SECONDS = 30, /* after which a packet that was not settled comes again */
    /* For which a refused packet counts in its sender's share of the inbox: long enough that 64 of them are
     * no load, and well before the broker would send it again. */
    HR_NATS_REFUSED_MS = 10 * 1000
};

/* Whether this build, and this process, can reach a broker. Callers look before they open files: a process
 * that was forked beside threads may wait for ever in SQLite. Fails: ABSENT, ARGUMENT (it was forked from one
 * that has used a broker). */
HR_MUST_CHECK hr_status hr_nats_present(hr_error *err);

typedef struct hr_nats_options {
    const char *url;                                       /* tls://HOST:PORT */
    const char *authority, *certificate, *certificate_key; /* files in PEM */
    const char *federation, *name;
    size_t member_count; /* of the federation */
    int refused_ms;      /* 0: HR_NATS_REFUSED_MS */
    /* Called whenever the URL does not answer, or the broker does not serve this member yet; `what` says
     * which. Whether to try again, after a pause of its own. NULL: no */
    bool (*again)(void *user, const char *what);
    void *user;
    /* A receiver's inbox takes no more packets of this member: called once, until it takes one. Borrowed; may
     * be NULL. */
    const hr_log *log;
} hr_nats_options;

/* Connects to the broker and binds to the inbox of `name`. Only silence, and a broker that does not serve
 * this member yet, are worth another try, see `again`: what is refused stays refused. A lost connection is
 * restored in the background, without limit: meanwhile send fails with IO and receive returns nothing. Owner:
 * the caller closes it. Thread: one at a time per transport; it changes SSL_CERT_FILE and SSL_CERT_DIR in the
 * environment for a moment, which no other thread may use meanwhile. Fails: IO (cannot reach the broker, or
 * it is not the federation's), POLICY (the broker refuses this member), ARGUMENT, MEMORY. */
HR_MUST_CHECK hr_status hr_nats_open(const hr_nats_options *options, hr_transport **out, hr_error *err);

#endif
