// SPDX-License-Identifier: GPL-2.0
/*
 * Each CPU does one thing after the other: each has a time when it ends, and a function that
 * says what follows. A sender works on a packet, and has it wait in the queue; who has
 * too many under way sleeps until one has left. The timer's softirq interrupts a sender, but
 * not where it has the lock or waits for it. Locks are given to who waits for longest.
 */
#include "cpus.h"

#include <string.h>

#define NEVER		UINT64_MAX
#define MS		1000000ULL
#define BURST_NS	MS
#define LATE_NS		50000
#define BATCHES		16	/* of the timer, in a row */
#define SCAN_NS		200000	/* CPUS_SPLIT */
#define SOFTIRQ_NS	(2 * MS)	/* in a row; then ksoftirqd and the sender take turns */
#define SETTLE_NS	(20 * MS)
#define NO_CPU		(-1)

struct cpu;
typedef void (*step)(struct cpu *c);

struct lock {
	int holder, last;
	unsigned int first, count;
	struct cpu *waiter[CPUS_MAX];
};

/* A limit, and who drains it: one, or with CPUS_SPLIT one of each CPU. */
struct shaper {
	struct lock lock;
	unsigned int queued[CPUS_MAX], all, next;
	bool active[CPUS_MAX];
	int touched;			/* whose CPU has its memory */
	double period, ready, timer;	/* ns; when the next may go, the timer expires */
	struct cpu *timer_cpu;
	bool expired;			/* but none drains yet */
	struct cpu *drainer;
	unsigned int taken[CPUS_MAX], batches;
	bool again;			/* the drainer comes again */
	unsigned int list, listed[CPUS_MAX], moved[CPUS_MAX];
	int list_touched;
	uint64_t scan;
};

struct cpu {
	unsigned int id;
	uint64_t at;			/* what it does ends */
	step then;
	uint64_t left;			/* of a sender's work that was interrupted */
	bool working, asleep, drains;	/* none: with the lock, or waiting for it */
	double due;
	uint64_t since;
	uint64_t softirq_began, softirq, turn;	/* in a row, what the sender has of its turn */
	unsigned int under_way, n;
	struct shaper *mine, *pending;	/* whose timer has expired meanwhile */
	uint64_t got, sent, drops, waited;
};

static const struct cpus_run *r;
static struct cpu cpu[CPUS_MAX];
static struct shaper shaper[CPUS_MAX];
static uint64_t now, random_state, longest;

