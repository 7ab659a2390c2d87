// SPDX-License-Identifier: GPL-2.0
#include "window.h"

#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/slab.h>

#include "../queue/sojourn.h"

/* A connection that has sent no ACK for this long may be evicted. */
#define IDLE_NS	(10 * NSEC_PER_SEC)

/*
 * So may a connection without received data for this long after its start, e.g. half a handshake.
 */
#define UNHEARD_NS	NSEC_PER_SEC

/* A receiver without data for this time, two round trips and two turns has no share. */
#define REST_NS	(100 * NSEC_PER_MSEC)

/* Sharers are not counted more often: this visits all slots. */
#define COUNT_NS	(10 * NSEC_PER_MSEC)

/* A connection without data yet has a share, but many of them may be half a handshake each. */
#define FRESH_MOST	16U

/* For the first window of a listener: the longest delay, and the usual number of packets. */
#define FIRST_NS	(50 * NSEC_PER_MSEC)
#define FIRST_PACKETS	10

/* For so long, and a little more, an acknowledgement may be put off. */
#define DELAYED_ACK_NS	(50 * NSEC_PER_MSEC)

/* Packets by which the timers of a sender learn how long it takes until one has arrived. */
#define LESSONS	8

/* Longer spans are taken for as long as that, as in VIF_WINDOW_RTT_MOST. */
#define LASTED_MOST	(8 * VIF_WINDOW_RTT_MOST)

/* So that the sum does not come near half of the sequence space. */
#define MOST	(1U << 29)

/*
 * Beyond these, packets that suit the window would be too small: of 1,024 bytes, more than a
 * twentieth of which is headers, where a packet takes longer than some milliseconds. And
 * beyond the second one a window cannot be small.
 */
#define SCALE_MOST	7
#define SCALE_MOST_SLOW	VIF_WINDOW_SCALE_MOST
#define SLOW		250000	/* bytes per second */

/* Each host accepts packets with this much data, whatever it announces (TCP_MSS_DEFAULT). */
#define MSS_DEFAULT	536U

/* The data of an Ethernet frame: smaller packets would cost the line more than they save. */
#define MSS_ETHERNET	1460U

/*
 * Two packets, the first window, should pass in FIRST_NS. With packets of lo, of 64 KB, at 32 kbit/s
 * the sender would send each of them again several times while it is queued.
 */
static u32 vif_mss_timely(u32 mss, u64 limit)
{
	u64 timely = div_u64(limit, 2 * (NSEC_PER_SEC / FIRST_NS));

	return min_t(u64, mss, max_t(u64, timely, MSS_ETHERNET));
}

u32 vif_mss_announced(u32 mss, u8 scale, u64 limit)
{
	u32 even;

	mss = vif_mss_timely(mss, limit);
	if (scale > (limit <= SLOW ? SCALE_MOST_SLOW : SCALE_MOST))
		return mss;
	even = round_down(mss, 1U << scale);
	return even < MSS_DEFAULT ? mss : even;
}

/* Return the cost of a packet, from the known cost of a full frame. */
void vif_window_set_rate(struct vif_window_path *path, u32 headers, u32 mtu, u32 frame_bytes)
{
	u32 len = path->mss.bytes + headers;
	u32 wire = max_t(u32, path->mss.bytes, div_u64((u64)frame_bytes * len, max(mtu, len)));

	path->rate = mul_u64_u64_div_u64(path->limit, path->mss.bytes, wire);
}

struct vif_windows *vif_windows_alloc(void)
{
	return kvzalloc(sizeof(struct vif_windows), GFP_KERNEL_ACCOUNT);
}

void vif_window_forget(struct vif_windows *windows, struct vif_window *window)
{
	windows->key[window - windows->place] = 0;
}

static bool vif_window_is_free(const struct vif_windows *windows, u32 i, u64 now_ns)
{
	const struct vif_window *window = &windows->place[i];

	if (!windows->key[i])
		return true;
	return now_ns > (window->heard ? window->used_ns + IDLE_NS :
					 window->moved_ns + UNHEARD_NS);
}

/* The place that has been free for longest, or NULL. */
static struct vif_window *vif_window_claim(struct vif_windows *windows, u32 key, u64 now_ns)
{
	u32 i = vif_window_set_of(key), end = i + VIF_WINDOWS_SET;
	struct vif_window *found = NULL;

