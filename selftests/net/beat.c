// SPDX-License-Identifier: GPL-2.0
/*
 * beat - does something small at each beat of a clock, and says how long that took
 *
 *	timer		nothing: how late it wakes up
 *	rtnl DEVICE	what takes RTNL, and changes nothing
 *	attach VIF	attaches itself, by a link, and detaches
 *	remove VIF	makes it, for a process that ends at once, and to go with that: until it
 *			has gone
 *
 * Beats are at absolute times; one that comes while the last thing is still being done is
 * left out. SIGTERM ends it. Results are key=value lines.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "program.h"

#define MAX_BEATS (1 << 16)

/* where its links are made; they show up as the device's */
#define LINKS "/proc/network/tasks/self/"

/* how often is looked whether it has gone */
#define LOOK_NS 100000

static void __attribute__((noreturn)) usage(void)
{
	fputs("usage: beat timer EVERY-US\n"
	      "       beat rtnl EVERY-US DEVICE\n"
	      "       beat attach EVERY-US VIF\n"
	      "       beat remove EVERY-US VIF\n",
	      stderr);
	exit(2);
}

static void do_nothing(const char *what)
{
	(void)what;
}

/* A queue's length is set under RTNL, and without a notification if it does not change. */
static void take_rtnl(const char *device)
{
	static struct ifreq ifr;
	static int fd = -1;

	if (fd < 0) {
		fd = socket(AF_INET, SOCK_DGRAM, 0);
		strncpy(ifr.ifr_name, device, sizeof(ifr.ifr_name) - 1);
		if (ioctl(fd, SIOCGIFTXQLEN, &ifr))
			die(device);
	}
	if (ioctl(fd, SIOCSIFTXQLEN, &ifr))
		die("SIOCSIFTXQLEN");
}

/* the device that a VIF's path names */
static const char *link_of(const char *vif)
{
	static char path[64];
	const char *device = vif + strlen("/proc/network/");

	snprintf(path, sizeof(path), LINKS "%.*s", (int)strcspn(device, "/"), device);
	return path;
}

static void attach(const char *vif)
{
	if (symlink(vif, LINKS "link"))
		die(vif);
	if (unlink(link_of(vif)))
		die(link_of(vif));
}

static void write_file(const char *vif, const char *name, const char *text)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", vif, name);
	fd = open(path, O_WRONLY);
	if (fd < 0 || write(fd, text, 1) != 1)
		die(path);
	close(fd);
}

static void remove_vif(const char *vif)
{
	pid_t pid;

	if (mkdir(vif, 0755))
		die(vif);
	pid = fork();
	if (pid < 0)
		die("fork");
	if (pid == 0) {
		write_file(vif, "tasks", "0");
		write_file(vif, "autoremove", "1");
		_exit(0);
	}
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	while (access(vif, F_OK) == 0)
		sleep_until(now_ns() + LOOK_NS);
}

static const struct verb {
	const char *name;
	bool has_object;
	void (*run)(const char *object);
} verbs[] = {
	{ "timer", false, do_nothing },
	{ "rtnl", true, take_rtnl },
	{ "attach", true, attach },
	{ "remove", true, remove_vif },
	{}
};

static int compare(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return x < y ? -1 : x > y;
}

static void print_results(int64_t *took_ns, unsigned int count)
{
	qsort(took_ns, count, sizeof(*took_ns), compare);
	printf("count=%u\n", count);
	if (count)
		printf("median_us=%lld\np99_us=%lld\nmax_us=%lld\n",
		       (long long)took_ns[count / 2] / 1000,
		       (long long)took_ns[count * 99ULL / 100] / 1000,
		       (long long)took_ns[count - 1] / 1000);
}

static void beat(const struct verb *verb, const char *object, int64_t every_ns)
{
	int64_t *took_ns = calloc(MAX_BEATS, sizeof(*took_ns)), next_ns = now_ns();
	unsigned int count = 0;

	if (!took_ns)
		die("memory");
	/* work of the first time only does not count */
	verb->run(object);
	puts("ready");
	fflush(stdout);
	while (!stopped && count < MAX_BEATS) {
		int64_t from_ns = now_ns();

		next_ns += ((from_ns - next_ns) / every_ns + 1) * every_ns;
		sleep_until(next_ns);
		if (stopped)
			break;
		/* being late counts for the timer only */
		from_ns = verb->has_object ? now_ns() : next_ns;
		verb->run(object);
		took_ns[count++] = now_ns() - from_ns;
	}
	print_results(took_ns, count);
}

int main(int argc, char **argv)
{
	const struct verb *verb = verbs;
	int64_t every_ns;

	if (argc < 3)
		usage();
	every_ns = atoi(argv[2]) * 1000LL;
	while (verb->name && strcmp(verb->name, argv[1]))
		verb++;
	if (!verb->name || every_ns <= 0 || argc != 3 + verb->has_object)
		usage();
	stop_on_signals(0);
	beat(verb, argv[3], every_ns);
	return 0;
}
