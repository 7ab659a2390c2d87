// SPDX-License-Identifier: GPL-2.0
/*
 * The filter of acknowledgements: pairs of random packets, made from a description, of which the
 * filter sees the bytes only. The earlier one may be dropped exactly if the descriptions say so.
 * Then random bytes, behind whose end nothing may be read.
 *
 *	ack [SEED [PAIRS]]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../vif/queue/ack.h"
#include "check.h"

enum {
	FIN = 0x01, SYN = 0x02, RST = 0x04, PSH = 0x08, ACK = 0x10, URG = 0x20, ECE = 0x40, CWR = 0x80
};

/* What a packet is. All that is beyond @tsecr makes it a packet that says more. */
struct description {
	bool six;
	u8 tos;
	u8 reserved;
	u8 flags;
	u16 sport, dport;
	u8 from, to;
	u32 seq, ack;
	bool times;
	bool aligned;
	u32 tsval, tsecr;
	u8 data;
	bool sack;
	bool unknown;
	bool ip_options;
	bool fragment;
	bool udp;
	bool cut;
	u8 padding;
};

static u64 state, seed;

static void where(void)
{
	printf("# ack %llu 1 shows it again\n", (unsigned long long)seed);
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

static bool rarely(void)
{
	return !below(24);
}

static void put32(u8 *to, u32 value)
{
	to[0] = value >> 24;
	to[1] = value >> 16 & 0xff;
	to[2] = value >> 8 & 0xff;
	to[3] = value & 0xff;
}

static void put16(u8 *to, u32 value)
{
	to[0] = value >> 8 & 0xff;
	to[1] = value & 0xff;
}

static u32 put_options(u8 *to, const struct description *d)
{
	u32 n = 0;

	if (d->times) {
		if (d->aligned) {
			to[n++] = 1;
			to[n++] = 1;
		}
		to[n++] = 8;
		to[n++] = 10;
		put32(to + n, d->tsval);
		put32(to + n + 4, d->tsecr);
		n += 8;
	}
	if (d->sack) {
		to[n++] = 5;
		to[n++] = 10;
		n += 8;
	}
	if (d->unknown) {
		to[n++] = 30;
		to[n++] = 4;
		n += 2;
	}
	/* an end, and what is behind it */
	while (n % 4)
		to[n++] = 0;
	return n;
}

/* Returns the length. */
static u32 build(u8 *p, const struct description *d)
{
	u32 header = d->six ? 40 : d->ip_options ? 24 : 20, options, total;
	u8 *tcp = p + header;

	memset(p, 0, 200);
	options = put_options(tcp + 20, d);
	total = header + 20 + options + d->data;
	if (d->six) {
		p[0] = 0x60 | d->tos >> 4;
		p[1] = (d->tos & 0xf) << 4 | below(16);
		put16(p + 4, total - 40);
		p[6] = d->udp ? 17 : d->fragment ? 44 : 6;
		p[23] = d->from;
		p[39] = d->to;
	} else {
		p[0] = 0x40 | header / 4;
		p[1] = d->tos;
		put16(p + 2, total);
		/* "do not fragment" says nothing */
		put16(p + 6, (d->fragment ? below(2) ? 0x2000 : 1 + below(0x1fff) : 0) | below(2) << 14);
		p[9] = d->udp ? 17 : 6;
		p[15] = d->from;
		p[19] = d->to;
	}
	put16(tcp, d->sport);
	put16(tcp + 2, d->dport);
	put32(tcp + 4, d->seq);
	put32(tcp + 8, d->ack);
	tcp[12] = (20 + options) / 4 << 4 | d->reserved;
	tcp[13] = d->flags;
	return d->cut ? total - 1 - below(total - 1) : total + d->padding;
}

static void describe(struct description *d)
{
	static const u8 flags[] = { FIN, SYN, RST, PSH, URG };

	*d = (struct description) {
		.six = below(2), .flags = ACK, .sport = 1000, .dport = 80, .from = 1, .to = 2,
		.seq = any(), .ack = any(), .times = below(4), .aligned = below(4), .tsval = any(),
		.tsecr = any(), .tos = below(4) ? 0 : below(256),
	};
	d->padding = below(4) ? 0 : below(7);
	if (rarely())
		d->flags |= flags[below(5)];
	if (rarely())
		d->flags &= ~ACK;
	if (rarely())
		d->flags |= ECE << below(2);
	if (rarely())
		d->reserved = below(16);
	d->data = rarely() ? 1 + below(20) : 0;
	d->sack = rarely();
	d->unknown = rarely();
	d->ip_options = !d->six && rarely();
	d->fragment = rarely();
	d->udp = rarely();
	d->cut = rarely();
}

static u32 later_by(u32 value)
{
	switch (below(12)) {
	case 0:
		return value - 1 - below(1 << 30);
	case 1:
	case 2:
	case 3:
		return value;
	default:
		return value + 1 + below(1 << 30);
	}
}

/* Something of the same connection that comes later, or nearly that. */
static void describe_next(struct description *next, const struct description *d)
{
	describe(next);
	next->six = rarely() ? !d->six : d->six;
	next->tos = rarely() ? any() : d->tos;
	next->reserved = rarely() ? below(16) : d->reserved;
	next->flags = rarely() ? next->flags : d->flags;
	next->times = rarely() ? !d->times : d->times;
	next->from = rarely() ? 3 : d->from;
	next->to = rarely() ? 3 : d->to;
	next->sport = rarely() ? 7 : d->sport;
	next->dport = rarely() ? 7 : d->dport;
	next->ack = later_by(d->ack);
	next->seq = below(3) ? d->seq : later_by(d->seq);
	next->tsval = below(3) ? d->tsval : later_by(d->tsval);
	next->tsecr = below(3) ? d->tsecr : later_by(d->tsecr);
	if (next->six)
		next->ip_options = false;
}

static bool is_plain(const struct description *d)
{
	return (d->flags & (FIN | SYN | RST | PSH | ACK | URG)) == ACK && !d->data && !d->sack &&
	       !d->unknown && !d->ip_options && !d->fragment && !d->udp && !d->cut;
}

static bool is_after(u32 a, u32 b)
{
	return a != b && a - b < 0x80000000;
}

static bool is_not_before(u32 a, u32 b)
{
	return a == b || is_after(a, b);
}

static bool should_cover(const struct description *a, const struct description *b)
{
	return is_plain(a) && is_plain(b) && a->six == b->six && a->from == b->from &&
	       a->to == b->to && a->sport == b->sport && a->dport == b->dport &&
	       a->tos == b->tos && a->reserved == b->reserved && a->flags == b->flags &&
	       is_after(a->ack, b->ack) && is_not_before(a->seq, b->seq) && a->times == b->times &&
	       (!a->times || (is_not_before(a->tsval, b->tsval) && is_not_before(a->tsecr, b->tsecr)));
}

/* Parses a copy that ends where the packet ends: a sanitizer sees what is read behind it. */
static bool parse(const u8 *bytes, u32 len, struct vif_ack *ack)
{
	u8 *copy = malloc(len ? len : 1);
	bool plain;

	memcpy(copy, bytes, len);
	plain = vif_ack_parse(copy, len, ack);
	free(copy);
	return plain;
}

static bool pair(void)
{
	struct description first, second;
	struct vif_ack earlier, later;
	bool plain, next, covers;
	u8 bytes[200];
	u32 len;

	describe(&first);
	describe_next(&second, &first);
	len = build(bytes, &first);
	plain = parse(bytes, len, &earlier);
	lab_check(plain == is_plain(&first), "a packet of %u bytes is %splain", len, plain ? "" : "not ");
	lab_check(!plain || len - first.padding <= VIF_ACK_MOST, "a plain one has %u bytes", len);
	len = build(bytes, &second);
	next = parse(bytes, len, &later);
	lab_check(next == is_plain(&second), "a packet of %u bytes is %splain", len, next ? "" : "not ");
	if (!plain || !next)
		return false;
	covers = vif_ack_covers(&later, &earlier);
	lab_check(covers == should_cover(&second, &first), "%u %s %u", later.ack,
		  covers ? "covers" : "does not cover", earlier.ack);
	return covers;
}

static void noise(void)
{
	struct vif_ack ack;
	u8 bytes[128];
	u32 i, len = below(sizeof(bytes));

	for (i = 0; i < len; i++)
		bytes[i] = any();
	if (len && below(4))
		bytes[0] = below(2) ? 0x45 : 0x60;
	if (len > 9 && below(4))
		bytes[bytes[0] == 0x45 ? 9 : 6] = 6;
	parse(bytes, len, &ack);
}

int main(int argc, char **argv)
{
	u64 first = argc > 1 ? strtoull(argv[1], NULL, 0) : 1, i;
	u64 pairs = argc > 2 ? strtoull(argv[2], NULL, 0) : 200000, covered = 0;

	lab_where = where;
	printf("KTAP version 1\n");
	for (i = 0; i < pairs; i++) {
		seed = first + i;
		state = seed * 0x9e3779b97f4a7c15ULL + 1;
		covered += pair();
		noise();
	}
	lab_check(pairs < 1000 || covered > pairs / 20, "only %llu pairs are covered",
		  (unsigned long long)covered);
	lab_ok("%llu pairs, of which %llu are covered", (unsigned long long)pairs,
	       (unsigned long long)covered);
	lab_plan();
	return 0;
}
