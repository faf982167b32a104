#include "base/team.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

typedef struct team_helper {
    hr_team *team;
    size_t member;
    pthread_t thread;
} team_helper;

struct hr_team {
    pthread_mutex_t lock; /* of all that follows but the helpers */
    pthread_cond_t has_work, is_idle;
    hr_team_work *work; /* NULL: none; helpers that come too late find that */
    void *of;
    size_t piece; /* counts the pieces of work: a helper takes part once in each */
    size_t busy;  /* helpers at work */
    bool ends;
    size_t helper_count;
    team_helper *helpers;
};

/* Waits until there is work that it has no part in yet; false at the end. Holds the lock. */
static bool wait_for_work(hr_team *team, size_t *piece) {
    while (!team->ends && (!team->work || team->piece == *piece))
        pthread_cond_wait(&team->has_work, &team->lock);
    *piece = team->piece;
    return !team->ends;
}

static void *help(void *given) {
    team_helper *helper = given;
    hr_team *team = helper->team;
    size_t piece = 0;
    pthread_mutex_lock(&team->lock);
    while (wait_for_work(team, &piece)) {
        hr_team_work *work = team->work;
        void *of = team->of;
        team->busy++;
        pthread_mutex_unlock(&team->lock);
        work(of, helper->member);
        pthread_mutex_lock(&team->lock);
        if (!--team->busy) pthread_cond_signal(&team->is_idle);
    }
    pthread_mutex_unlock(&team->lock);
    return NULL;
}

hr_team *hr_team_new(size_t members) {
    hr_team *team = calloc(1, sizeof *team);
    if (!team) return NULL;
    team->helpers = calloc(members, sizeof *team->helpers);
    if (!team->helpers) {
        free(team);
        return NULL;
    }
    pthread_mutex_init(&team->lock, NULL);
    pthread_cond_init(&team->has_work, NULL);
    pthread_cond_init(&team->is_idle, NULL);
    for (size_t h = 0; h + 1 < members; h++) {
        team->helpers[h] = (team_helper){.team = team, .member = h + 1};
        if (pthread_create(&team->helpers[h].thread, NULL, help, &team->helpers[h])) break;
        team->helper_count++;
    }
    return team;
}

void hr_team_free(hr_team *team) {
    if (!team) return;
    pthread_mutex_lock(&team->lock);
    team->ends = true;
    pthread_cond_broadcast(&team->has_work);
    pthread_mutex_unlock(&team->lock);
    for (size_t h = 0; h < team->helper_count; h++) pthread_join(team->helpers[h].thread, NULL);
    pthread_cond_destroy(&team->is_idle);
    pthread_cond_destroy(&team->has_work);
    pthread_mutex_destroy(&team->lock);
    free(team->helpers);
    free(team);
}

void hr_team_run(hr_team *team, hr_team_work *work, void *of) {
    pthread_mutex_lock(&team->lock);
    team->work = work;
    team->of = of;
    team->piece++;
    if (team->helper_count) pthread_cond_broadcast(&team->has_work);
    pthread_mutex_unlock(&team->lock);
    work(of, 0);
    pthread_mutex_lock(&team->lock);
    team->work = NULL;
    while (team->busy) pthread_cond_wait(&team->is_idle, &team->lock);
    pthread_mutex_unlock(&team->lock);
}
