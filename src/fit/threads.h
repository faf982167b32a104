/* How many processors a training may use. */
#ifndef HR_FIT_THREADS_H
#define HR_FIT_THREADS_H

/* 0: as many as there are. */
int hr_threads_of(int wanted);

#endif
