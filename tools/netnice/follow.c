// SPDX-License-Identifier: GPL-2.0
/*
 * A follower keeps nothing but which VIFs were created. Settings and processes are read from the first
 * of these that is left when a device comes up, so that later changes of them count. Between two devices
 * it has no file of ours open: that would keep the file system from being unmounted.
 */
#include "follow.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/rtnetlink.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <syslog.h>
#include <unistd.h>

#include "array.h"
#include "belonging.h"
#include "complain.h"
#include "failure.h"
#include "family.h"
#include "netlink.h"
#include "path.h"
#include "privilege.h"
#include "process.h"

#define PAUSE_MS	100	/* at least, between two looks: users may set devices up as fast as they like */
#define OUTER_TRIES	10	/* pauses in which the follower of an outer netnice is waited for */
#define MESSAGES_MOST	64	/* that are read in a row */

/* What a caller with privileges needs: a private mount of the file system, VIFs, others' processes */
#define PRIVILEGES	(PRIVILEGE(CAP_SYS_ADMIN) | PRIVILEGE(CAP_NET_ADMIN) | \
			 PRIVILEGE(CAP_DAC_OVERRIDE) | PRIVILEGE(CAP_SYS_RESOURCE) | \
			 PRIVILEGE(CAP_SYS_PTRACE) | PRIVILEGE(CAP_KILL))

/**
 * struct followed - a device on which there is a VIF, or none could be created
 * @index: the device
 * @vif: inode number of the VIF's directory; 0: none
 * @below: its path below the device
 */
struct followed {
	unsigned int index;
	ino_t vif;
	char *below;
};

static struct {
	pid_t pid;
	struct followed *device;
	size_t n_devices;
	struct mnl_socket *links;
} self;

/* --- devices ------------------------------------------------------------------------ */

static struct followed *find_device(unsigned int index)
{
	for (size_t i = 0; i < self.n_devices; i++)
		if (self.device[i].index == index)
			return &self.device[i];
	return NULL;
}

/* @path: its VIF; NULL: none. Return: 0, or -1 and errno. */
static int note(const struct nnfs *fs, const char *dev, const char *path)
{
	const unsigned int index = if_nametoindex(dev);
	struct followed *device = find_device(index);
	struct stat st = { 0 };

	if (!index || (path && fstatat(fs->fd, path, &st, AT_SYMLINK_NOFOLLOW)))
		return 0;	/* it has gone */
	device = device ?: array_add(&self.device, &self.n_devices, sizeof(*device));
	if (!device)
		return -1;
	device->index = index;
	device->vif = st.st_ino;
	device->below = path ? strdup(path + strlen(dev)) : NULL;
	return path && !device->below ? -1 : 0;
}

/* Devices keep their number if they are renamed. Return: false: it has gone. */
static bool find_path(const struct followed *device, char path[PATH_MAX])
{
	char dev[IF_NAMESIZE];

	if (!if_indextoname(device->index, dev))
		return false;
	snprintf(path, PATH_MAX, "%s%s", dev, device->below ?: "");
	return true;
}

static bool is_there(const struct nnfs *fs, const struct followed *device)
{
	char path[PATH_MAX];
	struct stat st;

	if (!find_path(device, path))
		return false;
	return !device->vif || (!fstatat(fs->fd, path, &st, AT_SYMLINK_NOFOLLOW) && st.st_ino == device->vif);
}

/* Find the first VIF that is left. Return: false: none. */
static bool forget_gone(const struct nnfs *fs, char path[PATH_MAX])
{
	bool found = false;
	size_t kept = 0;

	for (size_t i = 0; i < self.n_devices; i++) {
		struct followed *device = &self.device[i];

		if (!is_there(fs, device)) {
			free(device->below);
			device->below = NULL;
			continue;
		}
		if (!found && device->vif)
			found = find_path(device, path);
		self.device[kept++] = *device;
	}
	self.n_devices = kept;
	return found;
}

/* --- processes ---------------------------------------------------------------------- */

/* Processes of a VIF and of VIFs below it. Its own come first, because this VIF counts for them. */
struct members {
	pid_t *pid;
	size_t count;
	const char *vif;
	bool own;
};

