/* SPDX-License-Identifier: GPL-2.0 */
/* Messages of programs with options of getopt(3), after which they exit. */
#ifndef NETNICE_USAGE_H
#define NETNICE_USAGE_H

/* Print where to find help, after an error message, and exit with @status. */
_Noreturn void usage_hint(int status);

/* Print @text and exit with 0, or with @status if it cannot be written. */
_Noreturn void usage_print(const char *text, int status);

#endif
