/* A process that holds a secret key. */
#ifndef CLI_SECRETS_H
#define CLI_SECRETS_H

/* From now on a crash writes no core file, and other processes of the user cannot read this one's memory. */
void secrets_guard(void);

#endif
