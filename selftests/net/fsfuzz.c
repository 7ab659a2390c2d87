// SPDX-License-Identifier: GPL-2.0
/*
 * File operations on /proc/network at random, by several processes and threads, as
 * root and as an ordinary user, while those who can be attached come and go.
 *
 * usage: fsfuzz SEED SECONDS FOLDER [OPERATIONS]
 *
 * The same seed means the same choices of each worker, which does so many operations at most: time
 * may pass slowly where all are busy. FOLDER is for mounts. Prints a
 * line for each operation: `op USER NAME: DONE of TRIED`, with `must` before it where it
 * should succeed; `fault ...` for what is wrong; `hung ...` for a worker that does not
 * end an operation.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "fsfuzz.h"

#define ROOT_PROCESSES 4
#define USER_PROCESSES 3
#define THREADS 3
#define WORKERS (ROOT_PROCESSES + USER_PROCESSES + THREADS)

/* An operation takes no longer, however slow the machine. */
#define PATIENCE_NS 60000000000LL

struct shared *shared;

static uint64_t seed;
static const char *folder;
static unsigned long operations;	/* of each worker at most; 0: any number */
static unsigned int n_ops, weights;

static void __attribute__((noreturn)) die(const char *what)
{
	fprintf(stderr, "fsfuzz: %s: %s\n", what, strerror(errno));
	exit(1);
}

static int64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000LL + ts.tv_nsec;
}

static void sleep_ms(unsigned int ms)
{
	const struct timespec ts = { ms / 1000, ms % 1000 * 1000000 };

	nanosleep(&ts, NULL);
}

/* splitmix64 */
static uint64_t mix(uint64_t x)
{
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
	x = (x ^ x >> 27) * 0x94d049bb133111eb;
	return x ^ x >> 31;
}

unsigned int below(struct worker *w, unsigned int n)
{
	w->random += 0x9e3779b97f4a7c15;
	return (mix(w->random) >> 32) * n >> 32;
}

void fault(struct worker *w, const char *fmt, ...)
{
	unsigned int i = atomic_fetch_add(&shared->n_faults, 1);
	va_list args;
	int size;

	if (i >= MAX_FAULTS)
		return;
	size = sprintf(shared->fault[i], "worker %u, turn %llu, %s: ", w->nr, (unsigned long long)w->turn,
		       ops[shared->seat[w->nr].op].name);
	va_start(args, fmt);
	vsnprintf(shared->fault[i] + size, sizeof(shared->fault[i]) - size, fmt, args);
	va_end(args);
}

/* --- workers --------------------------------------------------------------------------- */

static unsigned int choose(struct worker *w)
{
	unsigned int left = below(w, weights), i;

	for (i = 0; left >= ops[i].weight; i++)
		left -= ops[i].weight;
	return i;
}

static void work(struct worker *w)
{
	struct seat *seat = &shared->seat[w->nr];
	unsigned int op;

	seat->pid = gettid();
	for (; !shared->stop && (!operations || w->turn < operations); w->turn++) {
		w->random = mix(mix(w->seed + w->nr) + w->turn);
		op = choose(w);
		if (ops[op].root && w->user)
			continue;
		seat->op = op;
		/* the watchdog has the time: a clock that is asked all the time does not tick */
		seat->turn = w->turn + 1;
		atomic_fetch_add(&shared->count[op].tried[w->user], 1);
		if (ops[op].run(w))
			atomic_fetch_add(&shared->count[op].done[w->user], 1);
	}
	seat->turn = 0;
}

static void *work_thread(void *w)
{
	work(w);
	return NULL;
}

static void init_worker(struct worker *w, unsigned int nr, bool user, _Atomic int *fds)
{
	*w = (struct worker) {
		.nr = nr,
		.user = user,
		.seed = seed,
		.fd = fds,
		.inotify = -1,
		.fanotify = -1,
		.epoll = -1,
		.pipe = { -1, -1 },
	};
	snprintf(w->own.path, sizeof(w->own.path), TOP "/eth0/%s%u%s", "own", nr, user ? "/own" : "");
	snprintf(w->mount, sizeof(w->mount), "%s/%u", folder, nr);
}

static void become_user(void)
{
	if (setgroups(0, NULL) || setresgid(USER, USER, USER) || setresuid(USER, USER, USER))
		die("setresuid");
}

