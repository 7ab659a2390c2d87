// SPDX-License-Identifier: GPL-2.0
/* the words of kinds that are about XDP and BPF: small programs, and sockets of XDP */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/if_link.h>
#include <linux/if_xdp.h>
#include <net/if.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kinds.h"

#define ARRAY_SIZE(array) (sizeof(array) / sizeof(*(array)))

#ifndef AF_XDP
#define AF_XDP 44
#endif
#ifndef SOL_XDP
#define SOL_XDP 283
#endif

/* since 6.6 */
#define TCX_INGRESS	46
#define TCX_NEXT	(-1)
/* since 6.7: packets that the other end of a netkit sends */
#define NETKIT_PEER	55

/* --- programs ----------------------------------------------------------------- */

#define INSN(op, dst, src, offset, value) \
	((struct bpf_insn){ .code = (op), .dst_reg = (dst), .src_reg = (src), \
			    .off = (offset), .imm = (value) })
#define COPY(dst, src)	INSN(BPF_ALU64 | BPF_MOV | BPF_X, dst, src, 0, 0)
#define SET(dst, value)	INSN(BPF_ALU64 | BPF_MOV | BPF_K, dst, 0, 0, value)
#define ADD(dst, value)	INSN(BPF_ALU64 | BPF_ADD | BPF_K, dst, 0, 0, value)
#define STORE(offset, value) INSN(BPF_ST | BPF_MEM | BPF_W, 10, 0, offset, value)
#define CALL(function)	INSN(BPF_JMP | BPF_CALL, 0, 0, 0, function)
#define IF_ZERO(reg, skip) INSN(BPF_JMP | BPF_JEQ | BPF_K, reg, 0, skip, 0)
#define LOAD(dst, src, offset) INSN(BPF_LDX | BPF_MEM | BPF_W, dst, src, offset, 0)
#define UNLESS(reg, value, skip) INSN(BPF_JMP32 | BPF_JNE | BPF_K, reg, 0, skip, value)
#define EXIT()		INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0)

static int bpf(int command, union bpf_attr *attr, const char *what)
{
	int fd = syscall(SYS_bpf, command, attr, sizeof(*attr));

	if (fd < 0)
		die(what);
	return fd;
}

/* It stays there, on a device or a control group's descriptor, for as long as this process. */
static void attach_to(int to, enum bpf_prog_type type, unsigned int where, unsigned int flags,
		      const struct bpf_insn *insn, unsigned int n)
{
	union bpf_attr attr = {
		.prog_type = type,
		.expected_attach_type = type == BPF_PROG_TYPE_CGROUP_SOCK_ADDR ? where : 0,
		.insns = (uintptr_t)insn,
		.insn_cnt = n,
		.license = (uintptr_t)"GPL",
	};
	int program = bpf(BPF_PROG_LOAD, &attr, "BPF_PROG_LOAD");

	memset(&attr, 0, sizeof(attr));
	attr.link_create.prog_fd = program;
	attr.link_create.target_fd = to;
	attr.link_create.attach_type = where;
	attr.link_create.flags = flags;
	bpf(BPF_LINK_CREATE, &attr, "BPF_LINK_CREATE");
}

static void attach(const char *device, enum bpf_prog_type type, unsigned int where,
		   unsigned int flags, const struct bpf_insn *insn, unsigned int n)
{
	attach_to(if_nametoindex(device), type, where, flags, insn, n);
}

static void attach_xdp(const char *device, unsigned int mode, const struct bpf_insn *insn,
		       unsigned int n)
{
	attach(device, BPF_PROG_TYPE_XDP, BPF_XDP, mode, insn, n);
}

/* a map of one number: how many packets a program has seen */
static int seen = -1;

static void attach_counter(const char *device, unsigned int mode)
{
	const struct bpf_insn insn[] = {
		STORE(-4, 0),
		COPY(2, 10),
		ADD(2, -4),
		INSN(BPF_LD | BPF_DW | BPF_IMM, 1, BPF_PSEUDO_MAP_FD, 0, seen),
		INSN(0, 0, 0, 0, 0),
		CALL(BPF_FUNC_map_lookup_elem),
		IF_ZERO(0, 2),
		SET(1, 1),
		INSN(BPF_STX | BPF_ATOMIC | BPF_DW, 0, 1, 0, BPF_ADD),
		SET(0, XDP_PASS),
		EXIT(),
	};

	attach_xdp(device, mode, insn, ARRAY_SIZE(insn));
}

