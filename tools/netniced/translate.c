// SPDX-License-Identifier: GPL-2.0
/*
 * Each instruction of classic BPF is one or a few of eBPF. Accumulator, index and the packet have
 * registers that calls leave alone; the scratch memory is on the stack. A load beyond the
 * packet ends the program with 0, in both.
 *
 *	stack, from its end:	-24 name, -16 address (struct bpf_name); -152 scratch memory
 *
 * Each of these has whole words of 8 bytes: without CAP_PERFMON the verifier of older kernels
 * allows no partial write to a word in which a register is saved.
 */
#include "translate.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "array.h"
#include "bpf.h"

#define ACCUMULATOR	BPF_REG_7
#define INDEX		BPF_REG_8
#define PACKET		BPF_REG_6
#define UNTIL		BPF_REG_9
#define KEY		(-24)
#define ADDRESS		(-16)
#define SCRATCH(k)	(-152 + 8 * (int)(k))

/* @to: the instruction of classic BPF that a jump leads to, or NOWHERE: its offset is right */
struct emitted {
	struct bpf_insn insn;
	long to;
};

#define NOWHERE	(-1L)

struct output {
	struct emitted *emitted;
	size_t count;
	bool is_failed;
};

uint64_t name_hash(const char *name)
{
	uint64_t hash = 0xcbf29ce484222325ULL;

	for (; *name; name++)
		hash = (hash ^ (unsigned char)*name) * 0x100000001b3ULL;
	return hash;
}

static void put_to(struct output *out, struct bpf_insn insn, long to)
{
	struct emitted *emitted = array_add(&out->emitted, &out->count, sizeof(*emitted));

	if (emitted)
		*emitted = (struct emitted) { .insn = insn, .to = to };
	else
		out->is_failed = true;
}

#define put(out, op, dst, src, offset, value)						\
	put_to(out, (struct bpf_insn) {							\
		.code = (op), .dst_reg = (dst), .src_reg = (src), .off = (offset),	\
		.imm = (value) }, NOWHERE)

static void put_wide(struct output *out, int dst, int kind, uint64_t value)
{
	put(out, BPF_LD | BPF_DW | BPF_IMM, dst, kind, 0, (uint32_t)value);
	put(out, 0, 0, 0, 0, value >> 32);
}

static void put_move(struct output *out, int dst, int src)
{
	put(out, BPF_ALU64 | BPF_MOV | BPF_X, dst, src, 0, 0);
}

static void put_set(struct output *out, int dst, int value)
{
	put(out, BPF_ALU | BPF_MOV | BPF_K, dst, 0, 0, value);
}

static void put_call(struct output *out, int function)
{
	put(out, BPF_JMP | BPF_CALL, 0, 0, 0, function);
}

/* --- names --- */

/* Bytes of the packet, onto the stack; there are zeros if the packet ends before. */
static void put_bytes(struct output *out, int from, int to, int count)
{
	put_move(out, BPF_REG_1, PACKET);
	put_set(out, BPF_REG_2, from);
	put_move(out, BPF_REG_3, BPF_REG_10);
	put(out, BPF_ALU64 | BPF_ADD | BPF_K, BPF_REG_3, 0, 0, to);
	put_set(out, BPF_REG_4, count);
	put_call(out, BPF_FUNC_skb_load_bytes);
}

#define BYTES_LENGTH	6

static void put_address(struct output *out, bool source)
{
	put(out, BPF_LD | BPF_B | BPF_ABS, 0, 0, 0, 0);
	put(out, BPF_ALU | BPF_RSH | BPF_K, BPF_REG_0, 0, 0, 4);
	put(out, BPF_JMP | BPF_JEQ | BPF_K, BPF_REG_0, 0, 3 + BYTES_LENGTH + 1, 6);
	put(out, BPF_ST | BPF_MEM | BPF_DW, BPF_REG_10, 0, ADDRESS, 0);
	put(out, BPF_ST | BPF_MEM | BPF_DW, BPF_REG_10, 0, ADDRESS + 8, 0);
	put(out, BPF_ST | BPF_MEM | BPF_H, BPF_REG_10, 0, ADDRESS + 10, 0xffff);
	put_bytes(out, source ? 12 : 16, ADDRESS + 12, 4);
	put(out, BPF_JMP | BPF_JA, 0, 0, BYTES_LENGTH, 0);
	put_bytes(out, source ? 8 : 24, ADDRESS, 16);
}

