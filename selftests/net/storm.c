// SPDX-License-Identifier: GPL-2.0
/*
 * storm - starts processes at a steady rate, each of which waits to be attached
 *
 *	storm RATE SECONDS DEVICE uid ID	each becomes that user's
 *	storm RATE SECONDS DEVICE exec PROGRAM	each runs PROGRAM, a copy of this one
 *	storm wait DEVICE			what PROGRAM does
 *
 * Prints how many have been attached on DEVICE, and how long that took from the time
 * that they were what they are; a process that has not been within two seconds is missed. STORM_STEP
 * in the environment is the accuracy of that in ms, by default 1; with more than 8 a process is
 * missed after 254 steps.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "program.h"

#define PATIENCE_NS (2 * NSEC_PER_SEC)
#define MISSED 255

static unsigned int ended[MISSED + 1];
static int step_ms = 1;

/* Return: after how many steps it was attached, or MISSED. */
static int wait_attached(const char *device)
{
	int64_t start = now_ns(), waited = 0;
	char path[PATH_MAX], link[PATH_MAX];

	snprintf(path, sizeof(path), "/proc/network/tasks/self/%s", device);
	while (readlink(path, link, sizeof(link)) < 0) {
		if (waited > PATIENCE_NS && waited > MISSED * step_ms * NSEC_PER_MSEC)
			return MISSED;
		sleep_until(now_ns() + NSEC_PER_MSEC);
		waited = now_ns() - start;
	}
	waited /= step_ms * NSEC_PER_MSEC;
	return waited < MISSED ? waited : MISSED - 1;
}

static void child(char **arg)
{
	const char *device = arg[0], *how = arg[1], *what = arg[2];

	if (!strcmp(how, "exec"))
		execl(what, what, "wait", device, NULL);
	else if (!setresuid(atoi(what), atoi(what), atoi(what)))
		_exit(wait_attached(device));
	_exit(MISSED);
}

static void reap(int flags)
{
	int status;

	while (waitpid(-1, &status, flags) > 0)
		ended[WIFEXITED(status) ? WEXITSTATUS(status) : MISSED]++;
}

/* The least number of steps within which so many were attached. */
static int within_ms(unsigned int many)
{
	unsigned int sum = 0;

	for (int step = 0; step < MISSED; step++) {
		sum += ended[step];
		if (sum >= many)
			return step * step_ms;
	}
	return MISSED * step_ms;
}

int main(int argc, char **argv)
{
	unsigned int started, count, attached, in_ms;
	int64_t start;
	const char *step = getenv("STORM_STEP");
	double rate;

	if (step && atoi(step) > 0)
		step_ms = atoi(step);
	if (argc == 3 && !strcmp(argv[1], "wait"))
		return wait_attached(argv[2]);
	rate = argc == 6 ? atof(argv[1]) : 0;
	if (rate <= 0) {
		fprintf(stderr, "usage: storm RATE SECONDS DEVICE uid ID | exec PROGRAM\n");
		return 2;
	}
	count = rate * atof(argv[2]);
	start = now_ns();
	for (started = 0; started < count; started++) {
		sleep_until(start + started * (NSEC_PER_SEC / rate));
		switch (fork()) {
		case -1:
			die("fork");
		case 0:
			child(argv + 3);
		}
		reap(WNOHANG);
	}
	in_ms = (now_ns() - start) / NSEC_PER_MSEC;
	reap(0);
	attached = started - ended[MISSED];
	printf("started=%u in_ms=%u attached=%u median_ms=%d p99_ms=%d max_ms=%d\n", started, in_ms,
	       attached, within_ms(attached / 2), within_ms(attached * 99ULL / 100), within_ms(attached));
	return 0;
}
