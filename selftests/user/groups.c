// SPDX-License-Identifier: GPL-2.0
/*
 * Clocks of a group, by themselves: as trees do, they are waited for until they are ready, and
 * then looked at late. Time that they share is judged by a bucket that knows nothing of them.
 */
#include "groups.h"

#include <math.h>
#include <string.h>

#include "../../sched/node.h"
#include "check.h"
#include "steps.h"

#define MOST	8
#define FRAME	1514
#define JUMBO	9014
#define RUNS	300
#define MS	1000000ULL

/**
 * struct member - a clock, and who sends by it
 * @clock: it
 * @burst: bytes
 * @wants: there are packets to send
 * @late_ns: up to how late it is looked at
 * @seen_ns: when that will be, if it waits
 * @waits: a caller waits for it
 * @sent_ns: time of all that has left, at its rate
 * @bytes: of its packets, 0: any
 */
struct member {
	struct vsched_clock clock;
	u64 burst;
	bool wants;
	u64 late_ns;
	u64 seen_ns;
	bool waits;
	double sent_ns;
	u32 bytes;
};

/**
 * struct club - a group and its clocks
 * @owed_ns: time of what has left and has not passed yet
 * @at_ns: @owed_ns is as of then
 */
struct club {
	struct vsched_group group;
	struct member member[MOST];
	unsigned int members;
	struct choice choice;
	double owed_ns;
	u64 at_ns;
};

static void set_waits(struct club *club, struct member *m, bool waits)
{
	if (m->waits == waits)
		return;
	m->waits = waits;
	if (m->clock.group)
		atomic_add(waits ? 1 : -1, &club->group.waiting);
}

static void look(struct club *club, struct member *m, u64 now)
{
	bool waits = m->wants && !vsched_clock_ready(&m->clock, now);

	set_waits(club, m, waits);
	if (waits)
		m->seen_ns = m->clock.paid_ns + choice_below(&club->choice, m->late_ns + 1);
	else
		m->seen_ns = now;
}

/* All that the group may be behind, and ahead. */
static double bound_ns(const struct club *club)
{
	double slack = 0, ahead = 0;
	unsigned int i;

	for (i = 0; i < club->members; i++) {
		const struct vsched_clock *clock = &club->member[i].clock;

		if (clock->slack_ns > slack)
			slack = clock->slack_ns;
		ahead += fmax(FRAME, club->member[i].bytes) * 1e9 / clock->rate;
	}
	return slack + ahead + club->members;
}

static void send(struct club *club, struct member *m, u64 now)
{
	u32 bytes = m->bytes ?: 64 + choice_below(&club->choice, FRAME - 63);
	double ns = bytes * 1e9 / m->clock.rate;

	vsched_clock_charge(&m->clock, bytes, now);
	m->sent_ns += ns;
	if (!m->clock.group)
		return;
	club->owed_ns -= now - club->at_ns;
	if (club->owed_ns < 0)
		club->owed_ns = 0;
	club->owed_ns += ns;
	club->at_ns = now;
	lab_check(club->owed_ns <= bound_ns(club), "%g ns are owed, of %g", club->owed_ns,
		  bound_ns(club));
}

/*
 * What may be changed, at any time: who is new is behind all others, who is not waits as long as
 * before. None waits for longer than for all others and its turn.
 */
