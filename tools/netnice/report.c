// SPDX-License-Identifier: GPL-2.0
#include "report.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "belonging.h"
#include "complain.h"
#include "failure.h"
#include "figure.h"

#define EXIT_SIGNAL	128

static volatile sig_atomic_t child;

static void pass_on(int number)
{
	if (child > 0)
		kill(child, number);
}

static unsigned long long counter(const char *stat, enum vif_dir dir, const char *name)
{
	unsigned long long value;
	char key[64];
	const char *line;

	snprintf(key, sizeof(key), "%s_%s ", vif_dir_name[dir], name);
	line = strstr(stat, key);
	return line && sscanf(line + strlen(key), "%llu", &value) == 1 ? value : 0;
}

static void put_side(FILE *out, const char *stat, enum vif_dir dir, double seconds)
{
	static const char *const did[] = { [VIF_EGRESS] = "sent", [VIF_INGRESS] = "received" };
	const unsigned long long bytes = counter(stat, dir, "bytes"),
				 drops = counter(stat, dir, "drops");
	char rate[FIGURE_BYTES], mean[FIGURE_BYTES], most[FIGURE_BYTES];

	figure_bits(rate, seconds > 0 ? bytes / seconds : -1);
	figure_time(mean, counter(stat, dir, "sojourn_mean"));
	figure_time(most, counter(stat, dir, "sojourn_max"));
	fprintf(out, "%s %llu bytes in %llu packets, %sbit/s", did[dir], bytes,
		counter(stat, dir, "packets"), rate);
	if (counter(stat, dir, "overlimits"))
		fprintf(out, ", queued for %s on average, at most %s", mean, most);
	if (drops)
		fprintf(out, ", %llu packets dropped", drops);
}

static bool has_passed(const char *stat)
{
	return counter(stat, VIF_EGRESS, "packets") + counter(stat, VIF_INGRESS, "packets") +
	       counter(stat, VIF_EGRESS, "drops") + counter(stat, VIF_INGRESS, "drops");
}

static char *line_of(const char *stat, double seconds)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	if (has_passed(stat)) {
		put_side(out, stat, VIF_EGRESS, seconds);
		fputs("; ", out);
		put_side(out, stat, VIF_INGRESS, seconds);
	} else {
		fputs("no traffic passed this device", out);
	}
	fclose(out);
	return text;
}

/* Return: whether anything has passed. */
static bool report_on(const struct nnfs *fs, const char *dev, const char *vif, double seconds)
{
	char *stat = nnfs_read_vif(fs, vif, "stat"), *line;
	bool any;

	if (!stat) {
		nnfs_warn(fs, "%s: %s", dev, vif);
		return false;
	}
	any = has_passed(stat);
	line = line_of(stat, seconds);
	complain("%s: %s in %.3g s", dev, line ?: "?", seconds);
	free(line);
	free(stat);
	return any;
}

static bool has(const struct vif_set *set, const char *dev)
{
	for (size_t i = 0; i < set->count; i++)
		if (!strcmp(set->vif[i].dev, dev))
			return true;
	return false;
}

/* On a device that came up later: we are in its VIF, too (follow.h). */
static bool report_later(const struct nnfs *fs, const char *dev, double seconds)
{
	struct belonging at;
	struct subject subject;
	bool any = false;

	subject_init_process(&subject, getpid());
	if (belonging_find(&at, fs, &subject.target, dev))
		return false;
	if (belonging_own(&at))
		any = report_on(fs, dev, belonging_own(&at), seconds);
	else
		complain("%s: this device came up later: not limited there", dev);
	belonging_free(&at);
	return any;
}

static void report(const struct vif_set *set, bool with_later, double seconds)
{
	struct netdev_list up = { 0 };
	bool any = false;

	for (size_t i = 0; i < set->count; i++)
		any |= report_on(set->fs, set->vif[i].dev, set->vif[i].path, seconds);
	if (with_later && netdev_list_add_up(&up))
		complain_errno("cannot list the network devices");
	for (size_t i = 0; i < up.count; i++)
		if (!has(set, up.name[i]) && nnfs_has_device(set->fs, up.name[i]))
			any |= report_later(set->fs, up.name[i], seconds);
	netdev_list_free(&up);
	if (!any)
		complain("nothing was limited: packets to addresses of this machine pass lo, which only -i lo limits, and a service that works for the command, such as docker's, sends its own packets");
}

static double now_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec + now.tv_nsec / 1e9;
}

static int wait_for_child(void)
{
	int status = 0;

	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	return WIFSIGNALED(status) ? EXIT_SIGNAL + WTERMSIG(status) : WEXITSTATUS(status);
}

/* The command finds its signals as the caller left them. */
static pid_t start(int (*execute)(char **command), char **command)
{
	const struct sigaction ours[] = { { .sa_handler = pass_on }, { .sa_handler = SIG_IGN } };
	static const int number[] = { SIGTERM, SIGHUP, SIGINT, SIGQUIT };
	/* if it is ignored, waitpid(2) knows no status */
	void (*was)(int) = signal(SIGCHLD, SIG_DFL);
	sigset_t all, old;
	pid_t pid;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &old);
	pid = fork();
	if (pid > 0) {
		child = pid;
		for (size_t i = 0; i < sizeof(number) / sizeof(*number); i++)
			sigaction(number[i], &ours[i / 2], NULL);
	}
	sigprocmask(SIG_SETMASK, &old, NULL);
	if (pid == 0) {
		signal(SIGCHLD, was);
		_exit(execute(command));
	}
	return pid;
}

int report_run(const struct vif_set *set, bool with_later, int (*execute)(char **command),
	       char **command)
{
	const double begin = now_s();
	int status;

	if (start(execute, command) < 0) {
		complain_errno("fork");
		return -1;
	}
	status = wait_for_child();
	report(set, with_later, now_s() - begin);
	return status;
}
