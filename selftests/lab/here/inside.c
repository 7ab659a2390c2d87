// SPDX-License-Identifier: GPL-2.0
/* Inside: the first process, which runs the command, and passes on what goes in and out. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/reboot.h>
#include <sys/sendfile.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "here.h"

extern char **environ;

static struct job job;
static int line_fd[LINES];
static pid_t command;
static struct stream out, err;

/* @from: the file that is there now, or -1; @to: -1 when it is not read any more */
static struct {
	const char *folder;
	int from, to;
} input = { .from = -1, .to = -1 };

static void line_open(enum line line)
{
	char path[20];
	struct termios t;

	snprintf(path, sizeof(path), "/dev/ttyS%d", line);
	line_fd[line] = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (line_fd[line] < 0)
		die(path);
	tcgetattr(line_fd[line], &t);
	cfmakeraw(&t);
	tcsetattr(line_fd[line], TCSANOW, &t);
}

/* --- the command ---------------------------------------------------------------------- */

static void terminal_take(int fd)
{
	struct termios t;

	ioctl(fd, TIOCSCTTY, 0);
	tcgetattr(fd, &t);
	t.c_iflag |= ICRNL | IXON;
	t.c_oflag |= OPOST | ONLCR;
	t.c_lflag |= ISIG | ICANON | ECHO | ECHOE | ECHOK | ECHOCTL | ECHOKE | IEXTEN;
	tcsetattr(fd, TCSANOW, &t);
	ioctl(fd, TIOCSWINSZ, &job.size);
}

static void command_run(void)
{
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	if (setgroups(job.n_groups, job.groups) || setresgid(job.gid, job.gid, job.gid) ||
	    setresuid(job.uid, job.uid, job.uid))
		die("the user");
	if (chdir(job.folder))
		die(job.folder);
	environ = job.env;
	execvp(job.argv[0], job.argv);
	say("%s: %s", job.argv[0], strerror(errno));
	_exit(errno == ENOENT ? 127 : 126);
}

/* to its group, which is not there before it has made that */
static void command_signal(int n)
{
	if (kill(-command, n))
		kill(command, n);
}

static void command_start(void)
{
	int in_pipe[2], out_pipe[2], err_pipe[2], tty = line_fd[LINE_TTY];

	if (pipe2(in_pipe, O_CLOEXEC) || pipe2(out_pipe, O_CLOEXEC) || pipe2(err_pipe, O_CLOEXEC))
		die("a pipe");
	command = fork();
	if (!command) {
		setsid();
		if (job.tty)
			terminal_take(tty);
		dup2(job.tty ? tty : in_pipe[0], 0);
		dup2(job.tty ? tty : out_pipe[1], 1);
		dup2(job.tty_err ? tty : err_pipe[1], 2);
		command_run();
	}
	close(in_pipe[0]);
	close(out_pipe[1]);
	close(err_pipe[1]);
	input.to = in_pipe[1];
	fcntl(input.to, F_SETFL, O_NONBLOCK);
	out = (struct stream){ .from = out_pipe[0], .to = line_fd[LINE_OUT] };
	err = (struct stream){ .from = err_pipe[0], .to = line_fd[LINE_ERR] };
}

/* --- what goes in and out -------------------------------------------------------------- */

static void input_took(void)
{
	if (input.from >= 0)
		close(input.from);
	input.from = -1;
	line_put(line_fd[LINE_CONTROL], "took\n");
}

static void input_end(void)
{
	close(input.to);
	input.to = -1;
}

static void input_take(unsigned int n)
{
	char path[PATH_MAX];

	input_path(path, input.folder, n);
	input.from = open(path, O_RDONLY | O_CLOEXEC);
	if (input.from < 0)
		say("%s: %s", path, strerror(errno));
	if (input.from < 0 || input.to < 0)
		input_took();
}

/* input_pass: as much as the command has room for */
static void input_pass(void)
{
	ssize_t n = sendfile(input.to, input.from, NULL, INPUT_BYTES);

	if (n > 0 || (n < 0 && errno == EAGAIN))
		return;
	if (n < 0)
		input_end();
	input_took();
}

static void control(const char *text)
{
	struct winsize size = {};
	unsigned int file;
	int n;

	if (sscanf(text, "signal %d", &n) == 1)
		command_signal(n);
	else if (sscanf(text, "size %hu %hu", &size.ws_row, &size.ws_col) == 2)
		ioctl(line_fd[LINE_TTY], TIOCSWINSZ, &size);
	else if (sscanf(text, "closed %d", &n) == 1)
		stream_end(n == 1 ? &out : &err);
	else if (sscanf(text, "input %u", &file) == 1)
		input_take(file);
	else if (!strcmp(text, "eof"))
		input_end();
}

/* reap: all that have ended; true if the command is among them */
static bool reap(int *status)
{
	bool ended = false;
	int s;

	for (pid_t pid; (pid = waitpid(-1, &s, WNOHANG)) > 0;)
		if (pid == command) {
			*status = s;
			ended = true;
		}
	return ended;
}

/* command_wait: for its end; @signals tells of children */
static int command_wait(int signals)
{
	struct signalfd_siginfo info;
	struct lines lines = {};
	int status = 0;

	for (;;) {
		struct pollfd p[] = {
			{ .fd = signals, .events = POLLIN },
			{ .fd = line_fd[LINE_CONTROL], .events = POLLIN },
			{ .fd = input.from < 0 ? -1 : input.to, .events = POLLOUT },
			{ .fd = out.from, .events = POLLIN },
			{ .fd = err.from, .events = POLLIN },
		};

		poll(p, 5, -1);
		if (p[1].revents)
			lines_read(&lines, line_fd[LINE_CONTROL], control);
		if (p[2].revents)
			input_pass();
		if (p[3].revents)
			stream_pass(&out);
		if (p[4].revents)
			stream_pass(&err);
		if (p[0].revents && read(signals, &info, sizeof(info)) > 0 && reap(&status))
			return status;
	}
}

int inside(char *self)
{
	sigset_t child;
	int signals, status;

	*strrchr(self, '/') = 0;
	set_up_root();
	for (enum line line = 0; line < LINES; line++)
		line_open(line);
	dup2(line_fd[LINE_KERNEL], 2);
	input.folder = self;
	job_read(&job, self);
	set_up(job.settings);
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_BLOCK, &child, NULL);
	signal(SIGPIPE, SIG_IGN);
	signals = signalfd(-1, &child, SFD_CLOEXEC);
	line_put(line_fd[LINE_CONTROL], "up\n");
	command_start();
	status = command_wait(signals);
	stream_rest(&out);
	stream_rest(&err);
	/* what was written to the machine's folders */
	sync();
	line_put(line_fd[LINE_CONTROL], "end %d %llu %llu\n", status, out.passed, err.passed);
	for (enum line line = LINE_CONTROL; line < LINES; line++)
		tcdrain(line_fd[line]);
	reboot(RB_POWER_OFF);
	return 0;
}
