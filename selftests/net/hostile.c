// SPDX-License-Identifier: GPL-2.0
/*
 * hostile - what an ordinary user can do to sockets, tasks and VIFs, at random
 *
 *	hostile VIF PEER SECONDS SEED [CGROUP]
 *
 * VIF is a directory below /proc/network that the user owns, PEER an address of IPv4 at which
 * ports 9002 of TCP and UDP are sinks, CGROUP a directory of cgroup2 that the user owns. Prints
 * how often each trick has been tried, and how often it has worked. Each trick runs in a child
 * of its own, which is killed after two seconds.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/genetlink.h>
#include <linux/io_uring.h>
#include <linux/netlink.h>
#include <linux/sched.h>
#include <net/if.h>
#include <netinet/tcp.h>
#include <netinet/udp.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "program.h"

#define PORT		9002
#define DATAGRAM	1200
#define BULK		(192 << 10)
#define PATIENCE_NS	(2 * NSEC_PER_SEC)
#define THREADS		40

#ifndef SO_TXTIME
#define SO_TXTIME	61
#endif

static const char *vif, *peer, *cgroup, *self;
static char bulk[BULK];

static unsigned int pick(unsigned int n)
{
	return random() % n;
}

static const char *in_vif(const char *name)
{
	static char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", vif, name);
	return path;
}

static bool write_to(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);
	bool done = fd >= 0 && write(fd, text, strlen(text)) > 0;

	if (fd >= 0)
		close(fd);
	return done;
}

static struct sockaddr_in address(const char *host, unsigned int port)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(port) };

	inet_pton(AF_INET, host, &to.sin_addr);
	return to;
}

static int connected(int type)
{
	struct sockaddr_in to = address(peer, PORT);
	int fd = socket(AF_INET, type, 0);

	if (fd >= 0 && !connect(fd, (void *)&to, sizeof(to)))
		return fd;
	close(fd);
	return -1;
}

static bool send_some(int fd, int flags)
{
	bool sent = false;

	for (unsigned int n = 0; n < 20; n++)
		sent |= send(fd, bulk, DATAGRAM, flags | MSG_DONTWAIT) > 0;
	return sent;
}

/* --- tasks --- */

static int go[2];

/* The one whose number is 1 executes another program, in the middle of all the others. */
static void *run_thread(void *number)
{
	char byte;

	if (number != (void *)1) {
		pause();
		return NULL;
	}
	if (read(go[0], &byte, 1) < 0)
		return NULL;
	execl(self, self, "sleep", NULL);
	return NULL;
}

static void list(const char *path)
{
	DIR *dir = opendir(path);

	while (dir && readdir(dir))
		;
	if (dir)
		closedir(dir);
}

static bool exec_by_thread(void)
{
	pthread_t thread;
	char text[64];
	pid_t child;

	if (pipe(go))
		return false;
	child = fork();
	if (!child) {
		for (unsigned long n = 0; n < 1 + pick(THREADS); n++)
			pthread_create(&thread, NULL, run_thread, (void *)(n + 1));
		pause();
		_exit(0);
	}
	usleep(pick(3000));
	snprintf(text, sizeof(text), pick(2) ? "%d" : "%d/%d", child, child + 1 + pick(4));
	write_to(in_vif("tasks"), text);
	if (write(go[1], "x", 1) != 1)
		return false;
	list("/proc/network/tasks");
	snprintf(text, sizeof(text), "/proc/network/tasks/%d/threads", child);
	list(text);
	list(in_vif("tasks"));
	kill(child, SIGKILL);
	return waitpid(child, NULL, 0) == child;
}

/* Children that inherit, send, and end all at once. */
static bool fork_and_end(void)
{
	int fd = connected(SOCK_DGRAM);

	write_to(in_vif("tasks"), "0");
	for (unsigned int n = 0; n < 20; n++) {
		if (!fork()) {
			send_some(fd, 0);
			_exit(0);
		}
	}
	while (wait(NULL) > 0)
		;
	return fd >= 0;
}

static bool clone_into_cgroup(void)
{
	struct clone_args args = { .flags = CLONE_INTO_CGROUP, .exit_signal = SIGCHLD };
	char group[PATH_MAX], link[2 * PATH_MAX];
	const char *name;
	int fd, n;
	pid_t child;

	if (!cgroup)
		return false;
	snprintf(group, sizeof(group), "%s/%u", cgroup, pick(3));
	mkdir(group, 0755);
	name = strstr(group, "cgroup/");
	snprintf(link, sizeof(link), "/proc/network/cgroups/%s/eth0", name ? name + 7 : group);
	if (pick(2))
		n = symlink(vif, link);
	else
		n = unlink(link);
	fd = open(group, O_RDONLY | O_DIRECTORY);
	args.cgroup = fd;
	child = syscall(SYS_clone3, &args, sizeof(args));
	if (!child) {
		fd = connected(pick(2) ? SOCK_DGRAM : SOCK_STREAM);
		send_some(fd, 0);
		_exit(n);
	}
	if (child > 0)
		waitpid(child, NULL, 0);
	if (pick(2))
		rmdir(group);
	return child > 0;
}

