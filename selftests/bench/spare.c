// SPDX-License-Identifier: GPL-2.0
/*
 * spare - what others take of a CPU, and how many frames come meanwhile
 *
 * usage: spare				a turn of its loop, undisturbed
 *	  spare SECONDS TURN PID	what others take
 *
 * It runs when no other task would, and looks how much of the time it had: what it lacks is what
 * all others have taken, interrupts included. In virtual time that are their instructions, of
 * any kernel, whether that accounts for idle time or not. Frames are those that IP has got in
 * PID's network namespace, each of a GSO packet's. Prints nanoseconds, or nanoseconds and frames.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program.h"

#define TURNS 1000

/* Some 12,000 instructions, of those that cost an emulator least. */
static void turn(void)
{
	for (unsigned int i = 0; i < 60; i++)
		asm volatile(".rept 200\n\tnop\n\t.endr");
}

/* The least, as others may have come between. */
static int64_t undisturbed(void)
{
	int64_t least = INT64_MAX, last = now_ns(), now;

	for (unsigned int i = 0; i < TURNS; i++) {
		turn();
		now = now_ns();
		if (now - last < least)
			least = now - last;
		last = now;
	}
	return least;
}

/* By the four kinds of ECN, in the lines of IpExt: names, then values. */
static uint64_t frames(const char *pid)
{
	char path[64], names[4096] = "", values[4096], *n, *v, *at_n, *at_v;
	uint64_t sum = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%s/net/netstat", pid);
	file = fopen(path, "r");
	if (!file)
		die(path);
	while (strncmp(names, "IpExt:", 6))
		if (!fgets(names, sizeof(names), file))
			die("IpExt");
	if (!fgets(values, sizeof(values), file))
		die("IpExt");
	fclose(file);
	n = strtok_r(names, " \n", &at_n);
	v = strtok_r(values, " \n", &at_v);
	while (n && v) {
		if (!strcmp(n, "InNoECTPkts") || !strcmp(n, "InECT1Pkts") ||
		    !strcmp(n, "InECT0Pkts") || !strcmp(n, "InCEPkts"))
			sum += strtoull(v, NULL, 10);
		n = strtok_r(NULL, " \n", &at_n);
		v = strtok_r(NULL, " \n", &at_v);
	}
	return sum;
}

static void taken(double seconds, int64_t least, const char *pid)
{
	uint64_t before = frames(pid);
	int64_t begin = now_ns(), end = begin + seconds * NSEC_PER_SEC, now, own = 0;

	do {
		turn();
		now = now_ns();
		own += least;
	} while (now < end);
	printf("%lld %llu\n", (long long)(now - begin - own),
	       (unsigned long long)(frames(pid) - before));
}

int main(int argc, char **argv)
{
	struct sched_param none = {};

	if (argc != 1 && argc != 4) {
		fputs("usage: spare [SECONDS TURN PID]\n", stderr);
		return 2;
	}
	if (sched_setscheduler(0, SCHED_IDLE, &none))
		die("SCHED_IDLE");
	if (argc == 1)
		printf("%lld\n", (long long)undisturbed());
	else
		taken(atof(argv[1]), atoll(argv[2]), argv[3]);
	return 0;
}