static int take_member(const struct netnice_attachment *attachment, void *arg)
{
	struct members *members = arg;
	pid_t *pid;

	if (strcmp(attachment->kind, "process") || attachment->number == (uint64_t)getpid() ||
	    !strcmp(attachment->vif, members->vif) != members->own)
		return 0;
	pid = array_add(&members->pid, &members->count, sizeof(*pid));
	if (!pid)
		return -1;
	*pid = attachment->number;
	return 0;
}

/* Return: 0, or -1 and errno. The caller frees the numbers. */
static int read_members(struct netnice *nn, const char *vif, struct members *members)
{
	*members = (struct members) { .vif = vif, .own = true };
	if (netnice_attachments(nn, vif, take_member, members))
		return -1;
	members->own = false;
	return netnice_attachments(nn, vif, take_member, members);
}

/* Until a pass finds only processes that are attached: their children inherit that. */
#define PASSES_MOST	20

static void attach_members(const struct vif_set *set, const char *vif)
{
	struct members members;
	size_t attached = 1;

	for (int n = 0; n < PASSES_MOST && attached; n++) {
		if (read_members(set->nn, vif, &members))
			nnfs_warn(set->fs, "%s: cannot read its processes", vif);
		attached = members.count ? family_attach_members(set, vif, members.pid, members.count) : 0;
		free(members.pid);
	}
}

/* --- VIFs --------------------------------------------------------------------------- */

static bool exists(const struct nnfs *fs, const char *path)
{
	return !faccessat(fs->fd, path, F_OK, AT_SYMLINK_NOFOLLOW);
}

/* A VIF above may be an outer netnice's, whose follower has seen the device, too. */
static void await_outer(const struct nnfs *fs, const char *dev, const char *vif)
{
	const char *below = strchr(vif, '/'), *end = strrchr(vif, '/'), *user;
	char outer[PATH_MAX];

	snprintf(outer, sizeof(outer), "%s%.*s", dev, (int)(end - below), below);
	user = strrchr(outer, '/');
	if (user && !strncmp(user, "/user-", strlen("/user-")))
		outer[user - outer] = '\0';
	for (int n = 0; strchr(outer, '/') && !exists(fs, outer) && n < OUTER_TRIES; n++)
		poll(NULL, 0, PAUSE_MS);
}

static void free_settings(struct vif_settings *settings)
{
	for (size_t i = 0; i < PARAM_DIRECTED; i++)
		free(settings->value[i]);
}

static int copy_settings(struct netnice *nn, const char *vif, struct vif_settings *settings)
{
	*settings = (struct vif_settings) { .name = strrchr(vif, '/') + 1 };
	for (size_t i = 0; i < PARAM_DIRECTED; i++) {
		char *value = netnice_get(nn, vif, params[i].name);

		if (!value) {
			complain("%s: %s: %s", vif, params[i].name, netnice_strerror(nn));
			return -1;
		}
		settings->value[i] = strcmp(value, params[i].initial) ? value : NULL;
		if (!settings->value[i])
			free(value);
	}
	return 0;
}

/* As the first netnice, for one device. @vif: on another one. Return: 0, or -1 after a message */
static int make_in(struct vif_set *set, const struct subject *subject, const struct vif_settings *settings,
		   const char *vif)
{
	if (vif_set_create(set, subject, settings) || vif_set_attach(set, subject)) {
		vif_set_detach(set, subject);
		vif_set_undo(set);
		return -1;
	}
	netnice_commit(set->nn);
	attach_members(set, vif);
	close(set->vif[0].guard);
	return note(set->fs, set->vif[0].dev, set->vif[0].path);
}

/* How many names at the end of a path are @name: nested netnices of one process call their VIFs the same. */
static size_t count_name(const char *path, const char *name)
{
	const size_t len = strlen(name);
	const char *end = path + strlen(path);
	size_t n = 0;

	while ((size_t)(end - path) > len && end[-len - 1] == '/' && !strncmp(end - len, name, len)) {
		end -= len + 1;
		n++;
	}
	return n;
}

