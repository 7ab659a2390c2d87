// SPDX-License-Identifier: GPL-2.0
/*
 * kinds - does with sockets what its arguments say, word by word
 *
 * Each word is followed by arguments of its own. Words that open a socket make it
 * the current one, which the others use:
 *
 *	kinds socket tcp4 connect 10.0.0.2 9001 send 3000 close
 *
 * Braces enclose what a thread, a child or a repetition does. A thread or child
 * has the sockets that were open when it began; who began it waits for it in the
 * end. The first failure is the end, with status 1, and so is a minute without one.
 *
 * This file has the interpreter, processes and threads; inet.c the sockets,
 * ways.c the ways of sending that take more than a system call, tap.c a guest's card,
 * xdp.c programs on devices.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "kinds.h"

/* No word takes longer, but those that are there to wait. */
#define PATIENCE_S 60

void die(const char *what)
{
	fprintf(stderr, "kinds: %s: %s\n", what, errno ? strerror(errno) : "not as expected");
	exit(1);
}

static void act(struct actor *a, char **word, char **end);

/* --- processes and threads ---------------------------------------------------- */

static void join_threads(struct actor *a)
{
	while (a->n_threads)
		pthread_join(a->threads[--a->n_threads], NULL);
}

static void word_wait(struct actor *a)
{
	int status;

	alarm(0);
	join_threads(a);
	while (wait(&status) > 0)
		if (status)
			exit(1);
}

static void *thread(void *actor)
{
	struct actor *a = actor;

	act(a, a->arg + 1, a->end);
	join_threads(a);
	free(a);
	return NULL;
}

static void word_thread(struct actor *a)
{
	struct actor *new = malloc(sizeof(*new));

	if (!new || a->n_threads == MAX_THREADS)
		die("thread");
	*new = *a;
	new->n_threads = 0;
	errno = pthread_create(&a->threads[a->n_threads++], NULL, thread, new);
	if (errno)
		die("thread");
}

static void word_fork(struct actor *a)
{
	pid_t pid = fork();

	if (pid < 0)
		die("fork");
	if (pid)
		return;
	a->n_threads = 0;
	act(a, a->arg + 1, a->end);
	word_wait(a);
	exit(0);
}

static void word_times(struct actor *a)
{
	char **block = a->arg + 2, **end = a->end;

	for (int left = atoi(a->arg[0]); left > 0; left--)
		act(a, block, end);
}

/* the program again, which goes on with the words that follow */
static void word_exec(struct actor *a)
{
	char **argv = calloc(2 * a->n + 4 + (a->end - a->arg), sizeof(*argv)), **next = argv;

	if (!argv)
		die("exec");
	*next++ = "kinds";
	for (unsigned int i = 0; i < a->n; i++) {
		*next++ = "adopt";
		if (asprintf(next++, "%d", a->fd[i]) < 0)
			die("exec");
	}
	if (a->n) {
		*next++ = "use";
		if (asprintf(next++, "%u", a->current) < 0)
			die("exec");
	}
	memcpy(next, a->arg, (a->end - a->arg) * sizeof(*next));
	execv("/proc/self/exe", argv);
	die("exec");
}

static void word_adopt(struct actor *a)
{
	opened(a, atoi(a->arg[0]), "adopt");
}

static void word_user(struct actor *a)
{
	int id = atoi(a->arg[0]);

	if (setresuid(id, id, id))
		die("user");
}

static void word_exit(struct actor *a)
{
	(void)a;
	_exit(0);
}

static void word_retire(struct actor *a)
{
	(void)a;
	syscall(SYS_exit, 0);
}

static void word_kill(struct actor *a)
{
	(void)a;
	signal(SIGTERM, SIG_IGN);
	kill(0, SIGTERM);
	while (wait(NULL) > 0)
		;
}

/* --- what they say to each other ---------------------------------------------- */

static void word_pair(struct actor *a)
{
	if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, a->pair))
		die("pair");
}

union control {
	struct cmsghdr header;
	char room[CMSG_SPACE(sizeof(int))];
};

static void tell(struct actor *a, union control *control)
{
	char byte = 0;
	struct iovec iov = { &byte, 1 };
	struct msghdr msg = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = control,
		.msg_controllen = control ? sizeof(*control) : 0,
	};

	if (sendmsg(a->pair[atoi(a->arg[0])], &msg, 0) != 1)
		die("tell");
}

static void word_tell(struct actor *a)
{
	tell(a, NULL);
}

/* the same with the current socket */
static void word_pass(struct actor *a)
{
	union control control = {
		.header = {
			.cmsg_level = SOL_SOCKET,
			.cmsg_type = SCM_RIGHTS,
			.cmsg_len = CMSG_LEN(sizeof(int)),
		},
	};

	*(int *)CMSG_DATA(&control.header) = current(a);
	tell(a, &control);
}