/* --- sockets that change hands --- */

static bool pass_fd(int by, int fd)
{
	char byte = 'x', control[CMSG_SPACE(sizeof(int))] = "";
	struct iovec iov = { &byte, 1 };
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = control, .msg_controllen = sizeof(control),
	};
	struct cmsghdr *cmsg = CMSG_FIRSTHDR(&msg);

	cmsg->cmsg_level = SOL_SOCKET;
	cmsg->cmsg_type = SCM_RIGHTS;
	cmsg->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(cmsg), &fd, sizeof(int));
	return sendmsg(by, &msg, MSG_DONTWAIT) == 1;
}

static int take_fd(int from)
{
	char byte, control[CMSG_SPACE(sizeof(int))] = "";
	struct iovec iov = { &byte, 1 };
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = control, .msg_controllen = sizeof(control),
	};
	int fd = -1;

	if (recvmsg(from, &msg, 0) == 1 && CMSG_FIRSTHDR(&msg))
		memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&msg)), sizeof(int));
	return fd;
}

/* Also a cycle of sockets in flight, which only the kernel's collector ends. */
static bool scm_rights(void)
{
	int pair[2], fd;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
		return false;
	if (!fork()) {
		write_to(in_vif("tasks"), "0");
		fd = connected(pick(2) ? SOCK_DGRAM : SOCK_STREAM);
		send_some(fd, 0);
		pass_fd(pair[1], fd);
		_exit(0);
	}
	fd = take_fd(pair[0]);
	wait(NULL);
	send_some(fd, 0);
	pass_fd(pair[1], pair[0]);
	pass_fd(pair[0], pair[1]);
	pass_fd(pair[1], fd);
	return fd >= 0;
}

static bool pidfd_getfd(void)
{
	int fd = connected(SOCK_DGRAM), pidfd, stolen;
	pid_t child = fork();

	if (!child) {
		write_to(in_vif("tasks"), "0");
		send_some(fd, 0);
		pause();
		_exit(0);
	}
	usleep(pick(2000));
	pidfd = syscall(SYS_pidfd_open, child, 0);
	close(pick(2) ? fd : -1);
	stolen = syscall(SYS_pidfd_getfd, pidfd, fd, 0);
	kill(child, SIGKILL);
	send_some(stolen, 0);
	waitpid(child, NULL, 0);
	send_some(stolen, 0);
	return stolen >= 0;
}

/* --- packets that hold something --- */

static bool zero_copy(void)
{
	int fd = connected(pick(2) ? SOCK_STREAM : SOCK_DGRAM), on = 1;
	bool sent = false;

	if (setsockopt(fd, SOL_SOCKET, SO_ZEROCOPY, &on, sizeof(on)))
		return false;
	for (unsigned int n = 0; n < 20; n++)
		sent |= send(fd, bulk, 8000, MSG_ZEROCOPY | MSG_DONTWAIT) > 0;
	return sent;
}

static bool tx_time(void)
{
	struct { clockid_t clock; uint32_t flags; } config = { CLOCK_MONOTONIC, 0 };
	char control[CMSG_SPACE(sizeof(uint64_t))] = "";
	struct iovec iov = { bulk, DATAGRAM };
	int fd = connected(SOCK_DGRAM);
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = control, .msg_controllen = sizeof(control),
	};
	struct cmsghdr *cmsg = CMSG_FIRSTHDR(&msg);
	bool sent = false;

	if (setsockopt(fd, SOL_SOCKET, SO_TXTIME, &config, sizeof(config)))
		return false;
	cmsg->cmsg_level = SOL_SOCKET;
	cmsg->cmsg_type = SO_TXTIME;
	cmsg->cmsg_len = CMSG_LEN(sizeof(uint64_t));
	for (unsigned int n = 0; n < 20; n++) {
		uint64_t at = (uint64_t)random() << 33 | random();

		if (pick(4))
			at = now_ns() + pick(2000) * NSEC_PER_MSEC;
		memcpy(CMSG_DATA(cmsg), &at, sizeof(at));
		sent |= sendmsg(fd, &msg, MSG_DONTWAIT) > 0;
	}
	return sent;
}