/* It may have one there by now, by a second netnice. @vif: on another device. Return: whether it has */
static bool note_again(const struct nnfs *fs, const char *dev, const struct subject *subject, const char *vif)
{
	const char *name = strrchr(vif, '/') + 1, *own;
	struct belonging at;
	bool is;

	if (belonging_find(&at, fs, &subject->target, dev))
		return false;
	own = belonging_own(&at);
	is = own && count_name(own, name) >= count_name(vif, name) && !note(fs, dev, own);
	belonging_free(&at);
	return is;
}

static void make_on(struct netnice *nn, const char *dev, const char *vif, pid_t pid)
{
	struct netdev_list devs = { 0 };
	struct vif_settings settings;
	struct subject subject;
	struct vif_set set = { 0 };
	int ret = -1;

	await_outer(&nn->fs, dev, vif);
	subject_init_process(&subject, pid);
	if (copy_settings(nn, vif, &settings))
		goto out;
	if (note_again(&nn->fs, dev, &subject, vif)) {
		ret = 0;
		goto out;
	}
	if (!netdev_list_add(&devs, dev) && !vif_set_init(&set, nn, &devs, &subject, &settings))
		ret = make_in(&set, &subject, &settings, vif);
	vif_set_free(&set);
out:
	if (ret && if_nametoindex(dev)) {
		complain("%s: this device came up later: PID %d is not limited there", dev, self.pid);
		note(&nn->fs, dev, NULL);
	}
	netdev_list_free(&devs);
	free_settings(&settings);
}

static void make_on_new(struct netnice *nn, const char *vif, pid_t pid)
{
	struct netdev_list up = { 0 };

	if (netdev_list_add_up(&up))
		complain_errno("cannot list the network devices");
	for (size_t i = 0; i < up.count; i++)
		if (!find_device(if_nametoindex(up.name[i])) && nnfs_has_device(&nn->fs, up.name[i]))
			make_on(nn, up.name[i], vif, pid);
	netdev_list_free(&up);
}

/* --- waiting ------------------------------------------------------------------------ */

/* Return: a process to wait for, or 0: there is nothing left to follow. */
static pid_t look(void)
{
	struct members members = { 0 };
	char vif[PATH_MAX];
	struct netnice nn;
	pid_t pid = 0;

	if (!handle_open(&nn) && forget_gone(&nn.fs, vif) && !read_members(&nn, vif, &members) &&
	    members.count) {
		pid = members.pid[0];
		make_on_new(&nn, vif, pid);
	}
	free(members.pid);
	handle_end(&nn);
	return pid;
}

/* A device of which nothing is known is up. */
static int take_link(const struct nlmsghdr *message, void *arg)
{
	const struct ifinfomsg *info = mnl_nlmsg_get_payload(message);
	bool *is_new = arg;

	if (message->nlmsg_type == RTM_NEWLINK && mnl_nlmsg_get_payload_len(message) >= sizeof(*info) &&
	    (info->ifi_flags & IFF_UP) && !(info->ifi_flags & IFF_LOOPBACK) && !find_device(info->ifi_index))
		*is_new = true;
	return MNL_CB_OK;
}

static bool read_links(void)
{
	char buf[32 * 1024] __attribute__((aligned(NLMSG_ALIGNTO)));
	bool is_new = false;

	for (int n = 0; n < MESSAGES_MOST; n++) {
		const ssize_t len = netlink_receive(mnl_socket_get_fd(self.links), buf, sizeof(buf));

		if (len > 0)
			mnl_cb_run(buf, len, 0, 0, take_link, &is_new);
		else if (len < 0 && errno == ENOBUFS)
			is_new = true;	/* lost: look */
		else if (len < 0)
			break;
	}
	return is_new;
}

/* Return: when @pid has ended, or a device has come up. */
static void wait_for(pid_t pid)
{
	struct pollfd fds[] = {
		{ .fd = mnl_socket_get_fd(self.links), .events = POLLIN },
		{ .fd = syscall(SYS_pidfd_open, pid, 0), .events = POLLIN },
	};

	while (fds[1].fd >= 0) {
		poll(fds, 2, -1);
		if (fds[1].revents || (fds[0].revents && read_links()))
			break;
	}
	if (fds[1].fd >= 0)
		close(fds[1].fd);
	poll(NULL, 0, PAUSE_MS);
}

