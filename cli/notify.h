/* Tells the program that started this one how it is (sd_notify(3)): datagrams to $NOTIFY_SOCKET, without
 * systemd's library. Without that variable nothing is sent. */
#ifndef CLI_NOTIFY_H
#define CLI_NOTIFY_H

/* Opens the socket. What cannot be opened or sent is not told: the work goes on. */
void notify_open(void);

/* It works: its files are open, and the broker has answered. */
void notify_ready(void);

/* A line for people, as `systemctl status` shows it. */
void notify_status(const char *line);

/* It runs. Sent at half of $WATCHDOG_USEC, however often this is called; and so it is by itself from
 * notify_open on, while the process computes. */
void notify_alive(void);

/* It was asked to end. Sent once. */
void notify_stopping(void);

#endif