static bool splice_in(void)
{
	int fd = connected(pick(2) ? SOCK_STREAM : SOCK_DGRAM), ends[2];
	struct iovec iov = { bulk, 8000 };
	bool sent = false;

	if (pipe(ends))
		return false;
	fcntl(fd, F_SETFL, O_NONBLOCK);
	for (unsigned int n = 0; n < 20; n++) {
		if (vmsplice(ends[1], &iov, 1, SPLICE_F_GIFT | SPLICE_F_NONBLOCK) <= 0)
			break;
		sent |= splice(ends[0], NULL, fd, NULL, 8000, SPLICE_F_MOVE | SPLICE_F_NONBLOCK) > 0;
	}
	return sent;
}

/* One request, by a ring whose kernel thread may outlive the socket's descriptor. */
static bool by_io_uring(void)
{
	struct io_uring_params params = { .flags = pick(2) ? IORING_SETUP_SQPOLL : 0,
					  .sq_thread_idle = 50 };
	int ring = syscall(SYS_io_uring_setup, 8, &params);
	int fd = connected(pick(2) ? SOCK_STREAM : SOCK_DGRAM);
	struct io_uring_sqe *sqe;
	unsigned int *tail, *array;
	char *sq;

	if (ring < 0)
		return false;
	sq = mmap(NULL, params.sq_off.array + params.sq_entries * sizeof(int),
		  PROT_READ | PROT_WRITE, MAP_SHARED, ring, IORING_OFF_SQ_RING);
	sqe = mmap(NULL, params.sq_entries * sizeof(*sqe), PROT_READ | PROT_WRITE, MAP_SHARED,
		   ring, IORING_OFF_SQES);
	if (sq == MAP_FAILED || sqe == MAP_FAILED)
		return false;
	tail = (unsigned int *)(sq + params.sq_off.tail);
	array = (unsigned int *)(sq + params.sq_off.array);
	for (unsigned int n = 0; n < 8; n++) {
		memset(&sqe[n], 0, sizeof(*sqe));
		sqe[n].opcode = IORING_OP_SEND;
		sqe[n].fd = fd;
		sqe[n].addr = (uintptr_t)bulk;
		sqe[n].len = DATAGRAM;
		sqe[n].flags = pick(2) ? IOSQE_ASYNC : 0;
		array[n] = n;
	}
	__atomic_store_n(tail, 8, __ATOMIC_RELEASE);
	syscall(SYS_io_uring_enter, ring, 8, 0, IORING_ENTER_SQ_WAKEUP, NULL, 0);
	if (pick(2))
		close(fd);
	usleep(pick(2000));
	return fd >= 0;
}

/* --- files of the VIF --- */

static const char *const settings[][2] = {
	{ "bandwidth", "8k" }, { "bandwidth", "256k" }, { "bandwidth", "10m" },
	{ "bandwidth", "100g" }, { "bandwidth", "max" }, { "quota", "egress 20k then stop" },
	{ "quota", "100k then 8k" }, { "quota", "none" }, { "burst", "1" }, { "burst", "10s" },
	{ "burst", "auto" }, { "limit", "1p" }, { "limit", "max" }, { "limit", "auto" },
	{ "weight", "10000" }, { "priority", "0" }, { "priority", "7" }, { "aqm", "none" },
	{ "aqm", "codel target 1us interval 10us" }, { "aqm", "auto" },
	{ "group", "1" }, { "group", "none" }, { "class", "1" }, { "class", "none" },
	{ "autoremove", "0" }, { "autoremove", "1" },
	{ "program", "egress 1,6 0 0 1" }, { "program", "1,6 0 0 4294967295" },
	{ "program", "2,48 0 0 9,6 0 0 1" }, { "program", "none" }, { "tasks", "0" },
};

#define SETTINGS	(sizeof(settings) / sizeof(*settings))

static void name_below(char *path, bool deep)
{
	unsigned int n = snprintf(path, PATH_MAX, "%s/%u", vif, pick(3));

	if (deep)
		snprintf(path + n, PATH_MAX - n, "/%u", pick(2));
}

static bool change_tree(void)
{
	char from[PATH_MAX], to[PATH_MAX], file[PATH_MAX + 32];
	bool done = false;

	for (unsigned int n = 0; n < 20; n++) {
		unsigned int what = pick(6), which = pick(SETTINGS);

		name_below(from, pick(2));
		name_below(to, pick(2));
		if (what == 0)
			done |= !mkdir(from, 0755);
		else if (what == 1)
			done |= !rmdir(from);
		else if (what == 2)
			done |= !rename(from, to);
		snprintf(file, sizeof(file), "%s/%s", pick(4) ? from : vif, settings[which][0]);
		if (what > 2)
			done |= write_to(file, settings[which][1]);
	}
	return done;
}

