// SPDX-License-Identifier: GPL-2.0
/*
 * Files of /proc about processes, of which users choose names, groups and paths, and of the module's
 * file system, as a fuzzer's input: the first byte says which reader gets it. Readers that open their
 * file are given the input in its place.
 */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const uint8_t *input;
static size_t input_bytes;

/* In place of open(2) */
static int open_input(void)
{
	int fd = memfd_create("input", MFD_CLOEXEC);

	if (fd < 0 || write(fd, input, input_bytes) != (ssize_t)input_bytes ||
	    lseek(fd, 0, SEEK_SET))
		abort();
	return fd;
}

/* what they include comes first, as it declares what is replaced */
#include <fcntl.h>
#include <stdio.h>
#include "../../tools/common/complain.h"
#include "../../tools/lib/nnfs.h"

#define open(path, flags)		((void)(path), open_input())
#define openat(dir, path, flags)	((void)(dir), (void)(path), open_input())
#define faccessat(dir, path, mode, flags) ((void)(dir), (void)(path), 0)
#define fopen(path, mode)		((void)(path), fdopen(open_input(), "r"))
#include "../../tools/common/process.c"
#include "../../tools/lib/pid.c"
#include "../../tools/lib/nnfs.c"
#include "../../tools/lib/nnfs_mount.c"
#include "../../tools/netniced/subject.c"
#include "../../tools/netniced/resolver.c"
#undef open
#undef openat
#undef faccessat
#undef fopen

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* In place of complain.c: nothing is said. */
void complain(const char *fmt, ...)
{
	(void)fmt;
}

/* In place of netlink.c: no kernel is asked. */
struct mnl_socket *netlink_open(int bus, unsigned int groups, int flags)
{
	(void)bus;
	(void)groups;
	(void)flags;
	return NULL;
}

int netlink_ask(struct mnl_socket *sock, struct nlmsghdr *request, unsigned int flags, mnl_cb_t take,
		void *arg)
{
	(void)sock;
	(void)request;
	(void)flags;
	(void)take;
	(void)arg;
	return -1;
}

static void read_process(void)
{
	struct process process = { 0 };
	char comm[PROCESS_COMM_BYTES];

	process_comm(1, comm);
	assert(strlen(comm) < sizeof(comm));
	if (read_stat(1, &process))
		assert(process.pid == 1);
	process_leader(1);
}

static void read_subject(void)
{
	struct subject subject = { .pid = 1, .dir = -1 };

	subject_is_user(&subject, &(struct id_range) { 0, 9 });
	subject_is_in_group(&subject, &(struct id_range) { 77, 77 });
	subject_parent(&subject);
	assert(subject_cgroup(&subject));
	free(subject.status);
	free(subject.cgroup);
}

static void read_file_system(void)
{
	const struct nnfs fs = { .fd = -1 };
	char *group = nnfs_group_of(-1, "cgroup");
	struct last_error last;

	read_last_error(&fs, &last);
	assert(strlen(last.sentence) < sizeof(last.sentence));
	assert(!group || !strchr(group, '\n'));
	free(group);
	netns_of_mount(1);
}

static void read_resolver(void)
{
	static const uint8_t server[16] = { [10] = 0xff, [11] = 0xff, [12] = 10, [15] = 2 };

	resolver_device(server);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static void (*const readers[])(void) = {
		read_process, read_subject, read_file_system, read_resolver,
	};

	if (!size)
		return 0;
	input = data + 1;
	input_bytes = size - 1;
	readers[data[0] % (sizeof(readers) / sizeof(*readers))]();
	return 0;
}
