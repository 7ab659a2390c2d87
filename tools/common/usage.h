/* SPDX-License-Identifier: GPL-2.0 */
/* What programs with options of getopt(3) say before they end. */
#ifndef NETNICE_USAGE_H
#define NETNICE_USAGE_H

/* Where to read more, behind what is wrong; ends with @status. */
_Noreturn void usage_hint(int status);

/* Prints it and ends: @status where that is not possible. */
_Noreturn void usage_print(const char *text, int status);

#endif