	for (; i < end; i++)
		if (vif_window_is_free(windows, i, now_ns) &&
		    (!found || windows->place[i].used_ns < found->used_ns))
			found = &windows->place[i];
	if (found)
		windows->key[found - windows->place] = key;
	return found;
}

/* With this one. */
static u32 vif_window_sharers_of(const struct vif_windows *windows,
				 const struct vif_window *self,
				 const struct vif_window_path *path, u64 now_ns)
{
	const struct vif_window *window = windows->place;
	u32 heard = 1, fresh = 0, i;

	for (i = 0; i < VIF_WINDOWS; i++, window++) {
		if (!windows->key[i] || window == self || window->owner != path->owner ||
		    now_ns > window->moved_ns + window->rest_ns)
			continue;
		if (window->heard)
			heard++;
		else
			fresh++;
	}
	return heard + min(fresh, max(heard, FRESH_MOST));
}

/* How long it takes until each that shares has sent a packet. */
static u64 vif_window_turn_ns(const struct vif_window *window,
			      const struct vif_window_path *path)
{
	return mul_u64_u64_div_u64(path->mss.bytes, (u64)window->sharers * NSEC_PER_SEC,
				   max(path->rate, 1ULL));
}

/* A packet of each may wait. */
static u64 vif_window_target_ns(const struct vif_window *window,
				const struct vif_window_path *path)
{
	return max(path->target_ns, vif_window_turn_ns(window, path));
}

/*
 * Whole packets: the sender would make small ones of a rest. A single packet may be acknowledged
 * late, and still before the connection's next turn.
 */
static void vif_window_set_bytes(struct vif_window *window,
				 const struct vif_window_path *path)
{
	u64 share = min_t(u64, div_u64(window->budget, window->sharers), MOST);
	u32 packets = ((u32)share + path->mss.bytes / 2) / path->mss.bytes;
	bool one = vif_window_turn_ns(window, path) > path->least_rtt_ns + DELAYED_ACK_NS;

	window->bytes = max(packets, one ? 1U : 2U) * path->mss.bytes;
}

static void vif_window_begin_span(struct vif_window *window, u32 ack,
				  const struct vif_window_path *path, u64 now_ns)
{
	window->from = ack;
	/* with the current announcement: earlier data is only a part of a round trip */
	window->until = ack + max_t(s32, window->edge - ack, window->bytes);
	window->least_ticks = U32_MAX;
	window->waited = 0;
	window->began_ns = now_ns;
	window->rest_ns = REST_NS + 2 * path->rtt_ns + 2 * vif_window_turn_ns(window, path);
}

/* Data that may be under way, and a short queue. */
static u64 vif_window_budget_by_distance(const struct vif_window *window,
					 const struct vif_window_path *path)
{
	return mul_u64_u64_div_u64(
		path->rate, path->least_rtt_ns + vif_window_target_ns(window, path), NSEC_PER_SEC);
}

static void vif_window_set_by_distance(struct vif_window *window,
				       const struct vif_window_path *path)
{
	window->budget = vif_window_budget_by_distance(window, path);
	vif_window_set_bytes(window, path);
	window->limit = path->limit;
	window->placed = path->least_rtt_ns;
}

static void vif_window_begin(const struct vif_windows *windows, struct vif_window *window,
			     const struct vif_offer *offer,
			     const struct vif_window_path *path, bool even, u64 now_ns)
{
	*window = (struct vif_window) {
		.edge = offer->ack + (offer->first ? 0 : offer->bytes),
		.asked = offer->first ? 0 : offer->bytes,
		.owner = path->owner,
		.moved_ns = now_ns,
		.shared_ns = now_ns,
		.sharers = vif_window_sharers_of(windows, window, path, now_ns),
		.holds = offer->first,
		.even = even,
	};
	window->slow_until = offer->ack + LESSONS * path->mss.bytes;
	vif_window_set_by_distance(window, path);
	vif_window_begin_span(window, offer->ack, path, now_ns);
}

/* The last acknowledged byte. */
static u32 vif_window_acked(const struct vif_window *window)
{
	return window->edge - window->asked;
}