/*
 * 0 if the table still has the address for the name. An address that is seen stays in the table for
 * some time, so that a long connection does not change its VIF.
 */
static void put_name(struct output *out, const char *name, int table)
{
	put_wide(out, BPF_REG_1, 0, name_hash(name));
	put(out, BPF_STX | BPF_MEM | BPF_DW, BPF_REG_10, BPF_REG_1, KEY, 0);
	put_wide(out, BPF_REG_1, BPF_PSEUDO_MAP_FD, table);
	put_move(out, BPF_REG_2, BPF_REG_10);
	put(out, BPF_ALU64 | BPF_ADD | BPF_K, BPF_REG_2, 0, 0, KEY);
	put_call(out, BPF_FUNC_map_lookup_elem);
	put_set(out, ACCUMULATOR, 1);
	put(out, BPF_JMP | BPF_JEQ | BPF_K, BPF_REG_0, 0, 10, 0);
	put_move(out, UNTIL, BPF_REG_0);
	put_call(out, BPF_FUNC_ktime_get_boot_ns);
	put(out, BPF_LDX | BPF_MEM | BPF_DW, BPF_REG_1, UNTIL, 0, 0);
	put(out, BPF_JMP | BPF_JGT | BPF_X, BPF_REG_0, BPF_REG_1, 6, 0);
	put_set(out, ACCUMULATOR, 0);
	put_wide(out, BPF_REG_2, 0, NAME_LEAST_NS);
	put(out, BPF_ALU64 | BPF_ADD | BPF_X, BPF_REG_0, BPF_REG_2, 0, 0);
	put(out, BPF_JMP | BPF_JGE | BPF_X, BPF_REG_1, BPF_REG_0, 1, 0);
	put(out, BPF_STX | BPF_MEM | BPF_DW, UNTIL, BPF_REG_0, 0, 0);
}

/* --- instructions of classic BPF --- */

/* The name of a table lookup, or NULL if the value is a byte of the packet. */
static const char *name_of(const struct sock_filter *insn, const struct words *names)
{
	const unsigned int number = insn->k - NAME_OFFSET;

	if (insn->code != (BPF_LD | BPF_B | BPF_ABS) || insn->k < NAME_OFFSET ||
	    number >= names->count)
		return NULL;
	return names->word[number];
}

static bool put_load(struct output *out, const struct sock_filter *insn)
{
	const bool is_index = BPF_CLASS(insn->code) == BPF_LDX;
	const int to = is_index ? INDEX : ACCUMULATOR;

	switch (BPF_MODE(insn->code)) {
	case BPF_ABS:
	case BPF_IND:
		put(out, insn->code, 0, BPF_MODE(insn->code) == BPF_IND ? INDEX : 0, 0, insn->k);
		put_move(out, to, BPF_REG_0);
		return !is_index;
	case BPF_MSH:
		put(out, BPF_LD | BPF_B | BPF_ABS, 0, 0, 0, insn->k);
		put(out, BPF_ALU | BPF_AND | BPF_K, BPF_REG_0, 0, 0, 0xf);
		put(out, BPF_ALU | BPF_LSH | BPF_K, BPF_REG_0, 0, 0, 2);
		put_move(out, to, BPF_REG_0);
		return is_index;
	case BPF_IMM:
		put_set(out, to, insn->k);
		return true;
	case BPF_MEM:
		put(out, BPF_LDX | BPF_MEM | BPF_DW, to, BPF_REG_10, SCRATCH(insn->k), 0);
		return insn->k < BPF_MEMWORDS;
	case BPF_LEN:
		put(out, BPF_LDX | BPF_MEM | BPF_W, to, PACKET,
		    offsetof(struct __sk_buff, len), 0);
		return true;
	default:
		return false;
	}
}

