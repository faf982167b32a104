/* SIGINT (Ctrl-C) and SIGTERM while something is spent. */
#ifndef CLI_INTERRUPT_H
#define CLI_INTERRUPT_H

/* From now on these signals end the process with exit code 128 + signal, saying that nothing was spent. */
void interrupt_watch(void);

/* From now on the first of them only asks to stop; the second ends the process at once. */
void interrupt_defer(void);

/* The signal that asked to stop; 0: none. */
int interrupted(void);

#endif
