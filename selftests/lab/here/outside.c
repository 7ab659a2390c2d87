// SPDX-License-Identifier: GPL-2.0
/* Outside: starts the kernel, and passes on what goes in and out. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "here.h"

#define BOOT_SECONDS	60
/* From when who does not read the command's output is taken for one who never will */
#define READ_SECONDS	2

static const char *folder;
static int line_fd[LINES];
static pid_t kernel;
static bool is_up, has_ended, is_raw;
static pid_t parent;
static time_t unread_since;
static int debugger_fd = -1;		/* standard input of one, which has the terminal */
static int status;
static unsigned long long out_bytes, err_bytes;
static struct termios terminal;

/* --- the terminal -------------------------------------------------------------------- */

static void terminal_restore(void)
{
	if (is_raw)
		tcsetattr(0, TCSADRAIN, &terminal);
	is_raw = false;
}

static void terminal_raw(void)
{
	struct termios t;

	if (tcgetattr(0, &terminal))
		return;
	t = terminal;
	cfmakeraw(&t);
	is_raw = !tcsetattr(0, TCSADRAIN, &t);
}

/* The kernel is started by a debugger: that has the terminal, and the command none. */
static void debugger_take(void)
{
	debugger_fd = fcntl(0, F_DUPFD_CLOEXEC, 3);
	dup2(open("/dev/null", O_RDONLY | O_CLOEXEC), 0);
}

/* --- the kernel ---------------------------------------------------------------------- */

static void lines_make(int inner[LINES])
{
	for (int line = 0; line < LINES; line++) {
		int pair[2];

		if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
			die("socketpair");
		line_fd[line] = pair[0];
		inner[line] = pair[1];
		fcntl(pair[0], F_SETFD, FD_CLOEXEC);
	}
}

/* A terminal's signals are not for it, and it does not outlive this process. */
static void kernel_run(char **argv, const int inner[LINES])
{
	size_t n = 0;
	char **all;
	sigset_t none;

	while (argv[n])
		n++;
	all = calloc(n + LINES + 1, sizeof(*all));
	memcpy(all, argv, n * sizeof(*all));
	for (int line = 0; line < LINES; line++)
		if (asprintf(&all[n + line], "ssl%d=fd:%d", line, inner[line]) < 0)
			_exit(NOT_STARTED);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	if (debugger_fd >= 0) {
		dup2(debugger_fd, 0);
	} else {
		setsid();
		dup2(open("/dev/null", O_RDWR | O_CLOEXEC), 0);
		dup2(inner[LINE_KERNEL], 1);
		dup2(inner[LINE_KERNEL], 2);
	}
	execvp(all[0], all);
	say("%s: %s", all[0], strerror(errno));
	_exit(NOT_STARTED);
}

static void kernel_start(char **argv)
{
	pid_t self = getpid();
	int inner[LINES];

	lines_make(inner);
	kernel = fork();
	if (kernel < 0)
		die("fork");
	if (!kernel) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != self)
			_exit(NOT_STARTED);
		kernel_run(argv, inner);
	}
	for (int line = 0; line < LINES; line++)
		close(inner[line]);
}

/* What it said last, for when something goes wrong. */
static struct {
	char text[4096];
	size_t n;
} log;

static void log_read(void)
{
	ssize_t n;

	if (log.n > sizeof(log.text) / 2) {
		memmove(log.text, log.text + log.n / 2, log.n - log.n / 2);
		log.n -= log.n / 2;
	}
	n = read(line_fd[LINE_KERNEL], log.text + log.n, sizeof(log.text) - log.n);
	if (n > 0)
		log.n += n;
}

/* --- what goes in and out --------------------------------------------------------------- */

/* The job is known inside: if this process is killed now, little stays. */
static void job_forget(void)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/job", folder);
	unlink(path);
	snprintf(path, sizeof(path), "%s/init", folder);
	unlink(path);
}

/* @n: of the file to come, or that is there now; @ended: it was the last one */
static struct {
	unsigned int n;
	bool is_there, ended;
} input;

static void input_give(void)
{
	static char data[INPUT_BYTES];
	char path[PATH_MAX];
	ssize_t n = read(0, data, sizeof(data));
	int fd;

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	input.ended = n <= 0;
	if (input.ended) {
		line_put(line_fd[LINE_CONTROL], "eof\n");
		return;
	}
	input_path(path, folder, input.n);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0 || !put(fd, data, n))
		die(path);
	close(fd);
	input.is_there = true;
	line_put(line_fd[LINE_CONTROL], "input %u\n", input.n);
}

static void input_taken(void)
{
	char path[PATH_MAX];

	input_path(path, folder, input.n++);
	unlink(path);
	input.is_there = false;
}

static void control(const char *text)
{
	if (!strcmp(text, "up")) {
		is_up = true;
		job_forget();
	} else if (sscanf(text, "end %d %llu %llu", &status, &out_bytes, &err_bytes) == 3) {
		has_ended = true;
	} else if (!strcmp(text, "took")) {
		input_taken();
	}
}

/* is_orphan: who asked for all this has gone, which sends SIGHUP */
static bool is_orphan(void)
{
	return parent && getppid() != parent;
}

/*
 * is_unread: an output waits for its reader, and with it the command, which cannot be asked to
 * end then: its own end would come behind what it has written.
 */
static bool is_unread(int signal)
{
	return unread_since && time(NULL) >= unread_since + READ_SECONDS && signal != SIGUSR1 &&
	       signal != SIGUSR2;
}

