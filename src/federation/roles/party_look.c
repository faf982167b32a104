/* How a party is, by the file that names its ledger or journal. */
#include "base/fail.h"
#include "federation/protocol/message.h"
#include "federation/roles/member_files.h"
#include "privacy/ledger/journal_status.h"

#include <hedgerow/federation.h>

/* What a file shows, on its way to a person. */
typedef struct party_view {
    const hr_member_files *member;
    const hr_party_viewer *viewer;
    bool stopped, running;
} party_view;

static hr_status show_party(void *user, const hr_journal_view *view) {
    party_view *v = user;
    const hr_journal_run *run = &view->run;
    const hr_party_info info = {.name = v->member->endpoint.name,
                                .is_coordinator = !v->member->is_owner,
                                .running = view->running,
                                .process = view->running ? run->process : 0,
                                .begun = run->begun,
                                .seen = run->seen,
                                .contact = run->contact,
                                .connected = view->running && run->connected,
                                .reconnects = run->reconnects,
                                .open = view->open,
                                .packets = view->packets,
                                .ledger = view->has_ledger ? &view->total : NULL};
    v->running = view->running;
    v->stopped = !v->viewer->party(v->viewer->user, &info);
    return HR_OK;
}

static hr_status show_progress(void *user, const hr_journal_item *item, const hr_journal_progress *progress) {
    party_view *v = user;
    hr_job_owner owners[HR_MEMBERS_MAX];
    if (v->stopped) return HR_OK;
    hr_job_progress shown = {.id = item->id,
                             .name = item->name,
                             .coordinator = item->coordinator,
                             .state = item->state,
                             .awaits = item->awaits,
                             .since = item->since,
                             .epsilon = item->epsilon,
                             .cancelled = item->cancelled,
                             .round = progress->round,
                             .rounds = progress->rounds,
                             .step = progress->step,
                             .unit = progress->unit,
                             .until =
                                 v->running ? progress->until : 0, /* deadlines restart with the program */
                             .owners = owners,
                             .owner_count = progress->part_count};
    for (size_t i = 0; i < shown.owner_count; i++) {
        const hr_journal_part *p = &progress->parts[i];
        owners[i] = (hr_job_owner){p->member, p->part, p->reason, p->trees, p->skipped, p->awaited};
    }
    v->stopped = !v->viewer->job(v->viewer->user, &shown);
    return HR_OK;
}

hr_status hr_party_look(const char *file, const hr_party_viewer *viewer, hr_error *err) {
    hr_member_files member;
    party_view v = {.member = &member, .viewer = viewer};
    const hr_journal_viewer inner = {show_party, show_progress, &v};
    hr_arena *arena = hr_arena_new();
    hr_status status = arena ? hr_member_files_read(file, arena, &member, err) : hr_fail_memory(err);
    if (!status) status = hr_journal_look(member.journal, &inner, err);
    hr_arena_free(arena);
    return status;
}