static uint64_t random_next(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

static void after(struct cpu *c, uint64_t ns, step then)
{
	c->at = now + ns;
	c->then = then;
}

static void send_next(struct cpu *c);
static void drain_begin(struct cpu *c);

/* --- locks, memory --------------------------------------------------------------- */

static void lock_take(struct lock *l, struct cpu *c, step then)
{
	c->since = now;
	if (l->holder == NO_CPU) {
		l->holder = c->id;
		after(c, r->costs.lock + (l->last == (int)c->id ? 0 : r->costs.line), then);
		return;
	}
	c->at = NEVER;
	c->then = then;
	l->waiter[(l->first + l->count++) % CPUS_MAX] = c;
}

static void lock_give(struct lock *l)
{
	struct cpu *c;

	l->last = l->holder;
	l->holder = NO_CPU;
	if (!l->count)
		return;
	c = l->waiter[l->first];
	l->first = (l->first + 1) % CPUS_MAX;
	l->count--;
	l->holder = c->id;
	c->at = now + r->costs.handover;
	if (c->drains || now < SETTLE_NS)
		return;
	c->waited += c->at - c->since;
	if (c->at - c->since > longest)
		longest = c->at - c->since;
}

/* What it takes to get at the shaper's memory. */
static unsigned int memory(struct shaper *s, struct cpu *c)
{
	unsigned int ns = s->touched == (int)c->id ? 0 : r->costs.lines * r->costs.line;

	s->touched = c->id;
	return ns;
}

static unsigned int from(const struct cpu *c, unsigned int other)
{
	return c->id == other ? 0 : r->costs.line;
}

/* --- the timer ------------------------------------------------------------------- */

/* Where it expires: on the CPU that sets it, or that is draining. */
static void arm(struct shaper *s, struct cpu *c)
{
	if (!s->all)
		memset(s->active, 0, sizeof(s->active));
	if (!s->all || s->again || s->timer_cpu || s->expired)
		return;
	s->timer = now;
	if (s->ready > now)
		s->timer = s->ready + (s->period < LATE_NS ? LATE_NS : 0);
	s->timer_cpu = s->drainer ?: c;
}

static void expire(struct shaper *s)
{
	struct cpu *c = s->timer_cpu;

	s->timer_cpu = NULL;
	s->expired = true;
	c->pending = s;
	if (c->drains || (!c->working && !c->asleep) || c->turn)
		return;
	c->left = c->working ? c->at - now : 0;
	drain_begin(c);
}

static void work_done(struct cpu *c);

/* What may not be interrupted has ended. */
static void end(struct cpu *c)
{
	if (c->pending && !c->turn) {
		drain_begin(c);
	} else if (c->left) {
		c->working = true;
		after(c, c->left, work_done);
		c->left = 0;
	} else {
		send_next(c);
	}
}

/* --- who drains ------------------------------------------------------------------ */

/* Each takes its part of the limit, by how many have something to send. */
static unsigned int look_around(struct shaper *s)
{
	unsigned int busy = 0;

	if (r->design != CPUS_SPLIT || now < s->scan)
		return 0;
	s->scan = now + SCAN_NS;
	for (unsigned int i = 0; i < r->cpus; i++)
		busy += shaper[i].all > 0;
	s->period = 1e9 / r->limit * (busy ?: 1);
	return r->cpus * r->costs.line;
}

/* The clock saves up a burst; those who have something take turns. Returns the cost. */
static unsigned int take(struct shaper *s, struct cpu *c)
{
	unsigned int ns = r->costs.section + memory(s, c) + look_around(s), i;

	c->n = 0;
	if (s->ready < (double)now - BURST_NS)
		s->ready = (double)now - BURST_NS;
	memset(s->taken, 0, sizeof(s->taken));
	while (c->n < r->batch && s->all && s->ready <= now) {
		while (!s->queued[i = s->next++ % r->cpus])
			s->active[i] = false;
		s->queued[i]--;
		s->taken[i]++;
		s->all--;
		s->ready += s->period;
		c->n++;
		ns += r->costs.drain;
		if (r->design == CPUS_LEAVES)
			ns += 2 * from(c, i);
	}
	return ns;
}

static void drain_lock(struct cpu *c);

static void wake(struct cpu *c)
{
	if (c->asleep && !c->drains && c->at == NEVER)
		after(c, r->costs.wake, send_next);
}

static void drain_end(struct cpu *c)
{
	struct shaper *s = c->mine;

	for (unsigned int i = 0; i < r->cpus; i++) {
		cpu[i].under_way -= s->taken[i];
		cpu[i].got += s->taken[i];
		if (s->taken[i])
			wake(&cpu[i]);
	}
	if (s->again) {
		drain_lock(c);
		return;
	}
	s->drainer = NULL;
	c->drains = false;
	c->softirq += now - c->softirq_began;
	if (c->softirq > SOFTIRQ_NS)
		c->turn = SOFTIRQ_NS;
	end(c);
}

static void drain_unlock(struct cpu *c)
{
	struct shaper *s = c->mine;
	unsigned int ns = c->n * r->costs.reinject;

	s->again = c->n == r->batch && ++s->batches < BATCHES;
	arm(s, c);
	lock_give(&s->lock);
	for (unsigned int i = 0; i < r->cpus; i++)
		ns += s->taken[i] * from(c, i);
	after(c, ns, drain_end);
}

static void drain_locked(struct cpu *c)
{
	after(c, take(c->mine, c), drain_unlock);
}

static void drain_lock(struct cpu *c)
{
	lock_take(&c->mine->lock, c, drain_locked);
}

static void drain_begin(struct cpu *c)
{
	c->softirq_began = now;
	c->mine->expired = false;
	c->drains = true;
	c->working = false;
	c->pending = NULL;
	c->mine->drainer = c;
	c->mine->batches = 0;
	c->mine->again = true;
	after(c, r->costs.timer, drain_lock);
}

/* --- who sends ------------------------------------------------------------------- */

static void queue(struct shaper *s, unsigned int i, unsigned int packets)
{
	s->queued[i] += packets;
	s->all += packets;
}

static void unlock(struct cpu *c)
{
	arm(c->mine, c);
	lock_give(&c->mine->lock);
	end(c);
}

static void queued(struct cpu *c)
{
	queue(c->mine, c->id, 1);
	unlock(c);
}

static void queue_locked(struct cpu *c)
{
	after(c, memory(c->mine, c) + r->costs.enqueue, queued);
}

static void moved(struct cpu *c)
{
	for (unsigned int i = 0; i < r->cpus; i++)
		queue(c->mine, i, c->mine->moved[i]);
	unlock(c);
}

static unsigned int touch_list(struct shaper *s, struct cpu *c)
{
	unsigned int ns = r->costs.push + (s->list_touched == (int)c->id ? 0 : r->costs.line);

	s->list_touched = c->id;
	return ns;
}

static void list_locked(struct cpu *c)
{
	struct shaper *s = c->mine;
	unsigned int ns = touch_list(s, c) + memory(s, c);

	memcpy(s->moved, s->listed, sizeof(s->moved));
	memset(s->listed, 0, sizeof(s->listed));
	s->list = 0;
	for (unsigned int i = 0; i < r->cpus; i++)
		ns += s->moved[i] * (r->costs.enqueue + from(c, i));
	after(c, ns, moved);
}

static void pushed(struct cpu *c)
{
	struct shaper *s = c->mine;

	if (s->list == r->bound) {
		c->drops++;
		c->under_way--;
		end(c);
		return;
	}
	s->listed[c->id]++;
	if (s->list++)
		end(c);
	else
		lock_take(&s->lock, c, list_locked);
}

static void activated(struct cpu *c)
{
	c->mine->active[c->id] = true;
	unlock(c);
}

static void activate_locked(struct cpu *c)
{
	after(c, memory(c->mine, c) + r->costs.enqueue, activated);
}

static void leaf_queued(struct cpu *c)
{
	struct shaper *s = c->mine;

	queue(s, c->id, 1);
	if (s->active[c->id])
		end(c);
	else
		lock_take(&s->lock, c, activate_locked);
}

static void work_done(struct cpu *c)
{
	struct shaper *s = c->mine;

	c->turn -= c->turn < r->costs.work ? c->turn : r->costs.work;
	c->softirq = 0;
	c->working = false;
	c->sent++;
	c->under_way++;
	if (r->design == CPUS_LIST)
		after(c, touch_list(s, c), pushed);
	else if (r->design == CPUS_LEAVES)
		after(c, r->costs.enqueue + (s->touched == (int)c->id ? 0 : r->costs.line),
		      leaf_queued);
	else
		lock_take(&s->lock, c, queue_locked);
}

/* Who wants only so much is at most a millisecond behind. */
static bool sleeps(struct cpu *c)
{
	double want = r->want[c->id];

	if (c->under_way >= r->window) {
		c->at = NEVER;
		return true;
	}
	if (!want)
		return false;
	if (c->due > now) {
		after(c, c->due - now + 1, send_next);
		return true;
	}
	if (c->due + MS < now)
		c->due = now - MS;
	c->due += 1e9 / want;
	return false;
}

/* The work of no two packets is the same: three quarters of it to five. */
static void send_next(struct cpu *c)
{
	c->asleep = sleeps(c);
	c->working = !c->asleep;
	if (c->asleep)
		c->turn = 0;
	if (c->asleep && c->pending)
		drain_begin(c);
	if (c->working)
		after(c, r->costs.work * (768 + random_next() % 512) / 1024, work_done);
}

/* --- all of it ------------------------------------------------------------------- */

static void begin(void)
{
	memset(cpu, 0, sizeof(cpu));
	memset(shaper, 0, sizeof(shaper));
	now = longest = 0;
	random_state = r->seed * 0x9e3779b97f4a7c15ULL + 1;
	for (unsigned int i = 0; i < r->cpus; i++) {
		shaper[i].lock = (struct lock){ .holder = NO_CPU, .last = NO_CPU };
		shaper[i].period = 1e9 / r->limit;
		shaper[i].touched = shaper[i].list_touched = NO_CPU;
		cpu[i].id = i;
		cpu[i].mine = &shaper[r->design == CPUS_SPLIT ? i : 0];
		send_next(&cpu[i]);
	}
}

/* The next thing that ends, before `until`. */
static bool go_on(uint64_t until)
{
	struct cpu *first = &cpu[0];
	struct shaper *due = NULL;
	double timer = until;

	for (unsigned int i = 0; i < r->cpus; i++) {
		if (cpu[i].at < first->at)
			first = &cpu[i];
		if (shaper[i].timer_cpu && shaper[i].timer < timer) {
			due = &shaper[i];
			timer = due->timer;
		}
	}
	if (due && timer <= first->at) {
		now = timer > now ? timer : now;
		expire(due);
		return true;
	}
	if (first->at >= until)
		return false;
	now = first->at;
	first->at = NEVER;
	first->then(first);
	return true;
}

/* What each has by right, of so much: what it wants, or as much as all who want more. */
static double least_part(double passed, double seconds)
{
	double left = passed, level = 0, least = 1, part;
	unsigned int n, round;

	for (round = 0; round < r->cpus; round++) {
		left = passed;
		n = 0;
		for (unsigned int i = 0; i < r->cpus; i++) {
			if (r->want[i] && r->want[i] <= level)
				left -= r->want[i];
			else
				n++;
		}
		if (n)
			level = left / n;
	}
	for (unsigned int i = 0; i < r->cpus; i++) {
		part = r->want[i] && r->want[i] < level ? r->want[i] : level;
		if (cpu[i].got / seconds < least * part)
			least = cpu[i].got / seconds / part;
	}
	return least;
}

struct cpus_result cpus_run(const struct cpus_run *run)
{
	struct cpus_result result = {};
	double wanted = 0, sent = 0, seconds = run->ms / 1e3;

	r = run;
	begin();
	while (go_on(SETTLE_NS))
		;
	for (unsigned int i = 0; i < r->cpus; i++)
		cpu[i].got = cpu[i].sent = cpu[i].drops = 0;
	while (go_on(SETTLE_NS + r->ms * MS))
		;
	for (unsigned int i = 0; i < r->cpus; i++) {
		result.passed += cpu[i].got / seconds;
		result.waited += cpu[i].waited / (seconds * 1e9 * r->cpus);
		result.dropped += cpu[i].drops;
		sent += cpu[i].sent;
		wanted += r->want[i] ?: r->limit;
	}
	result.dropped /= sent ?: 1;
	result.longest_us = longest / 1e3;
	result.least = least_part(result.passed, seconds);
	result.off = (result.passed / (wanted < r->limit ? wanted : r->limit) - 1) * 100;
	return result;
}
