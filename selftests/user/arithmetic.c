// SPDX-License-Identifier: GPL-2.0
/*
 * The numbers that senders, guests, users and devices choose, over all their range: MTU, MSS,
 * window scale, segments of GSO, lengths, rates, round-trip times. The module's own sources, in
 * which no division by 0 happens, no result is beyond its type, and each is what a model says that
 * computes with 128 bits. Built with sanitizers; mul_u64_u64_div_u64() faults as x86's does.
 *
 *	arithmetic [SEED [SESSIONS]]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../sched/node.h"
#include "../../vif/queue/p_queue_config.h"
#include "../../vif/queue/sojourn.h"
#include "../../vif/queue/wire.h"
#include "../../vif/window/window.h"
#include "check.h"

#define COUNT(array)	(sizeof(array) / sizeof(*(array)))

/* Steps of a connection, and how many connections share a table. */
#define STEPS		400
#define CONNECTIONS	24

static u64 state, session;

static void where(void)
{
	printf("# session %llu: arithmetic %llu 1 shows it again\n", session, session);
}

static u64 any(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static u64 below(u64 end)
{
	return any() % end;
}

/* As often a small one as a large one, and both ends now and then. */
static u64 between(u64 least, u64 most)
{
	u64 width = most - least;

	switch (below(16)) {
	case 0:
		return least;
	case 1:
		return most;
	default:
		return least + (width ? any() % width >> below(64 - __builtin_clzll(width)) : 0);
	}
}

/* --- MSS --- */

static void announced_mss(void)
{
	static const u64 limit[] = { VSCHED_RATE_MIN, 250000, 250001, VSCHED_RATE_LIMIT };
	u32 mss, most, even, i;
	u8 scale;

	for (scale = 0; scale <= 14; scale++)
		for (mss = 0; mss <= 65536; mss++)
			for (i = 0; i < COUNT(limit); i++) {
				/* 25 ms, or an Ethernet frame */
				most = min_t(u64, mss, max_t(u64, limit[i] / 40, 1460));
				even = vif_mss_announced(mss, scale, limit[i]);
				lab_check(even == most || (even < most && even >= 536 &&
							   even % (1U << scale) == 0 &&
							   most - even < 1U << scale),
					  "MSS %u at scale %u becomes %u", mss, scale, even);
			}
	lab_check(vif_mss(0).bytes == 88 && vif_mss(~0U).bytes == 65535 && vif_mss(536).bytes == 536,
		  "an MSS out of bounds");
	lab_ok("an announced MSS is timely, suits windows, and is none that a host need not take");
}

/* --- GSO --- */

static void check_gso(u32 all, u32 repeated, u32 tag, u32 size)
{
	u32 len = all < VIF_WIRE_MOST ? all : VIF_WIRE_MOST;
	u32 header = repeated <= 512 && repeated <= len ? repeated : 0;
	struct vif_gso gso = vif_gso_by_size(len, header, tag, size);
	struct vif_wire wire = vif_gso_wire(&gso);
	u64 data, segments = 1, bytes, together;
	static const u32 most[] = { 0, 1, 2, 7, 16, 65536, ~0U };

	data = len - header;
	if (size && data)
		segments = (data + size - 1) / size;
	if (segments > 65535)
		segments = 65535;
	bytes = len + tag + (segments - 1) * (header + tag);
	lab_check(wire.packets == segments, "%u of %u in %u are %u packets", size, len, header,
		  wire.packets);
	lab_check(wire.bytes == bytes || (bytes > VIF_WIRE_MOST && wire.bytes == VIF_WIRE_MOST),
		  "%u of %u in %u are %u bytes", size, len, header, wire.bytes);
	lab_check(!vif_gso_is_sound(all, repeated, size) ||
		  (all == len && repeated == header && header && wire.bytes == bytes),
		  "%u of %u in %u are taken for others", size, all, repeated);
	if (segments == 1)
		return;
	for (unsigned int i = 0; i < COUNT(most); i++) {
		together = vif_gso_together(&gso, most[i]);
		lab_check(together == 1 || (together <= most[i] && together < segments &&
					    together * size + header <= 65534),
			  "%u of %u in %u stay together: %llu", size, len, header, together);
		lab_check(together * size < data, "%llu pieces of %u are all of %u", together, size,
			  len);
	}
}

static const u32 lengths[] = {
	0, 1, 54, 66, 1514, 65535, 65536, 65549, 131072, 200000, 524280 + 86, 557056, ~0U,
};

static void gso(void)
{
	static const u32 headers[] = { 0, 8, 42, 66, 94, 512, 513, 65535, ~0U };
	u32 size, i, j;

	for (i = 0; i < COUNT(lengths); i++)
		for (j = 0; j < COUNT(headers); j++)
			for (size = 0; size <= 65536; size += size < 4500 ? 1 : 1 + below(64))
				check_gso(lengths[i], headers[j], size % 2 * 4, size);
	for (i = 0; i < 200000; i++)
		check_gso(between(0, ~0U), between(0, 70000), below(2) * 4, between(0, 65535));
	lab_ok("segments of GSO: their number, bytes and pieces");
}

/* --- link layer --- */

static u64 link_model(const struct vif_link_layer *layer, u64 bytes, u64 header)
{
	__int128 n;

	bytes = bytes < VIF_WIRE_MOST ? bytes : VIF_WIRE_MOST;
	n = bytes;
	if (layer->has_overhead)
		n += layer->overhead - (__int128)(header < bytes ? header : bytes);
	if (n < layer->mpu)
		n = layer->mpu;
	if (n < 1)
		n = 1;
	if (layer->framing == VIF_FRAMING_ATM)
		n = (n + 47) / 48 * 53;
	if (layer->framing == VIF_FRAMING_PTM)
		n += (n + 63) / 64;
	return n < VIF_WIRE_MOST ? n : VIF_WIRE_MOST;
}

static void check_link(const struct vif_link_layer *layer, u32 len, u32 header, u32 size)
{
	struct vif_gso gso = below(4) ? vif_gso_by_size(len, header, 4, size) :
					vif_gso_by_count(len, header, 4, size);
	u32 i, got = vif_link_layer_bytes(layer, len, header), data, all = 0;
	u64 bytes = 0;

	lab_check(got == link_model(layer, len, header), "%u with %u cost %u", len, header, got);
	if (gso.segments > 2000)
		return;
	for (i = 0; i < gso.segments; i++, all += data) {
		data = i + 1 < gso.segments ? gso.size : gso.len - gso.header - all;
		bytes += link_model(layer, data + gso.header + gso.tag, 18);
	}
	got = vif_link_layer_gso_bytes(layer, &gso, 14);
	lab_check(got == bytes || (bytes > VIF_WIRE_MOST && got == VIF_WIRE_MOST),
		  "%u segments of %u cost %u, not %llu", gso.segments, gso.size, got, bytes);
}

static void link_layer(void)
{
	struct vif_link_layer layer;

	for (u32 i = 0; i < 100000; i++) {
		layer.has_overhead = below(4);
		layer.overhead = (s64)between(0, 65535) - 32768;
		layer.mpu = between(0, 65535);
		layer.framing = below(4);
		check_link(&layer, i % 3 ? between(0, 600000) : between(0, ~0U), between(0, ~0U),
			   between(0, 65535));
		check_link(&layer, between(0, 600000), between(0, 512), between(64, 65535));
	}
	lab_ok("link layers: each segment costs what a packet does");
}

/* --- CoDel and limits of a queue --- */

static void config(void)
{
	struct vif_params_kept set = {};
	struct p_queue_params params;
	struct vsched_path path;
	unsigned __int128 frame;
	u32 i, frame_bytes;
	u64 target;

	for (i = 0; i < 300000; i++) {
		frame_bytes = between(1, VIF_FRAME_MOST);
		path.rate = below(8) ? between(VSCHED_RATE_MIN, VSCHED_RATE_LIMIT) : VSCHED_RATE_MAX;
		path.longest = between(0, ~0U);
		set.aqm.target_us = below(2) ? between(0, VIF_CODEL_MAX_US - 1) : 0;
		set.aqm.interval_us = below(2) ? between(set.aqm.target_us + 1, VIF_CODEL_MAX_US) : 0;
		set.limit.max = false;
		set.limit.bytes = below(3) ? 0 : between(0, ~0U);
		set.limit.packets = below(3) ? 0 : between(0, 1000000);
		p_queue_adapt(&params, &set, frame_bytes, &path);
		frame = path.rate == VSCHED_RATE_MAX ? 0 :
			(unsigned __int128)frame_bytes * 1000000000 / path.rate;
		target = p_queue_target_ns(&set, frame_bytes, path.rate);
		lab_check(params.codel.target == target >> CODEL_SHIFT && target >= frame * !set.aqm.target_us,
			  "a target of %llu ns", target);
		lab_check(set.aqm.interval_us || params.codel.interval >= params.codel.target,
			  "an interval of %u at a target of %llu ns", params.codel.interval, target);
		lab_check(params.quantum >= 300 && params.quantum <= 4096, "a quantum of %u",
			  params.quantum);
		lab_check(set.limit.bytes || set.limit.packets ||
			  params.most_bytes >= 256ULL * frame_bytes, "few bytes may wait");
	}
	lab_ok("times of CoDel, and limits, by rates and frames");
}

/* --- sojourn times --- */

static void sojourn(void)
{
	struct vif_sojourn_summary s;
	u64 ticks, last = 0;

	for (ticks = 0; ticks <= ~0U; ticks += ticks < 5000 ? 1 : 1 + below(ticks / 8)) {
		struct vif_sojourn one = {};

		vif_sojourn_add(&one, ticks, between(1, 65535));
		vif_sojourn_summarize(&one, 0, &s);
		lab_check(s.p99_ns == ticks << 10 && s.mean_ns == s.p99_ns && s.max_ns == s.p99_ns,
			  "%llu ticks are %llu ns", ticks, s.p99_ns);
		lab_check(s.p99_ns >= last, "%llu ticks are less than before", ticks);
		last = s.p99_ns;
		vif_sojourn_summarize(&one, below(2) ? ~0U : 0, &s);
	}
	lab_ok("sojourn times of any length");
}

/* --- windows --- */

/**
 * struct peer - a connection, as its socket has it
 * @key: of the connection
 * @ack: acknowledged so far
 * @sent: packets
 * @edge: up to which it has announced
 * @scale: of its windows
 * @path: through which it goes
 */
struct peer {
	u32 key;
	u32 ack;
	u32 sent;
	u32 edge;
	u8 scale;
	struct vif_window_path path;
};

static u32 any_mtu(void)
{
	return below(8) ? between(68, 65536) : between(0, ~0U >> 1);
}

static void change_path(struct peer *p)
{
	struct vif_params_kept set = {};
	u32 frame_bytes = between(1, VIF_FRAME_MOST), headers = 52 + below(41), mtu = any_mtu();

	p->path.owner = p + below(3);
	p->path.limit = between(VSCHED_RATE_MIN, VSCHED_RATE_LIMIT);
	p->path.least_rtt_ns = below(4) ? between(0, VIF_WINDOW_RTT_MOST) : 0;
	p->path.rtt_ns = between(p->path.least_rtt_ns, VIF_WINDOW_RTT_MOST);
	p->path.mss = vif_mss(vif_mss_announced(below(4) ? between(0, 65535) : between(0, ~0U), p->scale,
					   p->path.limit));
	set.aqm.target_us = below(3) ? 0 : between(1, VIF_CODEL_MAX_US);
	p->path.target_ns = p_queue_target_ns(&set, frame_bytes, p->path.limit) / 2;
	vif_window_set_rate(&p->path, headers, mtu, frame_bytes);
	lab_check(p->path.rate <= p->path.limit, "a rate of %llu of %llu", p->path.rate,
		  p->path.limit);
}

static void begin_peer(struct peer *p)
{
	p->key = (u32)any() | 1;
	p->ack = (u32)any();
	p->sent = 0;
	p->scale = below(15);
	p->edge = p->ack;
	change_path(p);
}

/* An acknowledgement, of what was allowed, of some of it, or of anything. */
static void acknowledge(struct peer *p)
{
	u32 may = p->edge - p->ack;

	switch (below(8)) {
	case 0:
		p->ack += (u32)any();
		break;
	case 1:
		break;
	case 2:
	case 3:
		p->ack += (u32)between(0, may);
		break;
	default:
		p->ack += may;
	}
}

static void step(struct vif_windows *windows, struct peer *p, u64 now)
{
	struct vif_window *window = vif_window_find(windows, p->key);
	struct vif_offer offer = { .unit = 1U << p->scale, .first = !p->sent || !below(50) };
	u32 bytes, promised;

	if (window && below(2))
		vif_window_waited(window, between(0, ~0U), between(1, 65535));
	if (!below(20))
		change_path(p);
	acknowledge(p);
	offer.ack = p->ack;
	offer.bytes = (u32)between(0, 65535) << p->scale;
	offer.sent = below(30) ? p->sent : between(0, ~0U);
	offer.packets = between(1, 65535);
	promised = window && window->sent == offer.sent && !offer.first &&
		   (s32)(window->edge - offer.ack) > 0 ? window->edge - offer.ack : 0;
	bytes = vif_window_next(windows, window, p->key, &offer, &p->path, now);
	p->sent = offer.sent + offer.packets;
	p->edge = p->ack + bytes;
	lab_check(bytes <= offer.bytes && bytes % offer.unit == 0, "%u of %u are announced", bytes,
		  offer.bytes);
	lab_check(bytes >= promised || bytes == offer.bytes, "%u were promised, %u are announced",
		  promised, bytes);
	window = vif_window_find(windows, p->key);
	if (!window)
		return;
	lab_check(window->sharers && window->sharers <= VIF_WINDOWS, "%u share", window->sharers);
	lab_check(window->bytes >= VIF_MSS_LEAST && window->bytes <= (1U << 29) + 2 * VIF_MSS_MOST,
		  "a window of %u", window->bytes);
	lab_check(bytes || !offer.bytes, "nothing is announced");
	if (!below(200))
		vif_window_forget(windows, window);
}

static void windows(u64 from, u64 sessions)
{
	struct vif_windows *table = vif_windows_alloc();
	struct peer peer[CONNECTIONS];
	u64 now, i, n;

	for (session = from; session < from + sessions; session++) {
		state = (session + 1) * 0x9e3779b97f4a7c15ULL;
		memset(table, 0, sizeof(*table));
		for (i = 0; i < CONNECTIONS; i++)
			begin_peer(&peer[i]);
		now = between(0, 1ULL << 60);
		for (n = 0; n < STEPS; n++) {
			now += between(0, below(40) ? 1ULL << 30 : 1ULL << 50);
			step(table, &peer[below(CONNECTIONS)], now);
		}
	}
	vif_windows_free(table);
	lab_ok("windows: %llu sessions", sessions);
}

int main(int argc, char **argv)
{
	u64 seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 0;

	lab_where = where;
	state = 0x2545f4914f6cdd1dULL;
	if (argc <= 1) {
		announced_mss();
		gso();
		link_layer();
		config();
		sojourn();
	}
	windows(seed, argc > 2 ? strtoull(argv[2], NULL, 0) : 500);
	lab_plan();
	return 0;
}
