// SPDX-License-Identifier: GPL-2.0
/*
 * Instructions of classic BPF jump forward only. So one pass over them finds which can be reached:
 * a jump that depends on an unknown byte reaches both of its targets. If two ways that lead to an
 * instruction disagree about a register, it is unknown there.
 */
#include "partial.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

/* Offsets. <netinet/in.h> has an IP_PROTOCOL since glibc 2.41. */
#define AT_IP_PROTOCOL		9
#define AT_IP_ADDRESSES	12
#define AT_IP6_NEXT		6
#define AT_IP6_ADDRESSES	8

/* --- packets --- */

static bool is_ip6(const struct partial *packet)
{
	return packet->byte[0] >> 4 == 6;
}

static void set(struct partial *packet, size_t offset, const void *bytes, size_t count)
{
	memcpy(packet->byte + offset, bytes, count);
	memset(packet->is_known + offset, true, count);
}

void partial_init(struct partial *packet, int family)
{
	const uint8_t first = family == AF_INET6 ? 0x60 : 0x45;

	*packet = (struct partial) { 0 };
	set(packet, 0, &first, 1);
}

static void set_address(struct partial *packet, size_t number, const void *address)
{
	const size_t bytes = is_ip6(packet) ? sizeof(struct in6_addr) : sizeof(struct in_addr);

	set(packet, (is_ip6(packet) ? AT_IP6_ADDRESSES : AT_IP_ADDRESSES) + number * bytes, address, bytes);
}

void partial_set_source(struct partial *packet, const void *address)
{
	set_address(packet, 0, address);
}

void partial_set_destination(struct partial *packet, const void *address)
{
	set_address(packet, 1, address);
}

void partial_set_protocol(struct partial *packet, uint8_t protocol)
{
	set(packet, is_ip6(packet) ? AT_IP6_NEXT : AT_IP_PROTOCOL, &protocol, 1);
}

/* --- instructions --- */

struct value {
	bool is_known;
	uint32_t is;
};

/* The known state before an instruction; a and x are BPF's registers. */
struct state {
	bool is_reached;
	struct value a, x;
};

static const struct value unknown;

static struct value known(uint32_t is)
{
	return (struct value) { true, is };
}

static struct value join(struct value a, struct value b)
{
	return a.is_known && b.is_known && a.is == b.is ? a : unknown;
}

static void reach(struct state *to, const struct state *from)
{
	if (to->is_reached) {
		to->a = join(to->a, from->a);
		to->x = join(to->x, from->x);
	} else {
		*to = *from;
	}
}

static struct value load(const struct partial *packet, uint32_t offset, uint32_t bytes)
{
	struct value value = known(0);

	if (offset > sizeof(packet->byte) - bytes)
		return unknown;
	for (uint32_t i = offset; i < offset + bytes; i++) {
		if (!packet->is_known[i])
			return unknown;
		value.is = value.is << 8 | packet->byte[i];
	}
	return value;
}

static uint32_t size_of(uint16_t code)
{
	return BPF_SIZE(code) == BPF_B ? 1 : BPF_SIZE(code) == BPF_H ? 2 : 4;
}

static struct value read_packet(const struct sock_filter *insn, const struct state *state,
				const struct partial *packet)
{
	switch (BPF_MODE(insn->code)) {
	case BPF_IMM:
		return known(insn->k);
	case BPF_ABS:
		return load(packet, insn->k, size_of(insn->code));
	case BPF_IND:
		return state->x.is_known ? load(packet, state->x.is + insn->k, size_of(insn->code)) : unknown;
	case BPF_MSH: {
		const struct value byte = load(packet, insn->k, 1);

		return byte.is_known ? known((byte.is & 0xf) * 4) : unknown;
	}
	default:
		return unknown;
	}
}

static struct value operand(const struct sock_filter *insn, const struct state *state)
{
	return BPF_SRC(insn->code) == BPF_X ? state->x : known(insn->k);
}

/* Divisions and shifts are in no expression about an address: their results count as unknown. */
static struct value compute(const struct sock_filter *insn, const struct state *state)
{
	const struct value a = state->a, b = operand(insn, state);

	if (!a.is_known || !b.is_known)
		return unknown;
	switch (BPF_OP(insn->code)) {
	case BPF_ADD:
		return known(a.is + b.is);
	case BPF_SUB:
		return known(a.is - b.is);
	case BPF_AND:
		return known(a.is & b.is);
	case BPF_OR:
		return known(a.is | b.is);
	case BPF_XOR:
		return known(a.is ^ b.is);
	default:
		return unknown;
	}
}

static bool compare(uint16_t op, uint32_t a, uint32_t b)
{
	return op == BPF_JEQ ? a == b : op == BPF_JGT ? a > b : op == BPF_JGE ? a >= b : a & b;
}

/* Reach the instructions that may follow a jump at @at. */
static void jump(struct state *at, const struct sock_filter *insn)
{
	const struct value b = operand(insn, at);
	const bool is_known = at->a.is_known && b.is_known;
	const bool is_true = is_known && compare(BPF_OP(insn->code), at->a.is, b.is);

	if (BPF_OP(insn->code) == BPF_JA) {
		reach(at + 1 + insn->k, at);
		return;
	}
	if (!is_known || is_true)
		reach(at + 1 + insn->jt, at);
	if (!is_known || !is_true)
		reach(at + 1 + insn->jf, at);
}

static void step(struct state *at, const struct sock_filter *insn, const struct partial *packet)
{
	struct state after = *at;

	switch (BPF_CLASS(insn->code)) {
	case BPF_JMP:
		jump(at, insn);
		return;
	case BPF_RET:
		return;
	case BPF_LD:
		after.a = read_packet(insn, at, packet);
		break;
	case BPF_LDX:
		after.x = read_packet(insn, at, packet);
		break;
	case BPF_ALU:
		after.a = compute(insn, at);
		break;
	case BPF_MISC:
		if (BPF_MISCOP(insn->code) == BPF_TAX)
			after.x = at->a;
		else
			after.a = at->x;
		break;
	}
	reach(at + 1, &after);
}

bool partial_can_match(const struct insns *insns, const struct partial *packet)
{
	struct state *state = calloc(insns->count + 1, sizeof(*state));
	bool can = !state;	/* unknown without memory */

	if (state)
		state->is_reached = true;
	for (size_t i = 0; i < insns->count && !can; i++) {
		const struct sock_filter *insn = &insns->insn[i];

		if (!state[i].is_reached)
			continue;
		if (BPF_CLASS(insn->code) == BPF_RET)
			can = BPF_RVAL(insn->code) != BPF_K || insn->k;
		else
			step(&state[i], insn, packet);
	}
	free(state);
	return can;
}
