/* One party of the harness dies at its n-th call: of its journal, of its transport or of its work, before the
 * call or after it; and comes back from its files. For programs that have party_doom.c among their sources
 * and send the party's calls of its journal by way of it, at link time (tests/federation/meson.build). */
#ifndef HR_TESTS_SUPPORT_PARTY_DOOM_H
#define HR_TESTS_SUPPORT_PARTY_DOOM_H

#include "support/party_harness.h"

typedef struct party_doom {
    size_t victim; /* PARTIES: nobody */
    size_t at;     /* its call, from 1 on */
    bool after;
    bool refuses_begun; /* the next event of work that begins cannot be noted, though its party lives */
    size_t calls;       /* so far */
    size_t events;      /* of its open transaction */
    size_t starts, starts_alone; /* events of work that begins; those that are all of their transaction */
    bool dead, over;             /* over: it has died */
    const harness *harness;
} party_doom;

extern party_doom doom;

/* What crashes did to the jobs of doom_at_every_call; those jobs count it. */
typedef struct doom_losses {
    size_t lost, models_again; /* pieces of work that were lost; models that were made again */
} doom_losses;

extern doom_losses doom_lost;

/* Of a harness that is open. */
void doom_begin(harness *l, size_t victim, size_t at, bool after);

/* Runs a job in which the victim dies at its first call, one in which it dies at its second, and so on, until
 * it has no more. die_at: one job; returns whether the victim has died. Of a long job the first hundred
 * calls, the last thirty and each seventh between them; with HR_LONG in the environment every call. */
void doom_at_every_call(bool (*die_at)(size_t victim, size_t at, bool after), size_t victim, bool after);

#endif
