// SPDX-License-Identifier: GPL-2.0
/*
 * progfuzz VIF COUNT SEED FOLDER
 *
 * Writes so many random programs to the VIF's file "program" and to those of VIFs below it, which
 * are made, moved and removed meanwhile. Most are valid: they have to be taken. The others have
 * one thing wrong with them: they have to be refused with the error that is documented for it,
 * and the file be as before. FOLDER is of a file system of type bpf: two programs of eBPF are
 * pinned there, "right", and "wrong", of another type. Prints how much was done; the first thing
 * that is otherwise ends it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/bpf.h>
#include <linux/filter.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "program.h"

#define LONGEST		4097
#define BELOW		4		/* VIFs, each in the VIF or in another one of them */
#define CLASSES		15
#define DROP		0xffffffffU

static uint64_t state;

static uint32_t any(uint32_t n)
{
	uint64_t x = state += 0x9e3779b97f4a7c15;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
	x = (x ^ x >> 27) * 0x94d049bb133111eb;
	return ((x ^ x >> 31) >> 32) * n >> 32;
}

#define one_of(...) ({								\
	static const uint32_t them[] = { __VA_ARGS__ };				\
	them[any(sizeof(them) / sizeof(*them))]; })

/* --- programs ------------------------------------------------------------------ */

static struct sock_filter insns[LONGEST + 1];
static int length;

static void put(int code, int jt, int jf, uint32_t k)
{
	insns[length++] = (struct sock_filter) { code, jt, jf, k };
}

static uint32_t verdict(void)
{
	return one_of(0, 1, 2, 3, 4, 5, 15, 16, DROP, 0x7fffffff);
}

static void put_load(void)
{
	const uint32_t size = one_of(BPF_W, BPF_H, BPF_B);

	switch (any(8)) {
	case 0:
		put(BPF_LD | size | BPF_IND, 0, 0, any(100));
		break;
	case 1:
		put(BPF_LD | BPF_IMM, 0, 0, any(UINT32_MAX));
		break;
	case 2:
		put(BPF_LD | BPF_MEM, 0, 0, any(BPF_MEMWORDS));
		break;
	case 3:
		put(BPF_LDX | BPF_B | BPF_MSH, 0, 0, any(60));
		break;
	case 4:
		put(one_of(BPF_LDX | BPF_MEM, BPF_LDX | BPF_IMM), 0, 0, any(BPF_MEMWORDS));
		break;
	case 5:
		put(BPF_LD | BPF_W | BPF_ABS, 0, 0,
		    SKF_AD_OFF + one_of(SKF_AD_PROTOCOL, SKF_AD_PKTTYPE));
		break;
	case 6:
		put(one_of(BPF_LD | BPF_W | BPF_LEN, BPF_LDX | BPF_W | BPF_LEN), 0, 0, 0);
		break;
	default:
		put(BPF_LD | size | BPF_ABS, 0, 0, one_of(0, 1, 6, 9, 16, 20, 22, 40, 63, 1400, 70000));
	}
}

static void put_compute(void)
{
	const uint32_t op = one_of(BPF_ADD, BPF_SUB, BPF_MUL, BPF_DIV, BPF_MOD, BPF_OR, BPF_AND,
				   BPF_XOR, BPF_LSH, BPF_RSH, BPF_NEG);

	if (op == BPF_NEG)
		put(BPF_ALU | op, 0, 0, 0);
	else if (any(2))
		put(BPF_ALU | op | BPF_X, 0, 0, 0);
	else
		put(BPF_ALU | op | BPF_K, 0, 0,
		    op == BPF_LSH || op == BPF_RSH ? any(32) : 1 + any(UINT32_MAX - 1));
}

/* To what is there still: @left instructions come behind it. */
static void put_jump(int left)
{
	const uint32_t most = left < 256 ? left : 256;

	if (any(4))
		put(BPF_JMP | one_of(BPF_JEQ, BPF_JGT, BPF_JGE, BPF_JSET) | one_of(BPF_K, BPF_X),
		    any(most), any(most), one_of(0, 1, 17, 53, 443, 0x45, 0x60));
	else
		put(BPF_JMP | BPF_JA, 0, 0, any(left));
}

/* All of the memory is written first, as it may be read from then on, on whatever way. */
static void make_valid(void)
{
	const int count = any(50) ? 20 + any(60) : 4096;

	length = 0;
	for (int i = 0; i < BPF_MEMWORDS; i++)
		put(one_of(BPF_ST, BPF_STX), 0, 0, i);
	while (length < count - 1)
		switch (any(8)) {
		case 0:
			put_jump(count - 1 - length);
			break;
		case 1:
			put(one_of(BPF_ST, BPF_STX), 0, 0, any(BPF_MEMWORDS));
			break;
		case 2:
			put(BPF_MISC | one_of(BPF_TAX, BPF_TXA), 0, 0, 0);
			break;
		case 3:
			if (any(20) == 0)
				put(BPF_RET | one_of(BPF_K, BPF_A), 0, 0, verdict());
			else
				put_compute();
			break;
		case 4:
		case 5:
			put_compute();
			break;
		default:
			put_load();
		}
	put(BPF_RET | one_of(BPF_K, BPF_A), 0, 0, verdict());
}

