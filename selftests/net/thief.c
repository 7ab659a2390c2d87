// SPDX-License-Identifier: GPL-2.0
/*
 * thief - uses what is another process's
 *
 *	thief steer PID FD COUNT	has it send datagrams, by ptrace(2)
 *	thief take PID FD COUNT		takes its socket, by pidfd_getfd(2), and sends
 *	thief list DIRECTORY		opens it, says `ready`, and lists it with each line
 *					that it reads
 *	thief again PID			makes a process of that number
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "program.h"

#define DATAGRAM_BYTES	1200

static void wait_for(pid_t pid)
{
	if (waitpid(pid, NULL, __WALL) != pid)
		die("waitpid");
}

static void registers(int request, pid_t pid, struct user_regs_struct *regs)
{
	struct iovec set = { regs, sizeof(*regs) };

	if (ptrace(request, pid, NT_PRSTATUS, &set))
		die("registers");
}

static void step(pid_t pid)
{
	if (ptrace(PTRACE_SINGLESTEP, pid, 0, 0))
		die("step");
	wait_for(pid);
}

/*
 * The process is in a system call, which a signal has interrupted, and which the kernel means to
 * make again: leave_call() keeps it from that. set_call() has it send a datagram by the
 * instruction that made that call.
 */
#ifdef __x86_64__
static void leave_call(struct user_regs_struct *regs)
{
	regs->orig_rax = -1;
}

static void set_call(struct user_regs_struct *regs, int fd)
{
	regs->rip -= 2;
	regs->orig_rax = -1;
	regs->rax = SYS_sendto;
	regs->rdi = fd;
	regs->rsi = regs->rsp;
	regs->rdx = DATAGRAM_BYTES;
	regs->r10 = MSG_DONTWAIT;
	regs->r8 = 0;
	regs->r9 = 0;
}

static long result(const struct user_regs_struct *regs)
{
	return regs->rax;
}
#else
/* here it has gone back to that instruction already */
static void leave_call(struct user_regs_struct *regs)
{
	regs->pc += 4;
}

static void set_call(struct user_regs_struct *regs, int fd)
{
	regs->regs[8] = SYS_sendto;
	regs->regs[0] = fd;
	regs->regs[1] = regs->sp;
	regs->regs[2] = DATAGRAM_BYTES;
	regs->regs[3] = MSG_DONTWAIT;
	regs->regs[4] = 0;
	regs->regs[5] = 0;
}

static long result(const struct user_regs_struct *regs)
{
	return regs->regs[0];
}
#endif

static void steer(pid_t pid, int fd, int count)
{
	struct user_regs_struct was, regs;

	if (ptrace(PTRACE_ATTACH, pid, 0, 0))
		die("ptrace");
	wait_for(pid);
	registers(PTRACE_GETREGSET, pid, &was);
	regs = was;
	leave_call(&regs);
	registers(PTRACE_SETREGSET, pid, &regs);
	step(pid);
	while (count--) {
		regs = was;
		set_call(&regs, fd);
		registers(PTRACE_SETREGSET, pid, &regs);
		step(pid);
		registers(PTRACE_GETREGSET, pid, &regs);
		if (result(&regs) == -EFAULT || result(&regs) == -EBADF)
			die("it cannot send");
	}
	registers(PTRACE_SETREGSET, pid, &was);
	ptrace(PTRACE_DETACH, pid, 0, 0);
}

static void take(pid_t pid, int fd, int count)
{
	char datagram[DATAGRAM_BYTES] = {};
	int pidfd = syscall(SYS_pidfd_open, pid, 0);
	int taken = syscall(SYS_pidfd_getfd, pidfd, fd, 0);

	if (taken < 0)
		die("pidfd_getfd");
	while (count--)
		if (send(taken, datagram, sizeof(datagram), MSG_DONTWAIT) < 0 &&
		    errno != EAGAIN && errno != ENOBUFS)
			die("send");
}

static void list(const char *path)
{
	char entries[4096];
	int fd = open(path, O_RDONLY | O_DIRECTORY), c;
	long len;

	if (fd < 0)
		die(path);
	puts("ready");
	fflush(stdout);
	while ((c = getchar()) != EOF) {
		if (c != '\n')
			continue;
		lseek(fd, 0, SEEK_SET);
		len = syscall(SYS_getdents64, fd, entries, sizeof(entries));
		puts(len < 0 ? strerror(errno) : "listed");
		fflush(stdout);
	}
}

static void again(pid_t nr)
{
	struct clone_args args = {
		.exit_signal = SIGCHLD,
		.set_tid = (uintptr_t)&nr,
		.set_tid_size = 1,
	};
	long pid = syscall(SYS_clone3, &args, sizeof(args));

	if (pid < 0)
		die("clone3");
	if (pid)
		wait_for(pid);
	else
		pause();
}

int main(int argc, char **argv)
{
	if (argc == 5 && !strcmp(argv[1], "steer"))
		steer(atoi(argv[2]), atoi(argv[3]), atoi(argv[4]));
	else if (argc == 5 && !strcmp(argv[1], "take"))
		take(atoi(argv[2]), atoi(argv[3]), atoi(argv[4]));
	else if (argc == 3 && !strcmp(argv[1], "list"))
		list(argv[2]);
	else if (argc == 3 && !strcmp(argv[1], "again"))
		again(atoi(argv[2]));
	else
		return 2;
	return 0;
}
