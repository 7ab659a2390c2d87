// SPDX-License-Identifier: GPL-2.0
#include "check.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void (*lab_where)(void);

static unsigned int told;

void lab_fail(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	printf("not ok %u ", ++told);
	vprintf(format, args);
	printf("\n");
	va_end(args);
	if (lab_where)
		lab_where();
	lab_plan();
	fflush(stdout);
	abort();
}

void lab_ok(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	printf("ok %u ", ++told);
	vprintf(format, args);
	printf("\n");
	va_end(args);
	fflush(stdout);
}

void lab_plan(void)
{
	printf("1..%u\n", told);
}