static void change(struct club *club, struct member *m, u64 now)
{
	unsigned int kind = choice_below(&club->choice, 4);
	u64 rate = m->clock.rate, ready_ns = m->clock.paid_ns;
	double longest;

	set_waits(club, m, false);
	switch (kind) {
	case 0:
		vsched_clock_set(&m->clock, VSCHED_RATE_MAX, 0, 0, now);
		vsched_clock_set(&m->clock, rate, m->burst, FRAME, now);
		break;
	case 1:
		vsched_clock_set(&m->clock, VSCHED_RATE_MIN, m->burst, FRAME, now);
		vsched_clock_set(&m->clock, VSCHED_RATE_LIMIT, m->burst, FRAME, now);
		vsched_clock_set(&m->clock, rate, m->burst, FRAME, now);
		break;
	case 2:
		vsched_clock_set_group(&m->clock, NULL, now);
		lab_check(m->clock.paid_ns <= now + FRAME * 1000000000ULL / rate + 1,
			  "a clock waits for others, and is of no group");
		vsched_clock_set_group(&m->clock, &club->group, now);
		break;
	default:
		m->wants = !m->wants;
		look(club, m, now);
		return;
	}
	lab_check(m->clock.group == &club->group, "a clock has left its group");
	lab_check(kind == 1 || (s64)m->clock.paid_ns >= atomic64_read(&club->group.paid_ns),
		  "a clock is new, and is not behind all others");
	lab_check(kind != 1 || ready_ns <= now || m->clock.paid_ns == ready_ns,
		  "another rate is ready at another time");
	longest = bound_ns(club) + club->members * FRAME * 1e9 / rate;
	lab_check(m->clock.paid_ns <= now + longest, "a clock waits for %g ns, of %g",
		  (double)m->clock.paid_ns - now, longest);
	look(club, m, now);
}

static struct member *next(struct club *club)
{
	struct member *first = NULL, *m;

	for (m = club->member; m < club->member + club->members; m++)
		if (m->wants && (!first || m->seen_ns < first->seen_ns))
			first = m;
	return first;
}

static void begin(struct club *club, u64 seed, unsigned int members, u64 now)
{
	struct member *m;

	memset(club, 0, sizeof(*club));
	club->choice.state = (seed + 1) * 0xd1342543de82ef95ULL;
	club->members = members;
	club->at_ns = now;
	for (m = club->member; m < club->member + members; m++) {
		vsched_clock_init(&m->clock);
		vsched_clock_set_group(&m->clock, &club->group, now);
		m->wants = true;
		m->seen_ns = now;
	}
}

/* Each is ready at its time, and sends as long as it is. */
static u64 run(struct club *club, u64 now, unsigned int packets, unsigned int changes)
{
	struct member *m;

	while (packets-- && (m = next(club))) {
		if (m->seen_ns > now)
			now = m->seen_ns;
		set_waits(club, m, false);
		send(club, m, now);
		look(club, m, now);
		if (changes && !choice_below(&club->choice, changes))
			change(club, &club->member[choice_below(&club->choice, club->members)],
			       now);
	}
	return now;
}

static void bound_holds(void)
{
	unsigned int i, n;

	for (i = 0; i < RUNS; i++) {
		u64 now = i ? 1ULL << 40 : 5;
		struct club club;

		begin(&club, i, 1 + i % MOST, now);
		for (n = 0; n < club.members; n++) {
			struct member *m = &club.member[n];

			m->burst = 2 * FRAME + choice_below(&club.choice, 20 * FRAME);
			vsched_clock_set(&m->clock, 1000 << choice_below(&club.choice, 20),
					 m->burst, FRAME, now);
			m->late_ns = choice_below(&club.choice, 20) * MS / 10;
		}
		run(&club, now, 20000, 1 << i % 5);
	}
	lab_ok("groups: no more leaves than their time, whatever is changed");
}

/* All of the time is used, and each has as much, though some are looked at much later. */
static void time_is_shared(void)
{
	unsigned int i, n;

	for (i = 0; i < 40; i++) {
		u64 begun = 1ULL << 40, took;
		double sent = 0, part;
		struct club club;

		begin(&club, i, 2 + i % (MOST - 1), begun);
		for (n = 0; n < club.members; n++) {
			vsched_clock_set(&club.member[n].clock, 12500000 << (i & 3), 200 * FRAME,
					 FRAME, begun);
			club.member[n].late_ns = n * MS / 10;
		}
		took = run(&club, begun, 200000, 0) - begun;
		for (n = 0; n < club.members; n++)
			sent += club.member[n].sent_ns;
		lab_check(sent >= took * 0.99, "of %g ns %g are used", (double)took, sent);
		for (n = 0; n < club.members; n++) {
			part = club.member[n].sent_ns * club.members / sent;
			lab_check(part > 0.9 && part < 1.1, "one of %u has %g of its part",
				  club.members, part);
		}
	}
	lab_ok("groups: all of the time is used, and each has as much");
}

