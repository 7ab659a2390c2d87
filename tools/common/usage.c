// SPDX-License-Identifier: GPL-2.0
#include "usage.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "complain.h"

void usage_hint(int status)
{
	fprintf(stderr, "Try '%s --help' for more information.\n",
		program_invocation_short_name);
	exit(status);
}

void usage_print(const char *text, int status)
{
	fputs(text, stdout);
	exit(complain_output() ? status : EXIT_SUCCESS);
}
