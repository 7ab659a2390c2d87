// SPDX-License-Identifier: GPL-2.0
/*
 * A stack has a VIF, and a device in a network namespace of our own. The VIF's files are opened in
 * the caller's namespaces, and written in ours: the opener's power counts, and devices are looked
 * up in the writer's namespace. No cleanup is needed: namespace, device, ports and VIF end with the
 * command.
 */
#include "stack.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/if_tun.h>
#include <sched.h>
#include <signal.h>
#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "array.h"
#include "box.h"
#include "complain.h"
#include "failure.h"
#include "text.h"
#include "userns.h"

#define AUTO_MAX	1024
#define CHILD_BYTES	65536

/* Our end of the command's device; lo is the only other device there. */
#define PLUG		"netnice"

/* --- what is asked for --- */

int stack_add_port(struct stack *stack, const char *word)
{
	char (*port)[16];
	unsigned long number;

	errno = 0;
	if (!strncmp(word, "auto:", 5)) {
		if (!text_number(word + 5, AUTO_MAX, &number))
			return -1;
		stack->n_auto = number;
		return 0;
	}
	if ((strncmp(word, "tcp:", 4) && strncmp(word, "udp:", 4)) ||
	    !text_number(word + 4, 65535, &number) || !number)
		return -1;
	port = array_add(&stack->port, &stack->n_ports, sizeof(*port));
	if (!port)
		return -1;
	snprintf(*port, sizeof(*port), "%.3s %lu", word, number);
	return 0;
}

void stack_free(struct stack *stack)
{
	free(stack->port);
}

/* --- making it --- */

/**
 * struct making - state of creating a stack
 * @stack: the options
 * @fs: the file system
 * @dev: the VIF's device
 * @file: descriptors of the VIF's files "stack" and "ports"
 * @host: the host's addresses and MTU, which the stack shares
 * @first: the first port that the kernel has chosen
 * @tap: --stack: the descriptor for the tap
 */
struct making {
	const struct stack *stack;
	const struct nnfs *fs;
	const char *dev;
	int file[2];
	struct box_host host;
	unsigned int first;
	int tap;
};

static int open_file(struct making *m, const char *vif, int i)
{
	static const char *const name[] = { "stack", "ports" };
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", vif, name[i]);
	m->file[i] = openat(m->fs->fd, path, O_RDWR | O_CLOEXEC);
	if (m->file[i] < 0)
		nnfs_warn(m->fs, "%s: %s", m->dev, path);
	return m->file[i] < 0 ? -1 : 0;
}

static int put(const struct making *m, int i, const char *text)
{
	if (write(m->file[i], text, strlen(text)) >= 0)
		return 0;
	nnfs_warn(m->fs, "%s: %s", m->dev, text);
	return -1;
}

/* A namespace may be refused to any caller. */
static int enter(const struct making *m)
{
	if (!unshare(CLONE_NEWUSER | CLONE_NEWNET))
		return 0;
	complain_errno("%s takes user and network namespaces of one's own, which are refused here (user.max_user_namespaces, kernel.unprivileged_userns_clone, AppArmor)",
		       m->stack->option);
	return -1;
}

/* Request the ports that the kernel chooses first: then they are the first ones in the file. */
static int bind_ports(struct making *m)
{
	const struct stack *stack = m->stack;
	char text[32];
	ssize_t len;

	snprintf(text, sizeof(text), "auto %u", stack->n_auto);
	if (stack->n_auto && put(m, 1, text))
		return -1;
	len = pread(m->file[1], text, sizeof(text) - 1, 0);
	text[len < 0 ? 0 : len] = '\0';
	if (stack->n_auto && sscanf(text, "tcp %u", &m->first) != 1) {
		complain("%s: the file ports has not what it should", m->dev);
		return -1;
	}
	for (size_t i = 0; i < stack->n_ports; i++)
		if (put(m, 1, stack->port[i]))
			return -1;
	return 0;
}

/* --- --kernel --- */

/* For each number that there is here: as many as go into the page that the kernel takes. */
static int map_all(pid_t of, const char *which)
{
	char path[64], line[64], map[4096] = "";
	unsigned long begin, count;
	FILE *here;
	size_t len = 0;

	snprintf(path, sizeof(path), "/proc/self/%s_map", which);
	here = fopen(path, "re");
	while (here && fgets(line, sizeof(line), here) && len < sizeof(map) - sizeof(line))
		if (sscanf(line, "%lu %*u %lu", &begin, &count) == 2)
			len += snprintf(map + len, sizeof(line), "%lu %lu %lu\n", begin, begin, count);
	if (here)
		fclose(here);
	return box_write_proc(of, which, map);
}

static int map_own(pid_t of, const char *which, unsigned int id)
{
	char map[64];

	snprintf(map, sizeof(map), "%u %u 1\n", id, id);
	return box_write_proc(of, which, map);
}