/* Has it sent nothing that we have not seen, and is it no later one with the same ports? */
static bool vif_window_continues(const struct vif_window *window, const struct vif_offer *offer)
{
	return window->sent == offer->sent &&
	       (!offer->first || vif_window_acked(window) == offer->ack);
}

/* If some have not, or waited for less than can be told, that is none. */
static u64 vif_window_least_wait_ns(const struct vif_window *window, u32 progress,
				    const struct vif_window_path *path)
{
	if ((u64)window->waited * path->mss.bytes < progress)
		return 0;
	return min((u64)window->least_ticks << SOJOURN_TICK_SHIFT,
		   VIF_WINDOW_RTT_MOST);
}

/* Data that is under way, without a queue that is too long. */
static u64 vif_window_enough(const struct vif_window *window, u32 progress, u64 lasted_ns,
			     u64 wait_ns, const struct vif_window_path *path)
{
	u64 under_way = window->until - window->from, much;

	if (path->rtt_ns)
		under_way = min(under_way, mul_u64_u64_div_u64(progress, path->rtt_ns,
							       lasted_ns));
	much = mul_u64_u64_div_u64(progress, wait_ns - vif_window_target_ns(window, path),
				   lasted_ns);
	return under_way > much ? under_way - much : 0;
}

/*
 * Return the budget of all connections: at most one and a half times what was used before. It is
 * not more than for a receiver so late that it counts as idle, and not more than each connection
 * can use if the others need nothing.
 */
static u64 vif_window_grow(const struct vif_window *window, u32 progress, u64 lasted_ns,
			   const struct vif_window_path *path)
{
	u64 could = mul_u64_u64_div_u64(path->rate, lasted_ns, NSEC_PER_SEC);
	u64 late_ns = max(window->rest_ns, window->sharers *
			  (path->least_rtt_ns + path->target_ns));
	u64 most = mul_u64_u64_div_u64(path->rate, late_ns, NSEC_PER_SEC);
	u64 budget = window->budget, missed;

	if (could <= progress || budget >= most)
		return budget;
	missed = min(could - progress, progress / 2ULL);
	return min(most, budget + max_t(u64, path->mss.bytes,
					mul_u64_u64_div_u64(budget, missed, progress)));
}

/* @reached: all data that the sender was allowed to send has arrived */
static void vif_window_judge(struct vif_window *window, u32 ack, bool reached,
			     const struct vif_window_path *path, u64 now_ns)
{
	u64 lasted_ns = clamp(now_ns - window->began_ns, NSEC_PER_USEC + 0ULL,
			      LASTED_MOST);
	u64 good_ns = vif_window_target_ns(window, path), wait_ns;
	u32 progress = ack - window->from;

	if (!progress)
		return;
	wait_ns = vif_window_least_wait_ns(window, progress, path);
	if (wait_ns > good_ns)
		window->budget = min(window->budget, window->sharers *
				     vif_window_enough(window, progress, lasted_ns, wait_ns, path));
	else if (wait_ns <= good_ns / 4 && reached && !window->slack)
		window->budget = vif_window_grow(window, progress, lasted_ns, path);
}

static void vif_window_count(const struct vif_windows *windows, struct vif_window *window,
			     const struct vif_window_path *path, u64 now_ns)
{
	window->shared_ns = now_ns;
	window->sharers = vif_window_sharers_of(windows, window, path, now_ns);
}

/* The part for sharers that did not use their shares goes with them. */
static void vif_window_share(const struct vif_windows *windows, struct vif_window *window,
			     const struct vif_window_path *path, u64 now_ns)
{
	u64 each = div_u64(window->budget, window->sharers);

	vif_window_count(windows, window, path, now_ns);
	window->budget = min(window->budget, max(vif_window_budget_by_distance(window, path),
						 each * window->sharers));
}

/* With many connections this is done less often. */
static bool vif_window_is_to_count(const struct vif_window *window, u64 now_ns)
{
	return now_ns >= window->shared_ns + COUNT_NS * max(1U, window->sharers / 8);
}

/* Is a packet here for longer than it takes to get here, which the sender does not know yet? */
static bool vif_window_is_lesson(const struct vif_window *window, u32 ack,
				 const struct vif_window_path *path)
{
	return (s32)(ack - window->slow_until) < 0 &&
	       vif_window_turn_ns(window, path) > path->least_rtt_ns;
}