/* Runs workers from @nr on: a process, or @threads threads of one. */
static pid_t start_workers(unsigned int nr, bool user, unsigned int threads)
{
	static struct worker workers[THREADS];
	static _Atomic int fds[SLOTS];
	pthread_t thread[THREADS];
	pid_t pid = fork();

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setsid();
	if (user)
		become_user();
	umask(0);
	if (chdir(TOP))
		die(TOP);
	signal(SIGIO, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	for (unsigned int i = 0; i < SLOTS; i++)
		fds[i] = -1;
	for (unsigned int i = 0; i < threads; i++)
		init_worker(&workers[i], nr + i, user, fds);
	if (threads == 1) {
		/* users and sessions have errors, and theirs are known */
		workers[0].alone = true;
		work(&workers[0]);
		_exit(0);
	}
	for (unsigned int i = 0; i < threads; i++)
		if (pthread_create(&thread[i], NULL, work_thread, &workers[i]))
			die("pthread_create");
	for (unsigned int i = 0; i < threads; i++)
		pthread_join(thread[i], NULL);
	_exit(0);
}

/* --- those who can be attached ------------------------------------------------------------- */

static void *idle(void *victim)
{
	((struct victim *)victim)->tid = gettid();
	for (;;)
		pause();
	return NULL;
}

static void send_for(int fd, unsigned int turns)
{
	static const char data[1000];

	while (turns--) {
		if (write(fd, data, sizeof(data)) < 0 && errno != ECONNREFUSED && errno != ENOBUFS)
			break;
		sleep_ms(5);
	}
}

static void __attribute__((noreturn)) be_victim(struct victim *victim, unsigned int turns)
{
	struct sockaddr_in to = {
		.sin_family = AF_INET,
		.sin_port = htons(9002),
		.sin_addr.s_addr = inet_addr("10.0.0.2"),
	};
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0);
	pthread_t thread;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (connect(fd, (struct sockaddr *)&to, sizeof(to)))
		die("connect");
	pthread_create(&thread, NULL, idle, victim);
	victim->fd = fd;
	victim->pid = getpid();
	send_for(fd, turns);
	_exit(0);
}

/* Groups come and go, with a process in them. */
static void use_group(struct worker *w, pid_t pid)
{
	char path[64], text[16];
	int fd;

	sprintf(path, GROUPS "/%u", below(w, 3));
	if (once_in(w, 3)) {
		rmdir(path);
		return;
	}
	mkdir(path, 0755);
	strcat(path, "/cgroup.procs");
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (write(fd, text, sprintf(text, "%d", pid)) < 0 && fd >= 0 && errno != ESRCH)
		fault(w, "%s: %s", path, strerror(errno));
	close(fd);
}

/* Ends with those who asked for it. */
static pid_t start_nursery(void)
{
	pid_t pid = fork(), child[VICTIMS] = {};
	struct worker w;

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	init_worker(&w, MAX_WORKERS - 1, false, NULL);
	for (; !shared->stop; w.turn++) {
		unsigned int i = below(&w, VICTIMS), turns = below(&w, 100);
		struct victim *victim = &shared->victim[i];

		if (child[i]) {
			/* one that has exited is there until it has been waited for */
			kill(child[i], once_in(&w, 2) ? SIGKILL : SIGCONT);
			sleep_ms(below(&w, 10));
			kill(child[i], SIGKILL);
			waitpid(child[i], NULL, 0);
		}
		child[i] = fork();
		if (!child[i])
			be_victim(victim, turns);
		use_group(&w, child[i]);
		sleep_ms(below(&w, 30));
	}
	for (unsigned int i = 0; i < VICTIMS; i++) {
		if (!child[i])
			continue;
		kill(child[i], SIGKILL);
		waitpid(child[i], NULL, 0);
	}
	_exit(0);
}

/* --- the judge ---------------------------------------------------------------------------------- */

static void copy_file(const char *path)
{
	char text[4096];
	int fd = open(path, O_RDONLY);
	ssize_t n;

	while ((n = read(fd, text, sizeof(text))) > 0)
		fwrite(text, n, 1, stdout);
	close(fd);
}