/* What is open, and where one is, while the VIF goes. */
static bool hold_files(void)
{
	static const char *const names[] = { "bandwidth", "stat", "tasks", "program", "ports" };
	char path[PATH_MAX], file[PATH_MAX + 32], text[4096];
	int fd[5];

	name_below(path, false);
	mkdir(path, 0755);
	for (unsigned int n = 0; n < 5; n++) {
		snprintf(file, sizeof(file), "%s/%s", path, names[n]);
		fd[n] = open(file, n % 2 ? O_RDONLY : O_RDWR);
	}
	if (chdir(path))
		return false;
	rmdir(path);
	for (unsigned int n = 0; n < 5; n++) {
		if (read(fd[n], text, sizeof(text)) < 0 && errno == EFAULT)
			return false;
		if (write(fd[n], "0", 1) < 0 && errno == EFAULT)
			return false;
	}
	mkdir("x", 0755);
	list(".");
	return true;
}

static bool relay(void)
{
	char link[PATH_MAX], to[64];
	struct sockaddr_in here = address("127.0.0.1", 0);
	int from = socket(AF_INET, SOCK_DGRAM, 0), out = connected(SOCK_DGRAM), other;
	socklen_t len = sizeof(here);
	bool done;

	bind(from, (void *)&here, sizeof(here));
	getsockname(from, (void *)&here, &len);
	snprintf(link, sizeof(link), "/proc/network/tasks/self/sockets/%d/relay", from);
	snprintf(to, sizeof(to), "../../../%d/sockets/%d", getpid(), out);
	done = !symlink(to, link);
	other = socket(AF_INET, SOCK_DGRAM, 0);
	connect(other, (void *)&here, sizeof(here));
	send_some(other, 0);
	close(pick(2) ? from : out);
	send_some(other, 0);
	if (pick(2))
		unlink(link);
	return done;
}

/* Some that listen to events, and dumps that are not read to their end. */
static bool netlink(void)
{
	struct {
		struct nlmsghdr n;
		struct genlmsghdr g;
	} request = { .n = { sizeof(request), 0, NLM_F_REQUEST | NLM_F_DUMP, 1, 0 }, .g = { 1, 1, 0 } };
	struct sockaddr_nl all = { .nl_family = AF_NETLINK, .nl_groups = ~0U };
	char text[512];
	bool got = false;

	/* families' numbers are few */
	for (unsigned int n = 0; n < 30; n++) {
		int fd = socket(AF_NETLINK, SOCK_RAW, NETLINK_GENERIC);

		bind(fd, (void *)&all, sizeof(all));
		for (unsigned int group = 2; group < 24; group++)
			setsockopt(fd, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, &group, sizeof(group));
		request.n.nlmsg_type = GENL_ID_CTRL + pick(24);
		request.g.cmd = 1 + pick(8);
		if (send(fd, &request, sizeof(request), MSG_DONTWAIT) > 0)
			got |= recv(fd, text, sizeof(text), MSG_DONTWAIT) > 0;
	}
	return got;
}

/* --- a namespace of the user's own, if the module admits it: TCP's state as one likes --- */

static bool set_up(const char *dev)
{
	struct ifreq request = { .ifr_flags = IFF_UP };
	int fd = socket(AF_INET, SOCK_DGRAM, 0);
	bool done;

	snprintf(request.ifr_name, sizeof(request.ifr_name), "%s", dev);
	done = !ioctl(fd, SIOCSIFFLAGS, &request);
	close(fd);
	return done;
}

/* Both ends of a connection of which this one is what it never could become by itself. */
static void repair(int fd)
{
	struct tcp_repair_opt opts[] = {
		{ TCPOPT_MAXSEG, pick(2) ? 1 + pick(600) : 1 + pick(65535) },
		{ TCPOPT_WINDOW, pick(15) | pick(15) << 16 },
		{ TCPOPT_TIMESTAMP, 0 },
	};
	struct tcp_repair_window window = {
		.snd_wl1 = random(), .snd_wnd = pick(1 << 30), .max_window = pick(1 << 30),
		.rcv_wnd = pick(1 << 30), .rcv_wup = random(),
	};
	int on = 1, off = -1;

	setsockopt(fd, IPPROTO_TCP, TCP_REPAIR, &on, sizeof(on));
	setsockopt(fd, IPPROTO_TCP, TCP_REPAIR_OPTIONS, opts, sizeof(opts));
	setsockopt(fd, IPPROTO_TCP, TCP_REPAIR_WINDOW, &window, sizeof(window));
	send_some(fd, 0);
	setsockopt(fd, IPPROTO_TCP, TCP_REPAIR, &off, sizeof(off));
}