static void vif_window_note_progress(struct vif_window *window, u32 ack, u64 now_ns)
{
	if ((s32)(ack - vif_window_acked(window)) <= 0)
		return;
	window->heard = true;
	if (!window->slack)
		window->moved_ns = now_ns;
}

/* Does it use less than its window, although hardly anything is delayed here? */
static bool vif_window_is_slack(const struct vif_window *window, u32 ack, bool reached,
				const struct vif_window_path *path, u64 lasted_ns)
{
	u32 progress = ack - window->from;

	if (vif_window_least_wait_ns(window, progress, path) > vif_window_target_ns(window, path))
		return false;
	return reached ? lasted_ns > window->rest_ns :
			 progress < (window->until - window->from) / 2;
}

/* Check how long requested data took to arrive, and how it was queued. */
static void vif_window_update(const struct vif_windows *windows, struct vif_window *window,
			      u32 ack, const struct vif_window_path *path, u64 now_ns)
{
	bool reached = (s32)(ack - window->until) >= 0;
	u64 lasted_ns = now_ns - window->began_ns;

	if (!reached && (!path->rtt_ns || lasted_ns <= 2 * path->rtt_ns))
		return;
	window->slack = vif_window_is_slack(window, ack, reached, path, lasted_ns);
	if (window->judged)
		vif_window_judge(window, ack, reached, path, now_ns);
	if (vif_window_is_to_count(window, now_ns))
		vif_window_share(windows, window, path, now_ns);
	vif_window_set_bytes(window, path);
	window->judged = !window->judged;
	vif_window_begin_span(window, ack, path, now_ns);
}

/*
 * A sender makes packets of at most half of its first window. A client's distance is known only
 * later: it is offered what it would send at once, if that is soon here.
 */
static u32
vif_window_first_bytes(const struct vif_window *window, const struct vif_window_path *path)
{
	u64 soon;

	if (path->least_rtt_ns)
		return 2 * path->mss.bytes;
	soon = mul_u64_u64_div_u64(path->rate, FIRST_NS, NSEC_PER_SEC);
	return clamp((u32)min_t(u64, div_u64(soon, window->sharers), MOST),
		     2 * path->mss.bytes, FIRST_PACKETS * path->mss.bytes);
}

static u32 vif_window_announce(struct vif_window *window, const struct vif_offer *offer,
			       const struct vif_window_path *path)
{
	u32 promised = max_t(s32, window->edge - offer->ack, 0);
	u32 bytes =
		vif_window_is_lesson(window, offer->ack, path) ? path->mss.bytes : window->bytes;

	if (offer->first)
		bytes = max(bytes, vif_window_first_bytes(window, path));
	if (promised <= window->bytes)
		window->holds = true;
	window->asked = min(offer->bytes, ALIGN(max(promised, bytes), offer->unit));
	window->edge = offer->ack + window->asked;
	return window->asked;
}

/* It is limited by something else than before, or its distance is known by now. */
static void vif_window_measure(const struct vif_windows *windows, struct vif_window *window,
			       u32 ack, const struct vif_window_path *path, u64 now_ns)
{
	if (window->limit != path->limit || window->owner != path->owner) {
		window->holds = false;
		window->owner = path->owner;
		vif_window_count(windows, window, path, now_ns);
	} else if (window->placed || !path->least_rtt_ns) {
		return;
	}
	vif_window_set_by_distance(window, path);
	window->judged = false;
	vif_window_begin_span(window, ack, path, now_ns);
}

u32 vif_window_next(struct vif_windows *windows, struct vif_window *window,
		    u32 key, const struct vif_offer *offer,
		    const struct vif_window_path *path, u64 now_ns)
{
	if (!window) {
		window = vif_window_claim(windows, key, now_ns);
		if (!window)
			return offer->bytes;
		vif_window_begin(windows, window, offer, path, offer->first, now_ns);
	} else if (!vif_window_continues(window, offer)) {
		vif_window_begin(windows, window, offer, path, offer->first || window->even,
				 now_ns);
	}
	vif_window_note_progress(window, offer->ack, now_ns);
	vif_window_measure(windows, window, offer->ack, path, now_ns);
	vif_window_update(windows, window, offer->ack, path, now_ns);
	window->used_ns = now_ns;
	window->sent = offer->sent + offer->packets;
	return vif_window_announce(window, offer, path);
}
