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
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "program.h"

#define DATAGRAM_BYTES	1200
/* of the instruction that made the system call in which the process is */
#define SYSCALL_BYTES	2

static void wait_for(pid_t pid)
{
	if (waitpid(pid, NULL, __WALL) != pid)
		die("waitpid");
}

static void steer(pid_t pid, int fd, int count)
{
	struct user_regs_struct was, regs;

	if (ptrace(PTRACE_ATTACH, pid, 0, 0))
		die("ptrace");
	wait_for(pid);
	if (ptrace(PTRACE_GETREGS, pid, 0, &was))
		die("registers");
	while (count--) {
		regs = was;
		regs.rip -= SYSCALL_BYTES;
		regs.orig_rax = -1;
		regs.rax = SYS_sendto;
		regs.rdi = fd;
		regs.rsi = was.rsp;
		regs.rdx = DATAGRAM_BYTES;
		regs.r10 = MSG_DONTWAIT;
		regs.r8 = 0;
		regs.r9 = 0;
		if (ptrace(PTRACE_SETREGS, pid, 0, &regs) ||
		    ptrace(PTRACE_SINGLESTEP, pid, 0, 0))
			die("step");
		wait_for(pid);
		if (ptrace(PTRACE_GETREGS, pid, 0, &regs))
			die("registers");
		if ((long)regs.rax == -EFAULT || (long)regs.rax == -EBADF)
			die("it cannot send");
	}
	ptrace(PTRACE_SETREGS, pid, 0, &was);
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