static char text[LONGEST * 40];

static void print(const char *before, int said)
{
	int at = sprintf(text, "%s%d", before, said);

	for (int i = 0; i < length; i++)
		at += sprintf(text + at, ",%u %u %u %u", insns[i].code, insns[i].jt, insns[i].jf,
			      insns[i].k);
	if (any(4) == 0)
		sprintf(text + at, ",# %u", any(1000));
}

/* --- what is wrong with others --------------------------------------------------- */

static const char *pinned;

/* An instruction at random, but the last one, becomes that. */
static void spoil(int code, int jt, int jf, uint32_t k)
{
	insns[any(length - 1)] = (struct sock_filter) { code, jt, jf, k };
}

#define WRONG	15

/* Return: the error that it has to give. */
static int make_wrong(uint32_t kind, const char *before)
{
	int said = 0;

	make_valid();
	switch (kind) {
	case 0:
		spoil(BPF_JMP | BPF_JA, 0, 0, -1 - any(20));
		break;
	case 1:
		insns[length - 2] = (struct sock_filter) { BPF_JMP | BPF_JEQ, 1 + any(255), 0, 0 };
		break;
	case 2:
		insns[length - 1] = (struct sock_filter) { BPF_LD | BPF_IMM, 0, 0, 0 };
		break;
	case 3:
		spoil(0xffff - any(0x1000), 0, 0, 0);
		break;
	case 4:
		spoil(BPF_ALU | one_of(BPF_DIV, BPF_MOD), 0, 0, 0);
		break;
	case 5:
		spoil(BPF_ALU | one_of(BPF_LSH, BPF_RSH), 0, 0, 32 + any(1000));
		break;
	case 6:
		insns[0] = (struct sock_filter) { BPF_LD | BPF_MEM, 0, 0, any(BPF_MEMWORDS) };
		break;
	case 7:
		spoil(BPF_LD | BPF_MEM, 0, 0, BPF_MEMWORDS + any(100));
		break;
	case 8:
		said = one_of(-1, 1);
		break;
	case 9:
		length = 0;
		while (length < LONGEST - 1)
			put(BPF_LD | BPF_IMM, 0, 0, 0);
		put(BPF_RET, 0, 0, 0);
		print(before, length);
		return E2BIG;
	case 10:
		spoil(BPF_LD | BPF_W | BPF_ABS, 0, 0,
		      SKF_AD_OFF + one_of(SKF_AD_CPU, SKF_AD_RANDOM, SKF_AD_QUEUE, SKF_AD_MARK));
		print(before, length);
		return EOPNOTSUPP;
	case 11:
		spoil(BPF_LD | BPF_B | BPF_ABS, 0, 0, SKF_LL_OFF + any(20));
		print(before, length);
		return EOPNOTSUPP;
	case 12:
		sprintf(text, "%s%s/nothing", before, pinned);
		return ENOENT;
	case 13:
		sprintf(text, "%s%s/wrong", before, pinned);
		return EINVAL;
	default:
		sprintf(text, "%suid 4294967295 1,6 0 0 1", before);
		return EINVAL;
	}
	print(before, length + said);
	return EINVAL;
}

/* --- files ------------------------------------------------------------------------ */

static void __attribute__((noreturn)) wrong(const char *what, const char *path, int got, int want)
{
	printf("%s: %s: %s, and not %s\n%.2000s\n", what, path, strerror(got), strerror(want), text);
	exit(1);
}

static int write_text(const char *path, const char *what)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC), err = 0;
	size_t len = strlen(what);

	if (fd < 0)
		return errno;
	if (write(fd, what, len) != (ssize_t)len)
		err = errno;
	close(fd);
	return err;
}

static void read_text(const char *path, char *to, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t len, at = 0;

	while (fd >= 0 && (len = read(fd, to + at, size - 1 - at)) > 0)
		at += len;
	to[at] = '\0';
	close(fd);
}

/* --- VIFs ------------------------------------------------------------------------- */

static const char *top;
static char place[BELOW][PATH_MAX];		/* where each is; empty: not there */
static unsigned long taken, refused, removals, moves, classes;

static bool has_below(int i)
{
	for (int n = 0; n < BELOW; n++)
		if (n != i && !strncmp(place[n], place[i], strlen(place[i])) &&
		    place[n][strlen(place[i])] == '/')
			return true;
	return false;
}