static void put_alu(struct output *out, const struct sock_filter *insn)
{
	const bool by_index = BPF_SRC(insn->code) == BPF_X && BPF_OP(insn->code) != BPF_NEG;

	put(out, insn->code, ACCUMULATOR, by_index ? INDEX : 0, 0, by_index ? 0 : insn->k);
}

/* Compared are 32 bits. */
static void put_jump(struct output *out, const struct sock_filter *insn, size_t at)
{
	const bool by_index = BPF_SRC(insn->code) == BPF_X;

	if (BPF_OP(insn->code) != BPF_JA)
		put_to(out, (struct bpf_insn) {
			.code = BPF_JMP32 | BPF_OP(insn->code) | BPF_SRC(insn->code),
			.dst_reg = ACCUMULATOR, .src_reg = by_index ? INDEX : 0,
			.imm = by_index ? 0 : insn->k }, at + 1 + insn->jt);
	put_to(out, (struct bpf_insn) { .code = BPF_JMP | BPF_JA },
	       at + 1 + (BPF_OP(insn->code) == BPF_JA ? insn->k : insn->jf));
}

static bool put_insn(struct output *out, const struct sock_filter *insn, size_t at)
{
	switch (BPF_CLASS(insn->code)) {
	case BPF_LD:
	case BPF_LDX:
		return put_load(out, insn);
	case BPF_ST:
	case BPF_STX:
		put(out, BPF_STX | BPF_MEM | BPF_DW, BPF_REG_10,
		    BPF_CLASS(insn->code) == BPF_STX ? INDEX : ACCUMULATOR, SCRATCH(insn->k), 0);
		return insn->k < BPF_MEMWORDS;
	case BPF_ALU:
		put_alu(out, insn);
		return true;
	case BPF_JMP:
		put_jump(out, insn, at);
		return true;
	case BPF_RET:
		put_set(out, BPF_REG_0, insn->k);
		put(out, BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
		return BPF_RVAL(insn->code) == BPF_K;
	default:
		put_move(out, BPF_MISCOP(insn->code) == BPF_TAX ? INDEX : ACCUMULATOR,
			 BPF_MISCOP(insn->code) == BPF_TAX ? ACCUMULATOR : INDEX);
		return true;
	}
}

/* --- all of it --- */

/* Jumps know now how far they go. */
static struct bpf_insn *finish(const struct output *out, const size_t *begins, size_t *count)
{
	struct bpf_insn *result = calloc(out->count, sizeof(*result));

	for (size_t i = 0; result && i < out->count; i++) {
		const long to = out->emitted[i].to;
		const size_t far = to == NOWHERE ? 0 : begins[to] - i - 1;

		result[i] = out->emitted[i].insn;
		if (far > INT16_MAX) {
			free(result);
			errno = E2BIG;
			return NULL;
		}
		if (to != NOWHERE)
			result[i].off = far;
	}
	*count = out->count;
	return result;
}

struct bpf_insn *translate(const struct insns *insns, const struct words *names, int source,
			   int table, size_t *count)
{
	size_t *begins = calloc(insns->count + 1, sizeof(*begins));
	struct output out = { .is_failed = !begins };
	struct bpf_insn *result = NULL;
	const char *name;
	bool known = true;

	put_move(&out, PACKET, BPF_REG_1);
	put_set(&out, ACCUMULATOR, 0);
	put_set(&out, INDEX, 0);
	if (names->count)
		put_address(&out, source);
	for (size_t i = 0; known && !out.is_failed && i < insns->count; i++) {
		begins[i] = out.count;
		name = name_of(&insns->insn[i], names);
		if (name)
			put_name(&out, name, table);
		else
			known = put_insn(&out, &insns->insn[i], i);
	}
	errno = known ? ENOMEM : EOPNOTSUPP;
	if (known && !out.is_failed)
		result = finish(&out, begins, count);
	free(out.emitted);
	free(begins);
	return result;
}
