// SPDX-License-Identifier: GPL-2.0
/*
 * Files of units with a section [X-Netnice], and what systemctl(1) says of units, as a fuzzer's input:
 * the first byte says which. What is accepted is in range, and a path of a control group stays below
 * the one above all.
 */
#include <assert.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../../tools/common/param_check.h"
#include "../../tools/units/manager.c"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* In place of complain.c: nothing is said. */
void complain(const char *fmt, ...)
{
	(void)fmt;
}

void complain_errno(const char *fmt, ...)
{
	(void)fmt;
}

FILE *complain_stream(void)
{
	static FILE *nowhere;

	if (!nowhere)
		nowhere = fopen("/dev/null", "w");
	return nowhere;
}

static void try_file(const uint8_t *data, size_t size)
{
	struct limits limits = { 0 };
	int fd = memfd_create("unit", MFD_CLOEXEC);
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	section_read(AT_FDCWD, path, limits_take, &limits);
	for (size_t i = 0; i < PARAM_DIRECTED; i++)
		assert(!limits.value[i] || !param_check(&params[i], limits.value[i]));
	for (size_t i = 0; i < limits.device.count; i++)
		assert(!strchr(limits.device.word[i], '/'));
	limits_free(&limits);
	close(fd);
}

static void try_answer(const uint8_t *data, size_t size)
{
	FILE *answer = size ? fmemopen((void *)data, size, "r") : fopen("/dev/null", "r");
	struct units units = { 0 };

	if (!take_answer(&units, answer)) {
		for (size_t i = 0; i < units.count; i++)
			find_group(&units.unit[i], top_group(&units));
		if (units.count)
			qsort(units.unit, units.count, sizeof(*units.unit), by_depth);
	}
	units_free(&units);
	fclose(answer);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size)
		(data[0] & 1 ? try_file : try_answer)(data + 1, size - 1);
	return 0;
}