static void count_xdp(const char *device, unsigned int mode)
{
	union bpf_attr attr = {
		.map_type = BPF_MAP_TYPE_ARRAY,
		.key_size = sizeof(uint32_t),
		.value_size = sizeof(uint64_t),
		.max_entries = 1,
	};

	seen = bpf(BPF_MAP_CREATE, &attr, "BPF_MAP_CREATE");
	attach_counter(device, mode);
}

static void word_xdp(struct actor *a)
{
	count_xdp(a->arg[0], XDP_FLAGS_SKB_MODE);
}

static void word_xdp_native(struct actor *a)
{
	count_xdp(a->arg[0], XDP_FLAGS_DRV_MODE);
}

static void word_xdp_seen(struct actor *a)
{
	uint32_t key = 0;
	uint64_t value;
	union bpf_attr attr = {
		.map_fd = seen,
		.key = (uintptr_t)&key,
		.value = (uintptr_t)&value,
	};

	(void)a;
	bpf(BPF_MAP_LOOKUP_ELEM, &attr, "xdp-seen");
	printf("%llu\n", (unsigned long long)value);
	fflush(stdout);
}

static void word_xdp_redirect(struct actor *a)
{
	const struct bpf_insn insn[] = {
		SET(1, if_nametoindex(a->arg[1])),
		SET(2, 0),
		CALL(BPF_FUNC_redirect),
		EXIT(),
	};

	attach_xdp(a->arg[0], XDP_FLAGS_SKB_MODE, insn, ARRAY_SIZE(insn));
}

static void word_xdp_return(struct actor *a)
{
	const struct bpf_insn insn[] = { SET(0, XDP_TX), EXIT() };

	attach_xdp(a->arg[0], XDP_FLAGS_SKB_MODE, insn, ARRAY_SIZE(insn));
}

static void attach_assigner(const char *device, uint32_t address, uint16_t port)
{
	const struct bpf_insn insn[] = {
		COPY(6, 1),
		STORE(-12, 0),
		STORE(-8, address),
		STORE(-4, port << 16),
		COPY(2, 10),
		ADD(2, -12),
		SET(3, 12),
		SET(4, BPF_F_CURRENT_NETNS),
		SET(5, 0),
		CALL(BPF_FUNC_sk_lookup_udp),
		IF_ZERO(0, 7),
		COPY(7, 0),
		COPY(1, 6),
		COPY(2, 7),
		SET(3, 0),
		CALL(BPF_FUNC_sk_assign),
		COPY(1, 7),
		CALL(BPF_FUNC_sk_release),
		SET(0, TCX_NEXT),
		EXIT(),
	};

	attach(device, BPF_PROG_TYPE_SCHED_CLS, TCX_INGRESS, 0, insn, ARRAY_SIZE(insn));
}

/* All that the device receives, whatever it is, is for the UDP socket at that address. */
static void word_assign(struct actor *a)
{
	struct in_addr to;

	errno = EINVAL;
	if (inet_pton(AF_INET, a->arg[1], &to) != 1)
		die(a->arg[1]);
	attach_assigner(a->arg[0], to.s_addr, htons(atoi(a->arg[2])));
}

/* --- redirection, as networks of containers do it ------------------------------ */

/* Instructions that grow; @n counts beyond the room, too. */
struct code {
	struct bpf_insn insn[256];
	unsigned int n;
};

#define EMIT(code, ...) emit(code, (const struct bpf_insn[]){ __VA_ARGS__ }, \
			     ARRAY_SIZE(((const struct bpf_insn[]){ __VA_ARGS__ })))

static void emit(struct code *code, const struct bpf_insn *insn, unsigned int n)
{
	if (code->n + n > ARRAY_SIZE(code->insn))
		die("too many rules");
	memcpy(code->insn + code->n, insn, n * sizeof(*insn));
	code->n += n;
}

