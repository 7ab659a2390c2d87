/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Many CPUs that send through one limit: a model of what they wait for.
 */
#ifndef LAB_CPUS_H
#define LAB_CPUS_H

#include <stdbool.h>
#include <stdint.h>

#define CPUS_MAX 64

/**
 * enum cpus_design - how packets get to who drains them
 * @CPUS_LOCK: each packet takes the shaper's lock
 * @CPUS_LIST: packets are put on a list without a lock; who finds it empty takes the lock and
 *	queues all, those included that come until then. Beyond a bound they are dropped
 * @CPUS_LEAVES: a queue for each CPU; the lock is taken by who has to tell that there is
 *	something in it again, and by who drains them all
 * @CPUS_SPLIT: a queue, a lock and a limit for each CPU; now and then each looks how many of
 *	them have something to send, and takes that part of the limit (cake_mq)
 */
enum cpus_design {
	CPUS_LOCK,
	CPUS_LIST,
	CPUS_LEAVES,
	CPUS_SPLIT,
};

/**
 * struct cpus_costs - nanoseconds
 * @work: of the sender, until the packet waits, but for the lock
 * @lock: to take and give back a lock without contention
 * @handover: from who gives it back to who waits for it
 * @line: memory that another CPU has written last, once
 * @lines: such memory that who has the lock needs (a number)
 * @enqueue: with the lock, for a packet
 * @section: with the lock, each time that packets are taken out
 * @drain: with the lock, for each of them
 * @reinject: without, for each of them
 * @push: to put a packet on a list without a lock
 * @timer: an expiry
 * @wake: of a sender who waits for room
 */
struct cpus_costs {
	unsigned int work, lock, handover, line, lines, enqueue, section, drain, reinject, push,
		timer, wake;
};

/* One run of the model. */
struct cpus_run {
	enum cpus_design design;
	unsigned int cpus;
	double limit;			/* packets a second */
	unsigned int batch;		/* packets taken out while the lock is held */
	unsigned int bound;		/* of the list */
	unsigned int window;		/* packets that a sender has under way */
	double want[CPUS_MAX];		/* packets a second, 0: all it can */
	double ms;			/* that are measured */
	uint64_t seed;
	struct cpus_costs costs;
};

/* What came of it. */
struct cpus_result {
	double passed;			/* packets a second */
	double waited;			/* part of all CPUs' time, for locks */
	double longest_us;
	double least;			/* of what is a sender's by right, the least */
	double off;			/* per cent off the limit, or what is wanted */
	double dropped;			/* of those sent */
};

/* what was measured on a processor, see cpus.c */
extern const struct cpus_costs cpus_costs;

struct cpus_result cpus_run(const struct cpus_run *run);

#endif