static void set_class(int i)
{
	char path[PATH_MAX + 8], number[32];
	int err;

	snprintf(path, sizeof(path), "%s/class", place[i]);
	if (any(5) == 0) {
		snprintf(number, sizeof(number), "%u", CLASSES + 1 + any(1000));
		err = write_text(path, number);
		if (err != EINVAL && err != ERANGE)
			wrong("an unknown class", path, err, EINVAL);
		refused++;
		return;
	}
	snprintf(number, sizeof(number), "%u", 1 + any(6));
	err = write_text(path, number);
	if (err && err != EEXIST)
		wrong("a class", path, err, 0);
	classes++;
}

static void make_or_remove(int i)
{
	if (!*place[i]) {
		snprintf(place[i], PATH_MAX, "%s/%d", top, i);
		if (mkdir(place[i], 0755))
			wrong("mkdir", place[i], errno, 0);
		set_class(i);
	} else if (!has_below(i)) {
		if (rmdir(place[i]))
			wrong("rmdir", place[i], errno, 0);
		*place[i] = '\0';
		removals++;
	}
}

/* Below another one, or back. A class that a VIF has there is in the way. */
static void move(int i)
{
	const int to = any(BELOW);
	char path[PATH_MAX];

	if (!*place[i] || has_below(i) || to == i)
		return;
	snprintf(path, sizeof(path), "%.3000s/%d", *place[to] && any(2) ? place[to] : top, i);
	if (!strcmp(path, place[i]))
		return;
	if (!rename(place[i], path)) {
		strcpy(place[i], path);
		moves++;
	} else if (errno != EEXIST) {
		wrong("mv", path, errno, 0);
	}
}

/* --- one after the other ------------------------------------------------------------ */

static const char *random_before(void)
{
	static const char *const before[] = {
		"", "", "egress ", "ingress ", "uid 1000 ", "egress uid 1000 ", "admin ",
	};
	const char *one = before[any(sizeof(before) / sizeof(*before))];

	return length > 512 && strstr(one, "uid") ? "" : one;
}

static void write_valid(const char *path)
{
	int err;

	make_valid();
	switch (any(10)) {
	case 0:
		sprintf(text, "%snone", any(2) ? "" : one_of(0, 1) ? "egress " : "ingress ");
		break;
	case 1:
		sprintf(text, "%s/right", pinned);
		break;
	default:
		print(random_before(), length);
	}
	err = write_text(path, text);
	if (err)
		wrong("a valid program", path, err, 0);
	taken++;
}

static void write_wrong(const char *path)
{
	static char before[1 << 20], after[1 << 20];
	int want, err;

	read_text(path, before, sizeof(before));
	want = make_wrong(any(WRONG), any(2) ? "" : "egress ");
	err = write_text(path, text);
	if (err != want)
		wrong("an invalid program", path, err, want);
	read_text(path, after, sizeof(after));
	if (strcmp(before, after))
		wrong("an invalid program has changed the file", path, err, want);
	refused++;
}

static void go(void)
{
	const int i = any(BELOW);
	char path[PATH_MAX + 16];

	if (any(20) == 0)
		make_or_remove(i);
	if (any(20) == 0)
		move(i);
	if (any(20) == 0 && *place[i])
		set_class(i);
	snprintf(path, sizeof(path), "%s/program", *place[i] && any(2) ? place[i] : top);
	if (any(5))
		write_valid(path);
	else
		write_wrong(path);
}

static void pin(const char *name, enum bpf_prog_type type)
{
	const struct bpf_insn insn[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .imm = 1 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	union bpf_attr attr = {
		.prog_type = type, .insns = (uintptr_t)insn, .insn_cnt = 2,
		.license = (uintptr_t)"GPL",
	};
	int fd = syscall(SYS_bpf, BPF_PROG_LOAD, &attr, sizeof(attr));
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", pinned, name);
	memset(&attr, 0, sizeof(attr));
	attr.bpf_fd = fd;
	attr.pathname = (uintptr_t)path;
	if (fd < 0 || syscall(SYS_bpf, BPF_OBJ_PIN, &attr, sizeof(attr)))
		die(path);
	close(fd);
}

int main(int argc, char **argv)
{
	unsigned long count;

	if (argc != 5)
		die("progfuzz VIF COUNT SEED PINNED");
	top = argv[1];
	count = strtoul(argv[2], NULL, 0);
	state = strtoull(argv[3], NULL, 0);
	pinned = argv[4];
	pin("right", BPF_PROG_TYPE_SOCKET_FILTER);
	pin("wrong", BPF_PROG_TYPE_SCHED_CLS);
	stop_on_signals(0);
	for (unsigned long i = 0; i < count && !stopped; i++)
		go();
	printf("taken %lu\nrefused %lu\nremovals %lu\nmoves %lu\nclasses %lu\n", taken, refused,
	       removals, moves, classes);
	return 0;
}