/* The time that the packets of all take at once. */
static double round_ns(const struct club *club)
{
	double ns = 0;
	unsigned int n;

	for (n = 0; n < club->members; n++)
		ns += club->member[n].bytes * 1e9 / club->member[n].clock.rate;
	return ns;
}

/* Rates of 1 to 1000, and packets of 64 to 9014 bytes: a tenth is not looked at. */
static void turns_are_even(void)
{
	static const u32 bytes[] = { 64, FRAME, FRAME, JUMBO };
	double worst = 0, unused = 0;
	unsigned int i, n;

	for (i = 0; i < 30; i++) {
		u64 now = 1ULL << 40, begun = now, all = 0;
		double sent[MOST], sum = 0;
		struct club club;

		begin(&club, i, 2 + i % 5, now);
		for (n = 0; n < club.members; n++) {
			struct member *m = &club.member[n];
			u64 rate = 125000 << choice_below(&club.choice, 11);

			m->bytes = bytes[choice_below(&club.choice, 4)];
			vsched_clock_set(&m->clock, n ? rate : 125000, 4 * JUMBO, JUMBO, now);
		}
		while (now < begun + 600 * round_ns(&club)) {
			if (now < begun + 100 * round_ns(&club))
				for (n = 0; n < club.members; n++)
					sent[n] = club.member[n].sent_ns;
			if (now < begun + 100 * round_ns(&club))
				all = now;
			now = run(&club, now, 100, 0);
		}
		for (n = 0; n < club.members; n++) {
			double part = (club.member[n].sent_ns - sent[n]) / (now - all);

			sum += part;
			worst = fmax(worst, fabs(part * club.members - 1));
		}
		unused = fmax(unused, 1 - sum);
		lab_check(sum < 1.001, "they use %g of the time", sum);
		lab_check(worst < 0.01, "group %u: a part is %g off", i, worst);
	}
	lab_ok("groups: at rates of 1 to 1000 no part is more than %.3f percent off, %.3f are unused",
	       100 * worst, 100 * unused);
}

#define RATE	1000000ULL

/* A device, and below its root a node that always has something to send. */
struct device {
	struct vsched_tree tree;
	struct vsched_node root;
	struct vsched_node node;
	struct vsched_fair fair;
	u64 bytes;
};

static void device_init(struct device *d, struct vsched_group *group, u64 now)
{
	memset(d, 0, sizeof(*d));
	vsched_tree_init(&d->tree, &d->root);
	vsched_node_init(&d->root, NULL);
	vsched_node_set_fair(&d->root, &d->fair);
	vsched_node_init(&d->node, &d->root);
	vsched_node_set_clock(&d->tree, &d->node, RATE, 4 * FRAME, FRAME, now);
	vsched_node_set_group(&d->tree, &d->node, group, now);
	vsched_backlog(&d->tree, &d->node, FRAME, now);
}

/* What each of two devices sends in a second, from *@now on, in per cent of its rate. */
static void run_devices(struct device d[2], u64 *now, unsigned int percent[2])
{
	const u64 end = *now + 1000 * MS;
	u64 next;
	int i;

	d[0].bytes = 0;
	d[1].bytes = 0;
	for (; *now < end; *now = next) {
		next = end;
		for (i = 0; i < 2; i++) {
			while (vsched_pick(&d[i].tree, *now)) {
				vsched_sent(&d[i].tree, &d[i].node, FRAME, 1, *now);
				d[i].bytes += FRAME;
			}
			if (vsched_next_ns(&d[i].tree) < next)
				next = vsched_next_ns(&d[i].tree);
		}
	}
	for (i = 0; i < 2; i++)
		percent[i] = (d[i].bytes + RATE / 200) * 100 / RATE;
}

static void want(struct device d[2], u64 *now, unsigned int first, unsigned int second,
		 const char *what)
{
	unsigned int percent[2];

	run_devices(d, now, percent);
	lab_check(percent[0] >= first - !!first && percent[0] <= first + !!first &&
		  percent[1] >= second - 1 && percent[1] <= second + 1,
		  "%s: %u and %u per cent", what, percent[0], percent[1]);
}

