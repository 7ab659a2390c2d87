// SPDX-License-Identifier: GPL-2.0
/*
 * Reads files and lists directories that do not change, in pieces of random sizes, from
 * random places on, and compares that with what one read says.
 *
 * usage: rereads SEED COUNT PATH...
 *
 * Prints what differs, in the end how many bytes and names there were.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define MAX_TEXT (4 << 20)
#define MAX_NAMES 100000

static char whole[MAX_TEXT], part[MAX_TEXT];
static struct name {
	char name[256];
	off_t next;
} names[MAX_NAMES];
static unsigned int wrong;

static void __attribute__((noreturn)) die(const char *what)
{
	fprintf(stderr, "rereads: %s: %s\n", what, strerror(errno));
	exit(1);
}

static size_t below(size_t n)
{
	return random() % n;
}

static void differs(const char *path, const char *how, size_t from, size_t size)
{
	printf("%s: %s: %zu from %zu on differ\n", path, how, size, from);
	wrong++;
}

/* what is expected of @size bytes from @from on */
static size_t expected(size_t total, size_t from, size_t size)
{
	return from >= total ? 0 : size < total - from ? size : total - from;
}

/* A read may be short, but not empty before the end. */
static bool is_part(size_t total, size_t from, size_t size, ssize_t n)
{
	size_t want = expected(total, from, size);

	return n >= 0 && (size_t)n <= want && (n || !want) && !memcmp(part, whole + from, n);
}

static void reread_file(const char *path, int fd, unsigned int count)
{
	size_t total = 0, from, size;
	struct iovec parts[2];
	ssize_t n;

	while ((n = read(fd, whole + total, MAX_TEXT - total)) > 0)
		total += n;
	if (n < 0)
		die(path);
	/* in one read, as far as that goes */
	n = pread(fd, part, MAX_TEXT, 0);
	if (!is_part(total, 0, MAX_TEXT, n))
		differs(path, "one read", 0, n);
	for (unsigned int i = 0; i < count; i++) {
		from = below(total + 10);
		size = 1 + below(i % 2 ? 10 : total + 10);
		n = pread(fd, part, size, from);
		if (!is_part(total, from, size, n))
			differs(path, "pread", from, size);
		parts[0] = (struct iovec) { part, size / 3 };
		parts[1] = (struct iovec) { part + size / 3, size - size / 3 };
		n = preadv(fd, parts, 2, from);
		if (!is_part(total, from, size, n))
			differs(path, "preadv", from, size);
		if (lseek(fd, from, SEEK_SET) != (off_t)from)
			differs(path, "lseek", from, 0);
		/* on from there, piece by piece; not always to the end */
		for (unsigned int pieces = 0; pieces < 1 + i % 16; pieces++) {
			size = 1 + below(i % 3 ? 40 : 5000);
			n = read(fd, part, size);
			if (!is_part(total, from, size, n))
				differs(path, "read", from, size);
			from += n > 0 ? n : 0;
		}
	}
	printf("%s: %zu bytes\n", path, total);
}

/* Lists into buffers of @size, or of random sizes; compares, or learns if @learn. */
static unsigned int list(const char *path, int fd, unsigned int from, size_t size, bool learn)
{
	struct dirent64 *entry;
	unsigned int i = from;
	long n;

	for (;;) {
		n = syscall(SYS_getdents64, fd, part, size ?: 24 + below(400));
		if (n < 0 && errno == EINVAL && !size)
			continue; /* too small for a name */
		if (n < 0)
			die(path);
		if (!n)
			return i;
		for (long at = 0; at < n; at += entry->d_reclen, i++) {
			entry = (struct dirent64 *)(part + at);
			if (i >= MAX_NAMES) {
				differs(path, "too many names", from, i);
				return i;
			}
			if (learn) {
				strcpy(names[i].name, entry->d_name);
				names[i].next = entry->d_off;
			} else if (strcmp(names[i].name, entry->d_name) || names[i].next != entry->d_off) {
				differs(path, entry->d_name, from, i);
				return i;
			}
		}
	}
}

static void reread_directory(const char *path, int fd, unsigned int count)
{
	unsigned int total = list(path, fd, 0, MAX_TEXT, true), from, n;
	off_t to;

	for (unsigned int i = 0; i < count; i++) {
		from = below(total + 1);
		to = from ? names[from - 1].next : 0;
		if (lseek(fd, to, SEEK_SET) != to)
			differs(path, "lseek", from, 0);
		n = list(path, fd, from, i % 2 ? 0 : 4096, false);
		if (n != total)
			differs(path, "number of names", from, n);
	}
	printf("%s: %u names\n", path, total);
}

int main(int argc, char **argv)
{
	struct stat about;

	if (argc < 4) {
		fprintf(stderr, "usage: rereads SEED COUNT PATH...\n");
		return 2;
	}
	srandom(atoi(argv[1]));
	for (char **path = argv + 3; *path; path++) {
		int fd = open(*path, O_RDONLY);

		if (fd < 0 || fstat(fd, &about))
			die(*path);
		if (S_ISDIR(about.st_mode))
			reread_directory(*path, fd, atoi(argv[2]));
		else
			reread_file(*path, fd, atoi(argv[2]));
		close(fd);
	}
	return wrong != 0;
}