/* --- beginning ---------------------------------------------------------------------- */

static ssize_t log_write(void *cookie, const char *text, size_t size)
{
	const char *colon = memchr(text, ':', size);
	const size_t said = colon && !strncmp(colon, ": ", 2) ? colon + 2 - text : 0;

	(void)cookie;
	/* syslog writes the program's name itself */
	syslog(LOG_WARNING, "%.*s", (int)(size - said), text + said);
	return size;
}

static void open_log(void)
{
	const cookie_io_functions_t functions = { .write = log_write };
	FILE *log = fopencookie(NULL, "w", functions);

	openlog("netnice", LOG_PID, LOG_USER);
	if (!log)
		return;
	setlinebuf(log);
	complain_to(log);
}

static void close_all(void)
{
	const int null = open("/dev/null", O_RDWR);

	for (int fd = 0; null >= 0 && fd <= STDERR_FILENO; fd++)
		dup2(null, fd);
	syscall(SYS_close_range, STDERR_FILENO + 1, ~0U, 0);
}

/* A fork inherits attachments: with one to a VIF of these, the VIF would stay for ever. */
static bool leave(const struct vif_set *set)
{
	struct subject subject;

	subject_init_process(&subject, getpid());
	vif_set_detach(set, &subject);
	for (size_t i = 0; i < set->count; i++) {
		const struct vif *vif = &set->vif[i];

		if (belonging_is_at(set->fs, &subject.target, vif->path) &&
		    target_detach(set->fs, &subject.target, vif->path))
			return false;
	}
	return true;
}

static _Noreturn void follow(void)
{
	pid_t pid;

	self.links = netlink_open(NETLINK_ROUTE, RTMGRP_LINK, SOCK_NONBLOCK);
	if (!self.links || privilege_keep(PRIVILEGES))
		_exit(EXIT_FAILURE);
	while ((pid = look()))
		wait_for(pid);
	_exit(EXIT_SUCCESS);
}

/* In a child, which is in the VIFs until it has left them. Return: the exit status. */
static int begin(const struct vif_set *set, pid_t pid)
{
	char name[32];

	self.pid = pid;
	snprintf(name, sizeof(name), "netnice.%d", pid);
	prctl(PR_SET_NAME, name);
	for (size_t i = 0; i < set->count; i++)
		if (note(set->fs, set->vif[i].dev, set->vif[i].path))
			return EXIT_FAILURE;
	if (!leave(set) || setsid() < 0)
		return EXIT_FAILURE;
	switch (fork()) {
	case -1:
		return EXIT_FAILURE;
	case 0:
		close_all();
		open_log();
		if (chdir("/"))
			_exit(EXIT_FAILURE);
		follow();
	default:
		return EXIT_SUCCESS;
	}
}

/* Ours, or the administrator's: any user may give a process that name. */
static bool is_followed(pid_t pid)
{
	char name[32], comm[PROCESS_COMM_BYTES], path[32];
	struct process_list all;
	struct stat st;
	bool is = false;

	snprintf(name, sizeof(name), "netnice.%d", pid);
	if (process_list_read(&all))
		return false;
	for (size_t i = 0; i < all.count && !is; i++) {
		process_comm(all.process[i].pid, comm);
		snprintf(path, sizeof(path), "/proc/%d", all.process[i].pid);
		is = !strcmp(comm, name) && !stat(path, &st) && st.st_uid == geteuid();
	}
	process_list_free(&all);
	return is;
}

int follow_start(const struct vif_set *set, pid_t pid)
{
	/* if it is ignored, waitpid(2) knows no status */
	void (*was)(int) = signal(SIGCHLD, SIG_DFL);
	int status = -1;
	pid_t child = -1;

	if (pid != getpid() && is_followed(pid)) {
		signal(SIGCHLD, was);
		return 0;
	}
	fflush(NULL);
	child = fork();
	if (!child)
		_exit(begin(set, pid));
	while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	signal(SIGCHLD, was);
	if (child > 0 && !status)
		return 0;
	complain("devices that come up later are not limited: no process can be started for this");
	return -1;
}
