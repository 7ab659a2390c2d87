// SPDX-License-Identifier: GPL-2.0
#include "bpf.h"

#include <sys/syscall.h>
#include <unistd.h>

static int bpf(int command, union bpf_attr *attr)
{
	return syscall(SYS_bpf, command, attr, sizeof(*attr));
}

static uint64_t pointer(const void *to)
{
	return (uintptr_t)to;
}

/* A full table replaces the entry that was not looked up for the longest time. */
int bpf_table(unsigned int entries)
{
	union bpf_attr attr = {
		.map_type = BPF_MAP_TYPE_LRU_HASH,
		.key_size = sizeof(struct bpf_name),
		.value_size = sizeof(uint64_t),
		.max_entries = entries,
		.map_name = "netnice_names",
	};

	return bpf(BPF_MAP_CREATE, &attr);
}

int bpf_table_find(int table, const struct bpf_name *name, uint64_t *until)
{
	union bpf_attr attr = {
		.map_fd = table, .key = pointer(name), .value = pointer(until),
	};

	return bpf(BPF_MAP_LOOKUP_ELEM, &attr);
}

int bpf_table_put(int table, const struct bpf_name *name, uint64_t until)
{
	union bpf_attr attr = {
		.map_fd = table, .key = pointer(name), .value = pointer(&until),
	};

	return bpf(BPF_MAP_UPDATE_ELEM, &attr);
}

int bpf_load(const struct bpf_insn *insn, size_t count)
{
	union bpf_attr attr = {
		.prog_type = BPF_PROG_TYPE_SOCKET_FILTER,
		.insns = pointer(insn),
		.insn_cnt = count,
		.license = pointer("GPL"),
		.prog_name = "netnice",
	};

	return bpf(BPF_PROG_LOAD, &attr);
}

int bpf_pin(int fd, const char *path)
{
	union bpf_attr attr = { .bpf_fd = fd, .pathname = pointer(path) };

	return bpf(BPF_OBJ_PIN, &attr);
}

int bpf_pinned(const char *path)
{
	union bpf_attr attr = { .pathname = pointer(path) };

	return bpf(BPF_OBJ_GET, &attr);
}
