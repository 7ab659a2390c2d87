// SPDX-License-Identifier: GPL-2.0
/*
 * operations - how long the system calls take by which VIFs are managed
 *
 * Each of create, delete, attach, detach, read and write is done COUNT times, as the
 * paper's Table I has it: read and write open the file first, and close it. The same
 * is done with control groups, which are managed in the same way, for comparison.
 * What is attached is this process.
 *
 * Results are lines `operation max mean min deviation`, in nanoseconds, without what
 * the clock itself takes.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "program.h"

static const char *dir;		/* what is made and removed */
static const char *link_made;	/* what attaches, netnice */
static const char *link_seen;	/* the name that it gets */
static const char *members;	/* what attaches, control groups */
static const char *members_above;
static const char *value_file;
static const char *value;

static const char *path(const char *above, const char *name)
{
	char *made;

	if (asprintf(&made, "%s/%s", above, name) < 0)
		die("memory");
	return made;
}

static void make(void)
{
	if (mkdir(dir, 0755))
		die("mkdir");
}

static void delete(void)
{
	if (rmdir(dir))
		die("rmdir");
}

static void put(const char *file, const char *text)
{
	int fd = open(file, O_WRONLY);

	if (fd < 0 || write(fd, text, strlen(text)) < 0 || close(fd))
		die(file);
}

static void read_value(void)
{
	char buffer[256];
	int fd = open(value_file, O_RDONLY);

	if (fd < 0 || read(fd, buffer, sizeof(buffer)) < 0 || close(fd))
		die(value_file);
}

static void write_value(void)
{
	put(value_file, value);
}

static void link_attach(void)
{
	if (symlink(dir, link_made))
		die("symlink");
}

static void link_detach(void)
{
	if (unlink(link_seen))
		die("unlink");
}

static void members_attach(void)
{
	put(members, "0");
}

static void members_detach(void)
{
	put(members_above, "0");
}

static int64_t clock_ns(void)
{
	int64_t least = INT64_MAX, start, ns;

	for (int i = 0; i < 1000; i++) {
		start = now_ns();
		ns = now_ns() - start;
		if (ns < least)
			least = ns;
	}
	return least;
}

struct series {
	double sum;
	double squares;
	int64_t min;
	int64_t max;
};

static void take(struct series *s, void (*operation)(void), int64_t less_ns)
{
	int64_t start = now_ns(), ns;

	operation();
	ns = now_ns() - start - less_ns;
	s->sum += ns;
	s->squares += (double)ns * ns;
	if (!s->min || ns < s->min)
		s->min = ns;
	if (ns > s->max)
		s->max = ns;
}

static void tell(const char *name, const struct series *s, int count)
{
	double mean = s->sum / count;

	printf("%s %lld %.0f %lld %.0f\n", name, (long long)s->max, mean, (long long)s->min,
	       sqrt(fmax(s->squares / count - mean * mean, 0)));
}

/* there and back, count times */
static void measure(const char *there, void (*go)(void), const char *back, void (*come)(void),
		    int count)
{
	struct series going = {}, coming = {};
	int64_t less_ns = clock_ns();

	for (int i = 0; i < count; i++) {
		take(&going, go, less_ns);
		take(&coming, come, less_ns);
	}
	tell(there, &going, count);
	tell(back, &coming, count);
}

int main(int argc, char **argv)
{
	bool groups = argc == 4 && !strcmp(argv[1], "cgroup");
	const char *above = argv[2], *mine;
	char number[16];
	int count;

	if (argc != 4 || (!groups && strcmp(argv[1], "netnice"))) {
		fputs("usage: operations netnice VIF COUNT\n"
		      "       operations cgroup CONTROL-GROUP COUNT\n", stderr);
		return 2;
	}
	count = atoi(argv[3]);
	snprintf(number, sizeof(number), "%d", getpid());
	dir = path(above, "operations");
	members = path(dir, "cgroup.procs");
	members_above = path(above, "cgroup.procs");
	value_file = path(dir, groups ? "cpu.weight" : "bandwidth");
	mine = path("/proc/network/tasks", number);
	link_made = path(mine, "operations");
	link_seen = path(mine, basename(above));
	value = groups ? "50" : "256k";

	measure("create", make, "delete", delete, count);
	make();
	if (groups)
		measure("attach", members_attach, "detach", members_detach, count);
	else
		measure("attach", link_attach, "detach", link_detach, count);
	measure("read", read_value, "write", write_value, count);
	delete();
	return 0;
}