/* The writer of maps must be in the parent's user namespace: a child that stays here. */
static int wait_and_map(const int go[2], pid_t of)
{
	char byte;

	close(go[1]);
	if (read(go[0], &byte, 1) != 1)
		return EXIT_FAILURE;
	if (geteuid() == 0)
		return map_all(of, "uid") || map_all(of, "gid");
	return box_write_proc(of, "setgroups", "deny") || map_own(of, "uid", geteuid()) ||
	       map_own(of, "gid", getegid());
}

/* No other process can access our descriptors, until a command is executed. */
static int hide(void)
{
	int ret = prctl(PR_SET_DUMPABLE, 0);

	if (ret)
		complain_errno("prctl");
	return ret;
}

/* Enter namespaces of our own, with the same user. */
static int enter_as_ourselves(const struct making *m)
{
	const pid_t self = getpid();
	int go[2], status = -1, ret;
	pid_t child;

	if (pipe2(go, O_CLOEXEC)) {
		complain_errno("pipe");
		return -1;
	}
	child = fork();
	if (child == 0)
		_exit(wait_and_map(go, self));
	ret = child < 0 ? -1 : enter(m);
	if (!ret && write(go[1], "", 1) != 1)
		ret = -1;
	close(go[0]);
	close(go[1]);
	if (child > 0)
		waitpid(child, &status, 0);
	if (!ret && status)
		complain("%s: the users of this namespace cannot be mapped", m->stack->option);
	return ret || status ? -1 : 0;
}

/*
 * Root of a user namespace below the one of the host's network needs no user namespace of its own:
 * its power suffices, and ends at that namespace. For example, podman itself is root there.
 */
static int enter_below(void)
{
	return userns_is_below() ? unshare(CLONE_NEWNET) : -1;
}

static int make_kernel(struct making *m)
{
	/* the process must be dumpable while another process writes its maps */
	if ((enter_below() && enter_as_ourselves(m)) || hide() || box_make(&m->host, m->dev, PLUG) || put(m, 0, PLUG) ||
	    bind_ports(m))
		return -1;
	return box_open(&m->host, m->dev, m->first, m->stack->n_auto);
}

/* --- --stack --- */

static int make_tap(const struct making *m)
{
	struct ifreq request = { .ifr_name = PLUG, .ifr_flags = IFF_TAP | IFF_NO_PI };
	int tap = open("/dev/net/tun", O_RDWR | O_CLOEXEC);

	if (tap < 0) {
		complain_errno("/dev/net/tun");
		return -1;
	}
	if (ioctl(tap, TUNSETIFF, &request)) {
		complain_errno("a tap in namespaces of one's own");
		return -1;
	}
	if (box_set_up(PLUG, m->host.mtu))
		return -1;
	/* it has no O_CLOEXEC, and is the parent's as well */
	if (dup2(tap, m->tap) < 0)
		return -1;
	close(tap);
	return 0;
}

/* A child, with our descriptors: only what it opens is in a namespace of its own. */
static int make_there(void *arg)
{
	const struct making *m = arg;

	return hide() || enter(m) || make_tap(m) || put(m, 0, PLUG) ? EXIT_FAILURE : EXIT_SUCCESS;
}

static int tell(const struct making *m)
{
	char number[16], range[32] = "", mtu[16];

	snprintf(number, sizeof(number), "%d", m->tap);
	snprintf(mtu, sizeof(mtu), "%u", m->host.mtu);
	if (m->stack->n_auto)
		snprintf(range, sizeof(range), "%u-%u", m->first, m->first + m->stack->n_auto - 1);
	if (!setenv("NETNICE_TAP", number, 1) && !setenv("NETNICE_MTU", mtu, 1) &&
	    !setenv("NETNICE_PORTS", range, 1) &&
	    !setenv("NETNICE_ADDRESSES", m->host.words, 1))
		return 0;
	complain_errno("%s", m->stack->option);
	return -1;
}

static int make_stack(struct making *m)
{
	static alignas(16) char child_stack[CHILD_BYTES];
	int status = -1;
	pid_t child;

	m->tap = open("/dev/null", O_RDWR);
	child = m->tap < 0 ? -1 : clone(make_there, child_stack + sizeof(child_stack),
					CLONE_FILES | SIGCHLD, m);
	if (child < 0)
		complain_errno("%s", m->stack->option);
	else
		waitpid(child, &status, 0);
	return status || bind_ports(m) ? -1 : tell(m);
}

int stack_make(const struct stack *stack, const struct nnfs *fs, const char *vif,
	       const char *dev)
{
	struct making m = { .stack = stack, .fs = fs, .dev = dev, .file = { -1, -1 } };
	/* our parent may ignore SIGCHLD: then no child is reported */
	void (*was)(int) = signal(SIGCHLD, SIG_DFL);
	int ret = -1;

	if (!box_read_host(&m.host, dev) && !open_file(&m, vif, 0) && !open_file(&m, vif, 1))
		ret = strcmp(stack->option, "--kernel") ? make_stack(&m) : make_kernel(&m);
	for (int i = 0; i < 2; i++)
		if (m.file[i] >= 0)
			close(m.file[i]);
	box_free_host(&m.host);
	signal(SIGCHLD, was);
	return ret;
}