/* signal_take: false if there is nothing left to wait for */
static bool signal_take(int signals)
{
	struct signalfd_siginfo info;
	struct winsize size;

	if (read(signals, &info, sizeof(info)) != sizeof(info))
		return true;
	switch (info.ssi_signo) {
	case SIGCHLD:
		if (waitpid(kernel, NULL, WNOHANG) != kernel)
			return true;
		kernel = 0;
		log_read();
		return false;
	case SIGWINCH:
		if (is_raw && !ioctl(0, TIOCGWINSZ, &size))
			line_put(line_fd[LINE_CONTROL], "size %u %u\n", size.ws_row, size.ws_col);
		return true;
	}
	if (debugger_fd >= 0 && info.ssi_signo == SIGINT)
		return true;
	if (is_up && !is_orphan() && !is_unread(info.ssi_signo)) {
		line_put(line_fd[LINE_CONTROL], "signal %u\n", info.ssi_signo);
		return true;
	}
	/* as if it had come to the command at once */
	status = info.ssi_signo;
	return false;
}

static int signals_take_over(void)
{
	static const int taken[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGCHLD, SIGWINCH };
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(taken) / sizeof(taken[0]); i++)
		sigaddset(&set, taken[i]);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
	return signalfd(-1, &set, SFD_CLOEXEC);
}

/* signals_give_back: what is left to do needs none */
static void signals_give_back(void)
{
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_UNBLOCK, &all, NULL);
}

/* output_pass: of the command's output N; if it is not read, the command must know */
static void output_pass(struct stream *s, int n)
{
	bool read = s->to >= 0;

	stream_pass(s);
	if (read && s->to < 0)
		line_put(line_fd[LINE_CONTROL], "closed %d\n", n);
}

static void pass_all(int signals)
{
	struct stream keys = { .from = is_raw ? 0 : -1, .to = line_fd[LINE_TTY] };
	struct stream screen = { .from = line_fd[LINE_TTY], .to = 1 };
	struct stream out = { .from = line_fd[LINE_OUT], .to = 1 };
	struct stream err = { .from = line_fd[LINE_ERR], .to = 2 };
	struct lines lines = {};
	time_t last = time(NULL) + BOOT_SECONDS;

	while (!has_ended || out.passed < out_bytes || err.passed < err_bytes) {
		bool wants_input = is_up && !is_raw && !input.is_there && !input.ended;
		struct pollfd p[] = {
			{ .fd = signals, .events = POLLIN },
			{ .fd = line_fd[LINE_KERNEL], .events = POLLIN },
			{ .fd = line_fd[LINE_CONTROL], .events = POLLIN },
			{ .fd = is_up ? keys.from : -1, .events = POLLIN },
			{ .fd = wants_input ? 0 : -1, .events = POLLIN },
			stream_wait(&screen),
			stream_wait(&out),
			stream_wait(&err),
		};

		if (p[5].fd == screen.from && p[6].fd == out.from && p[7].fd == err.from)
			unread_since = 0;
		else if (!unread_since)
			unread_since = time(NULL);
		poll(p, 8, is_up ? -1 : 1000);
		if (!is_up && debugger_fd < 0 && time(NULL) > last)
			return;
		if (p[1].revents)
			log_read();
		if (p[2].revents)
			lines_read(&lines, line_fd[LINE_CONTROL], control);
		if (p[3].revents)
			stream_pass(&keys);
		if (p[4].revents)
			input_give();
		if (p[5].revents && p[5].fd == screen.from)
			stream_pass(&screen);
		if (p[6].revents && p[6].fd == out.from)
			output_pass(&out, 1);
		if (p[7].revents && p[7].fd == err.from)
			output_pass(&err, 2);
		if (p[0].revents && !signal_take(signals)) {
			if (kernel)
				return;
			break;
		}
	}
	/*
	 * What is written to the terminal is not counted, but was sent before the end; and if the
	 * kernel has gone first, because what it sent is read slowly, all of it is there.
	 */
	if (!is_raw)
		signals_give_back();
	stream_rest(&screen);
	stream_rest(&out);
	stream_rest(&err);
}

/* end: as the command did */
static int end_as(int status)
{
	if (!WIFSIGNALED(status))
		return WEXITSTATUS(status);
	signal(WTERMSIG(status), SIG_DFL);
	raise(WTERMSIG(status));
	signals_give_back();
	return 128 + WTERMSIG(status);
}

int outside(const char *job_folder, char **kernel_argv, char **settings, char **argv)
{
	int signals;

	folder = job_folder;
	for (char **setting = settings; *setting; setting++)
		if (!strcmp(*setting, "gdb=1"))
			debugger_take();
		else
			sscanf(*setting, "parent=%d", &parent);
	job_write(folder, settings, argv);
	signals = signals_take_over();
	prctl(PR_SET_PDEATHSIG, SIGHUP);
	if (is_orphan())
		raise(SIGHUP);
	kernel_start(kernel_argv);
	if (isatty(0) && isatty(1))
		terminal_raw();
	pass_all(signals);
	if (kernel) {
		kill(kernel, SIGKILL);
		waitpid(kernel, NULL, 0);
	}
	terminal_restore();
	job_forget();
	if (has_ended || status)
		return end_as(status);
	/* who sits at a debugger has seen it */
	if (debugger_fd >= 0)
		return NOT_STARTED;
	fwrite(log.text, 1, log.n, stderr);
	say(is_up ? "the kernel ended early" : "the kernel did not start");
	return NOT_STARTED;
}
