// SPDX-License-Identifier: GPL-2.0
/*
 * tapns PID FD COMMAND... - in the network namespace of the tap that the process has open
 *
 * To look at what netnice --stack has made: that namespace has no process.
 */
#define _GNU_SOURCE
#include <linux/if_tun.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "program.h"

int main(int argc, char **argv)
{
	int process, tap, netns;

	if (argc < 4) {
		fputs("usage: tapns PID FD COMMAND...\n", stderr);
		return 2;
	}
	process = syscall(SYS_pidfd_open, atoi(argv[1]), 0);
	if (process < 0)
		die(argv[1]);
	tap = syscall(SYS_pidfd_getfd, process, atoi(argv[2]), 0);
	if (tap < 0)
		die(argv[2]);
	netns = ioctl(tap, TUNGETDEVNETNS);
	if (netns < 0 || setns(netns, CLONE_NEWNET))
		die("the tap's namespace");
	/* with it open here, the tap would outlive its user */
	close(tap);
	close(netns);
	execvp(argv[3], argv + 3);
	die(argv[3]);
}