/* The destination becomes @mac, and is the receiver's. Register 6 is the packet. */
static void emit_mac(struct code *code, const unsigned char mac[6])
{
	uint32_t word[2] = { 0 };

	memcpy(word, mac, 6);
	EMIT(code, STORE(-16, word[0]), STORE(-12, word[1]),
	     COPY(1, 6), SET(2, 0), COPY(3, 10), ADD(3, -16), SET(4, 6), SET(5, 0),
	     CALL(BPF_FUNC_skb_store_bytes),
	     COPY(1, 6), SET(2, 0), CALL(BPF_FUNC_skb_change_type));
}

/* One helper of the kernel, whose result ends the program. */
static void emit_helper(struct code *code, const char *how, unsigned int ifindex)
{
	EMIT(code, SET(1, ifindex), SET(2, 0), SET(3, 0), SET(4, 0));
	if (!strcmp(how, "neigh"))
		EMIT(code, CALL(BPF_FUNC_redirect_neigh));
	else if (!strcmp(how, "peer"))
		EMIT(code, CALL(BPF_FUNC_redirect_peer));
	else
		EMIT(code, CALL(BPF_FUNC_redirect));
	EMIT(code, EXIT());
}

/* ADDRESS/HOW/DEVICE/MAC; MAC is `-' if the kernel finds it. */
static void emit_rule(struct code *code, const char *rule)
{
	char address[16], how[8], device[16], mac_text[18];
	struct code then = {};
	unsigned char mac[6];
	struct in_addr to;

	errno = EINVAL;
	if (sscanf(rule, "%15[^/]/%7[^/]/%15[^/]/%17s", address, how, device, mac_text) != 4 ||
	    inet_pton(AF_INET, address, &to) != 1 || !if_nametoindex(device))
		die(rule);
	if (sscanf(mac_text, "%hhx:%hhx:%hhx:%hhx:%hhx:%hhx",
		   mac, mac + 1, mac + 2, mac + 3, mac + 4, mac + 5) == 6)
		emit_mac(&then, mac);
	emit_helper(&then, how, if_nametoindex(device));
	EMIT(code, LOAD(1, 10, -4), UNLESS(1, to.s_addr, then.n));
	emit(code, then.insn, then.n);
}

/*
 * Packets to the addresses of the rules are redirected: received by the device, or with `netkit'
 * sent by its other end.
 */
static void word_redirect(struct actor *a)
{
	struct code code = {};
	char *rule, *rest = NULL;

	/* the destination stands at 30 */
	EMIT(&code, COPY(6, 1), COPY(1, 6), SET(2, 30), COPY(3, 10), ADD(3, -4), SET(4, 4),
	     CALL(BPF_FUNC_skb_load_bytes));
	for (rule = strtok_r(a->arg[2], ",", &rest); rule; rule = strtok_r(NULL, ",", &rest))
		emit_rule(&code, rule);
	EMIT(&code, SET(0, TCX_NEXT), EXIT());
	attach(a->arg[0], BPF_PROG_TYPE_SCHED_CLS, strcmp(a->arg[1], "netkit") ? TCX_INGRESS : NETKIT_PEER,
	       0, code.insn, code.n);
}