static void word_hear(struct actor *a)
{
	union control control;
	char byte;
	struct iovec iov = { &byte, 1 };
	struct msghdr msg = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};

	if (recvmsg(a->pair[atoi(a->arg[0])], &msg, 0) != 1)
		die("hear");
	if (CMSG_FIRSTHDR(&msg))
		opened(a, *(int *)CMSG_DATA(&control.header), "hear");
}

static void word_say(struct actor *a)
{
	puts(a->arg[0]);
	fflush(stdout);
}

static void word_clock(struct actor *a)
{
	struct timespec now;

	(void)a;
	clock_gettime(CLOCK_MONOTONIC, &now);
	printf("%lld\n", now.tv_sec * 1000000000LL + now.tv_nsec);
	fflush(stdout);
}

static void word_read(struct actor *a)
{
	char byte;

	(void)a;
	while (read(STDIN_FILENO, &byte, 1) == 1 && byte != '\n')
		;
}

static void word_pause(struct actor *a)
{
	long ms = atol(a->arg[0]);
	struct timespec ts = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 };

	alarm(0);
	while (nanosleep(&ts, &ts) && errno == EINTR)
		;
}

/* --- attaching themselves ----------------------------------------------------- */

static void write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		die(path);
	close(fd);
}

static void word_write(struct actor *a)
{
	write_text(a->arg[0], a->arg[1]);
}

static void word_rmdir(struct actor *a)
{
	if (rmdir(a->arg[0]))
		die(a->arg[0]);
}

static void word_attach_thread(struct actor *a)
{
	char text[32];

	snprintf(text, sizeof(text), "%d/%d", getpid(), gettid());
	write_text(a->arg[0], text);
}

static void word_attach_socket(struct actor *a)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/network/tasks/self/sockets/%d/link", current(a));
	if (symlink(a->arg[0], path))
		die(path);
}

/* --- the interpreter ---------------------------------------------------------- */

static const struct word process_words[] = {
	{ "thread", 0, true, "{ ... }", word_thread },
	{ "fork", 0, true, "{ ... }", word_fork },
	{ "times", 1, true, "COUNT { ... }", word_times },
	{ "wait", 0, false, "\tfor threads and children", word_wait },
	{ "exec", 0, false, "\tof this program", word_exec },
	{ "adopt", 1, false, "DESCRIPTOR", word_adopt },
	{ "user", 1, false, "ID", word_user },
	{ "exit", 0, false, "\tand close nothing", word_exit },
	{ "retire", 0, false, "\tof this thread; the process goes on", word_retire },
	{ "kill", 0, false, "\tthe others of the process group", word_kill },
	{ "pair", 0, false, "", word_pair },
	{ "tell", 1, false, "END", word_tell },
	{ "pass", 1, false, "END\tof the pair, the current socket", word_pass },
	{ "hear", 1, false, "END\twhat the other one has told, or passed", word_hear },
	{ "say", 1, false, "TEXT", word_say },
	{ "clock", 0, false, "\tsays how many nanoseconds the machine is up", word_clock },
	{ "read", 0, false, "\ta line", word_read },
	{ "pause", 1, false, "MILLISECONDS", word_pause },
	{ "write", 2, false, "FILE TEXT", word_write },
	{ "rmdir", 1, false, "DIRECTORY", word_rmdir },
	{ "attach-thread", 1, false, "FILE\t`tasks` of a VIF", word_attach_thread },
	{ "attach-socket", 1, false, "VIF", word_attach_socket },
	{}
};

static const struct word *const vocabulary[] = {
	socket_words, tap_words, xdp_words, process_words, NULL
};

static void __attribute__((noreturn)) usage(const char *wrong)
{
	fprintf(stderr, "kinds: not understood: %s\nusage: kinds WORD...\n", wrong);
	for (const struct word *const *list = vocabulary; *list; list++)
		for (const struct word *word = *list; word->name; word++)
			fprintf(stderr, "  %s %s\n", word->name, word->args);
	exit(2);
}

static const struct word *find_word(const char *name)
{
	for (const struct word *const *list = vocabulary; *list; list++)
		for (const struct word *word = *list; word->name; word++)
			if (!strcmp(word->name, name))
				return word;
	usage(name);
}

/* the brace that closes the one at @word */
static char **closing(char **word, char **end)
{
	int depth = 0;

	for (; word < end; word++) {
		depth += !strcmp(*word, "{") - !strcmp(*word, "}");
		if (!depth)
			return word;
	}
	usage("{");
}

static void act(struct actor *a, char **next, char **end)
{
	while (next < end) {
		char **name = next++, **block_end = NULL;
		const struct word *word = find_word(*name);

		if (end - next < word->n_args)
			usage(*name);
		a->arg = next;
		next += word->n_args;
		if (word->block) {
			block_end = closing(next, end);
			if (block_end == next)
				usage(*name);
			next = block_end + 1;
		}
		a->end = word->block ? block_end : end;
		alarm(PATIENCE_S);
		word->run(a);
	}
}

int main(int argc, char **argv)
{
	struct actor a = {};

	signal(SIGPIPE, SIG_IGN);
	act(&a, argv + 1, argv + argc);
	word_wait(&a);
	return 0;
}