static void set_rate(struct device *d, u64 rate, u64 now)
{
	vsched_node_set_clock(&d->tree, &d->node, rate, 4 * FRAME, FRAME, now);
}

/* A clock that stands still takes no time of the others, whenever it stops. */
static void trees_share(void)
{
	struct vsched_group group = { };
	struct device d[2];
	u64 now = 1ULL << 40, paid;
	int i;

	for (i = 0; i < 2; i++)
		device_init(&d[i], &group, now);
	want(d, &now, 50, 50, "two trees");
	set_rate(&d[0], VSCHED_RATE_STOP, now);
	want(d, &now, 0, 100, "one stands still");
	paid = atomic64_read(&group.paid_ns);
	vsched_overdraw(&d[0].tree, &d[0].node, FRAME, now);
	lab_check(atomic64_read(&group.paid_ns) == (s64)paid,
		  "what leaves nevertheless takes the others' time");
	vsched_node_set_group(&d[0].tree, &d[0].node, NULL, now);
	vsched_node_set_group(&d[0].tree, &d[0].node, &group, now);
	want(d, &now, 0, 100, "it has left the group for a moment");
	set_rate(&d[0], RATE, now);
	want(d, &now, 50, 50, "it goes on");
	set_rate(&d[0], RATE / 4, now);
	want(d, &now, 13, 50, "each has half of the time");
	set_rate(&d[0], RATE, now);
	vsched_node_set_group(&d[0].tree, &d[0].node, NULL, now);
	want(d, &now, 100, 100, "one has left the group");
	vsched_node_set_group(&d[1].tree, &d[1].node, NULL, now);
	lab_check(!atomic_read(&group.waiting), "%d wait in a group that has no member",
		  atomic_read(&group.waiting));
	lab_ok("groups: trees share, and who stands still takes nothing");
}

/* A device gets its half of the time, and leaves the other, if half of its frames do not wait. */
static void overdrafts_count_once(void)
{
	struct vsched_group group = { };
	struct device d[2];
	u64 now = 1ULL << 40, end = now + 10000 * MS, next, frame = now;
	u64 overdrawn = 0, part = 0, parts = 0;
	int i;

	for (i = 0; i < 2; i++)
		device_init(&d[i], &group, now);
	for (; now < end; now = next) {
		next = frame;
		if (now >= frame) {
			part += vsched_node_part(&d[0].node);
			parts++;
			/* a quarter of the rate, half of the part */
			vsched_overdraw(&d[0].tree, &d[0].node, 250, now);
			overdrawn += 250;
			next = frame += MS;
		}
		for (i = 0; i < 2; i++) {
			while (vsched_pick(&d[i].tree, now)) {
				vsched_sent(&d[i].tree, &d[i].node, FRAME, 1, now);
				d[i].bytes += FRAME;
			}
			if (vsched_next_ns(&d[i].tree) < next)
				next = vsched_next_ns(&d[i].tree);
		}
	}
	lab_check(overdrawn + d[0].bytes > 5 * RATE * 98 / 100 &&
		  overdrawn + d[0].bytes < 5 * RATE * 102 / 100 &&
		  d[1].bytes > 5 * RATE * 98 / 100 && d[1].bytes < 5 * RATE * 102 / 100,
		  "of %llu bytes each %llu and %llu have left, %llu of them did not wait",
		  5 * RATE, overdrawn + d[0].bytes, d[1].bytes, overdrawn);
	part /= parts;
	lab_check(part > RATE * 49 / 100 && part < RATE * 55 / 100,
		  "the part of one of two is %llu of %llu", part, RATE);
	vsched_node_set_group(&d[0].tree, &d[0].node, NULL, now);
	lab_check(vsched_node_part(&d[0].node) == RATE, "it stays when the group is left");
	vsched_node_set_group(&d[1].tree, &d[1].node, NULL, now);
	lab_ok("groups: frames that do not wait take their time once");
}

void groups_check(void)
{
	bound_holds();
	trees_share();
	overdrafts_count_once();
	time_is_shared();
	turns_are_even();
}