/* Return: how many workers are in an operation for too long */
static unsigned int hung(void)
{
	unsigned int n = 0;
	char path[64];

	for (unsigned int i = 0; i < WORKERS; i++) {
		struct seat *seat = &shared->seat[i];
		uint64_t turn = seat->turn;

		if (turn != seat->seen) {
			seat->seen = turn;
			seat->since = now_ns();
		}
		if (!turn || now_ns() - seat->since < PATIENCE_NS)
			continue;
		n++;
		printf("hung worker %u, turn %llu: %s\n", i, (unsigned long long)turn - 1, ops[seat->op].name);
		sprintf(path, "/proc/%d/stack", seat->pid);
		copy_file(path);
	}
	fflush(stdout);
	return n;
}

static bool all_ended(pid_t *pids, unsigned int n)
{
	bool all = true;
	int status;

	for (unsigned int i = 0; i < n; i++) {
		if (!pids[i])
			continue;
		if (waitpid(pids[i], &status, WNOHANG) == 0) {
			all = false;
			continue;
		}
		pids[i] = 0;
		if (status)
			printf("fault: process %u ended with status %x\n", i, status);
	}
	return all;
}

static void report(void)
{
	static const char *const who[] = { "root", "user" };
	static const char letter[] = "RU";
	bool must;

	for (unsigned int op = 0; op < n_ops; op++) {
		for (unsigned int user = 0; user < 2; user++) {
			const struct count *count = &shared->count[op];

			if (ops[op].root && user)
				continue;
			must = strchr(ops[op].must, letter[user]) &&
			       !(shared->lacks_fanotify && !strcmp(ops[op].name, "fanotify"));
			printf("%sop %s %s: %lu of %lu\n", must ? "must " : "", who[user], ops[op].name, count->done[user], count->tried[user]);
		}
	}
	for (unsigned int i = 0; i < shared->n_faults && i < MAX_FAULTS; i++)
		printf("fault: %s\n", shared->fault[i]);
}

static void make_places(void)
{
	struct statfs file_system;
	struct stat top;
	char path[64];

	if (statfs(TOP, &file_system) || stat(TOP, &top))
		die(TOP);
	shared->fs_type = file_system.f_type;
	shared->top_ino = top.st_ino;
	mkdir(GROUPS, 0755);
	for (unsigned int i = 0; i < WORKERS; i++) {
		snprintf(path, sizeof(path), "%s/%u", folder, i);
		if (mkdir(path, 0755))
			die(path);
		sprintf(path, TOP "/eth0/own%u", i);
		if (mkdir(path, 0755))
			die(path);
		if (i >= ROOT_PROCESSES && i < ROOT_PROCESSES + USER_PROCESSES && chown(path, USER, USER))
			die(path);
	}
	mkdir(TOP "/eth0/home", 0755);
	if (chown(TOP "/eth0/home", USER, USER))
		die("home");
}

int main(int argc, char **argv)
{
	pid_t pids[MAX_WORKERS];
	unsigned int n = 0;
	int64_t end;

	if (argc != 4 && argc != 5) {
		fprintf(stderr, "usage: fsfuzz SEED SECONDS FOLDER [OPERATIONS]\n");
		return 2;
	}
	seed = mix(strtoull(argv[1], NULL, 0));
	folder = argv[3];
	operations = argc > 4 ? strtoul(argv[4], NULL, 0) : 0;
	for (n_ops = 0; ops[n_ops].name; n_ops++)
		weights += ops[n_ops].weight;
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		die("mmap");
	make_places();
	end = now_ns() + atoll(argv[2]) * 1000000000LL;
	pids[n++] = start_nursery();
	for (unsigned int i = 0; i < ROOT_PROCESSES; i++)
		pids[n++] = start_workers(i, false, 1);
	for (unsigned int i = 0; i < USER_PROCESSES; i++)
		pids[n++] = start_workers(ROOT_PROCESSES + i, true, 1);
	pids[n++] = start_workers(ROOT_PROCESSES + USER_PROCESSES, false, THREADS);
	while (now_ns() < end && !hung())
		sleep_ms(100);
	shared->stop = true;
	end = now_ns() + PATIENCE_NS;
	while (!all_ended(pids, n) && now_ns() < end && !hung())
		sleep_ms(50);
	if (!all_ended(pids, n))
		printf("hung: not all have ended\n");
	report();
	return 0;
}