static void attach_bind(const char *group, const struct bpf_insn *insn, unsigned int n)
{
	int fd = open(group, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		die(group);
	attach_to(fd, BPF_PROG_TYPE_CGROUP_SOCK_ADDR, BPF_CGROUP_INET6_BIND, 0, insn, n);
}

/* Whatever port the group binds to, by IPv6, it is this one. */
static void word_rebind(struct actor *a)
{
	const struct bpf_insn insn[] = {
		SET(2, htons(atoi(a->arg[1]))),
		INSN(BPF_STX | BPF_MEM | BPF_W, 1, 2, offsetof(struct bpf_sock_addr, user_port), 0),
		SET(0, 1),
		EXIT(),
	};

	attach_bind(a->arg[0], insn, ARRAY_SIZE(insn));
}

/* Others may bind to its ports as well. */
static void word_reuse(struct actor *a)
{
	const struct bpf_insn insn[] = {
		STORE(-4, 1),
		COPY(4, 10),
		ADD(4, -4),
		SET(2, SOL_SOCKET),
		SET(3, SO_REUSEADDR),
		SET(5, 4),
		CALL(BPF_FUNC_setsockopt),
		SET(0, 1),
		EXIT(),
	};

	attach_bind(a->arg[0], insn, ARRAY_SIZE(insn));
}

/* --- sockets ------------------------------------------------------------------ */

#define SLOTS		64	/* of each ring: as many frames are sent at once */
#define SLOT_BYTES	4096

static void number(int fd, int name, int value)
{
	if (setsockopt(fd, SOL_XDP, name, &value, sizeof(value)))
		die("XDP rings");
}

/* A socket that copies, with frames to be sent in @slots; only its TX ring is mapped. */
static int xsk_open(const char *device, char *slots, struct xdp_desc **ring, uint32_t **producer)
{
	struct xdp_umem_reg reg = {
		.addr = (uintptr_t)slots,
		.len = SLOTS * SLOT_BYTES,
		.chunk_size = SLOT_BYTES,
	};
	struct sockaddr_xdp to = {
		.sxdp_family = AF_XDP,
		.sxdp_flags = XDP_COPY,
		.sxdp_ifindex = if_nametoindex(device),
	};
	int fd = socket(AF_XDP, SOCK_RAW, 0);
	struct xdp_mmap_offsets offsets;
	socklen_t len = sizeof(offsets);
	char *map;

	if (fd < 0 || setsockopt(fd, SOL_XDP, XDP_UMEM_REG, &reg, sizeof(reg)))
		die("XDP socket");
	number(fd, XDP_UMEM_FILL_RING, SLOTS);
	number(fd, XDP_UMEM_COMPLETION_RING, SLOTS);
	number(fd, XDP_TX_RING, SLOTS);
	if (getsockopt(fd, SOL_XDP, XDP_MMAP_OFFSETS, &offsets, &len))
		die("XDP rings");
	map = mmap(NULL, offsets.tx.desc + SLOTS * sizeof(**ring), PROT_READ | PROT_WRITE,
		   MAP_SHARED | MAP_POPULATE, fd, XDP_PGOFF_TX_RING);
	if (map == MAP_FAILED || bind(fd, (struct sockaddr *)&to, sizeof(to)))
		die("XDP socket");
	*ring = (struct xdp_desc *)(map + offsets.tx.desc);
	*producer = (uint32_t *)(map + offsets.tx.producer);
	return fd;
}

/* One frame so many times. */
static void word_xsk(struct actor *a)
{
	char *slots = mmap(NULL, SLOTS * SLOT_BYTES, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned int count = atoi(a->arg[1]);
	struct xdp_desc *ring;
	uint32_t *producer;
	size_t len;
	int fd;

	if (slots == MAP_FAILED || count > SLOTS)
		die("xsk");
	len = frame_make(a->arg + 2, slots, SLOT_BYTES);
	fd = xsk_open(a->arg[0], slots, &ring, &producer);
	for (unsigned int i = 0; i < count; i++) {
		memcpy(slots + i * SLOT_BYTES, slots, len);
		ring[i] = (struct xdp_desc){ .addr = i * SLOT_BYTES, .len = len };
	}
	__atomic_store_n(producer, count, __ATOMIC_RELEASE);
	/* some at a time, as long as there are any */
	while (sendto(fd, NULL, 0, MSG_DONTWAIT, NULL, 0) < 0)
		if (errno != EAGAIN)
			die("xsk");
	opened(a, fd, "xsk");
}

const struct word xdp_words[] = {
	{ "xdp", 1, false, "DEVICE\ta generic program, which counts and passes", word_xdp },
	{ "xdp-native", 1, false, "DEVICE\tthe same, in the driver", word_xdp_native },
	{ "xdp-seen", 0, false, "\tprint how many it has counted", word_xdp_seen },
	{ "xdp-redirect", 2, false, "DEVICE TO\ta generic program", word_xdp_redirect },
	{ "xdp-return", 1, false, "DEVICE\ta generic program: all goes back", word_xdp_return },
	{ "assign", 3, false, "DEVICE ADDRESS PORT\tall that is received, by BPF", word_assign },
	{ "redirect", 3, false, "DEVICE tc|netkit ADDRESS/plain|neigh|peer/DEVICE/MAC|-,...\tby BPF", word_redirect },
	{ "rebind", 2, false, "CGROUP PORT\twhatever it binds by IPv6 is that, by BPF", word_rebind },
	{ "reuse", 1, false, "CGROUP\tothers may bind to its ports, too, by BPF", word_reuse },
	{ "xsk", 7, false, "DEVICE COUNT MAC FROM TO PORT BYTES\tUDP, by AF_XDP", word_xsk },
	{}
};