static bool own_namespace(void)
{
	struct sockaddr_in here = address("127.0.0.1", PORT);
	int listener, fd, accepted, mss = 88 + pick(2000);

	if (unshare(CLONE_NEWUSER | CLONE_NEWNET | CLONE_NEWNS) || !set_up("lo"))
		return false;
	if (!mount("netnice", "/proc/network", "netnice", 0, NULL)) {
		write_to("/proc/network/lo/bandwidth", pick(2) ? "1m" : "ingress 8k");
		mkdir("/proc/network/lo/a", 0755);
		write_to("/proc/network/lo/a/tasks", "0");
	}
	listener = socket(AF_INET, SOCK_STREAM, 0);
	setsockopt(listener, IPPROTO_TCP, TCP_MAXSEG, &mss, sizeof(mss));
	if (bind(listener, (void *)&here, sizeof(here)) || listen(listener, 5))
		return false;
	fd = socket(AF_INET, SOCK_STREAM, 0);
	if (connect(fd, (void *)&here, sizeof(here)))
		return false;
	accepted = accept(listener, NULL, NULL);
	send_some(fd, 0);
	repair(pick(2) ? fd : accepted);
	send_some(fd, 0);
	send_some(accepted, 0);
	usleep(pick(20000));
	return accepted >= 0;
}

/* --- all of it --- */

static struct trick {
	const char *name;
	bool (*fn)(void);
	unsigned int tried;
	unsigned int worked;
} tricks[] = {
	{ "exec_by_thread", exec_by_thread, 0, 0 },
	{ "fork_and_end", fork_and_end, 0, 0 },
	{ "clone_into_cgroup", clone_into_cgroup, 0, 0 },
	{ "scm_rights", scm_rights, 0, 0 },
	{ "pidfd_getfd", pidfd_getfd, 0, 0 },
	{ "zero_copy", zero_copy, 0, 0 },
	{ "tx_time", tx_time, 0, 0 },
	{ "splice_in", splice_in, 0, 0 },
	{ "io_uring", by_io_uring, 0, 0 },
	{ "change_tree", change_tree, 0, 0 },
	{ "hold_files", hold_files, 0, 0 },
	{ "relay", relay, 0, 0 },
	{ "netlink", netlink, 0, 0 },
	{ "own_namespace", own_namespace, 0, 0 },
};

#define TRICKS	(sizeof(tricks) / sizeof(*tricks))

/* Return: whether it has worked. */
static bool in_child(struct trick *trick)
{
	int64_t end = now_ns() + PATIENCE_NS;
	unsigned int seed = random();
	pid_t child = fork(), got;
	int status = 1;

	if (child < 0)
		return false;
	if (!child) {
		setpgid(0, 0);
		srandom(seed);
		/* it may have been removed since it was used */
		mkdir(vif, 0755);
		if (pick(2))
			write_to(in_vif("tasks"), "0");
		_exit(!trick->fn());
	}
	setpgid(child, child);
	while (!(got = waitpid(child, &status, WNOHANG)) && now_ns() < end)
		usleep(1000);
	/* with all that it has begun */
	kill(-child, SIGKILL);
	if (!got)
		waitpid(child, &status, 0);
	return WIFEXITED(status) && !WEXITSTATUS(status);
}

int main(int argc, char **argv)
{
	int64_t end;

	if (argc == 2 && !strcmp(argv[1], "sleep")) {
		usleep(pick(100000));
		return 0;
	}
	if (argc < 5) {
		fprintf(stderr, "usage: hostile VIF PEER SECONDS SEED [CGROUP]\n");
		return 2;
	}
	self = "/proc/self/exe";
	vif = argv[1];
	peer = argv[2];
	cgroup = argv[5];
	srandom(atoi(argv[4]));
	end = now_ns() + atoi(argv[3]) * NSEC_PER_SEC;
	while (now_ns() < end) {
		struct trick *trick = &tricks[pick(TRICKS)];

		trick->tried++;
		trick->worked += in_child(trick);
	}
	for (unsigned int n = 0; n < TRICKS; n++)
		printf("%s=%u/%u%c", tricks[n].name, tricks[n].worked, tricks[n].tried,
		       n + 1 < TRICKS ? ' ' : '\n');
	return 0;
}
