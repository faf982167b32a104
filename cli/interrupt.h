/* SIGINT (Ctrl-C), SIGTERM and SIGHUP (the terminal has gone): one handler for all commands. It removes the
 * files that are not complete, says what was spent, and ends the process with exit code 128 + signal. What a
 * parent process has it ignore stays ignored. */
#ifndef CLI_INTERRUPT_H
#define CLI_INTERRUPT_H

#include <stdbool.h>

/* Before a command runs. `command` names it in messages, and is borrowed. Also has a file that reaches the
 * limit of its size fail to be written, where it would end the process. */
void interrupt_watch(const char *command);

/* From now on SIGHUP only has interrupt_wants_reload say so. Before interrupt_watch, if no signal may end the
 * process. */
void interrupt_reloads(void);

/* Whether SIGHUP came since the last call, or since interrupt_reloads. `user` is not used. */
bool interrupt_wants_reload(void *user);

/* From now on the first signal only asks to stop; the second ends the process at once. */
void interrupt_defer(void);
/* The same, and no signal prints anything. */
void interrupt_defer_silently(void);

/* The signal that asked to stop; 0: none. */
int interrupted(void);

/* Between the two a first signal waits, so that a file can be made or named, and be remembered, as one step.
 * They may nest. One thread of the process calls them. */
void interrupt_hold(void);
void interrupt_release(void);

/* A file to be removed if a signal ends the process, until it is forgotten. `path` is borrowed until then.
 * While signals are held. False: there are too many. */
bool interrupt_remember(const char *path);
void interrupt_forget(const char *path);

#endif
