// SPDX-License-Identifier: GPL-2.0
/*
 * netnice(1): run a command, or let a running process go on, with a
 * bandwidth of its own.
 *
 * A VIF is made on each device below the one that the process has there. It
 * is the kernel that removes it, with the last process and socket in it:
 * nobody waits for the command, which is executed in our place.
 */
#include <errno.h>
#include <getopt.h>
#include <locale.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "complain.h"
#include "family.h"
#include "netdev.h"
#include "nnfs.h"
#include "process.h"
#include "vif.h"

/* As nice(1) has them; any other is the command's own. */
enum {
	EXIT_NETNICE		= 125,
	EXIT_CANNOT_INVOKE	= 126,
	EXIT_NOT_FOUND		= 127,
};

struct args {
	const char *rate;
	const char *direction;		/* NULL: both */
	struct netdev_list named;	/* by -i */
	pid_t pid;			/* 0: run the command */
	char **command;
};

static const char usage_text[] =
"Usage:\n"
" netnice -b RATE [-i DEV]... [-e|-r] [--] COMMAND [ARG]...\n"
" netnice -b RATE [-i DEV]... [-e|-r] --pid PID\n"
"\n"
"Run a command, or let a running process go on, with a bandwidth of its own.\n"
"\n"
"Options:\n"
" -b, --bandwidth RATE  as tc(8) has it: 256k and 256kbit are 256 kilobits per\n"
"                       second, 32kbps is 32 kilobytes per second\n"
" -i, --device DEV      on this device; may be repeated (default: each device\n"
"                       that is up, but lo)\n"
" -e, --egress          limit only what is sent\n"
" -r, --receive         limit only what is received\n"
"     --pid PID         a running process, all its threads and sockets\n"
" -h, --help            show this text\n"
" -V, --version         show the version\n"
"\n"
"For more details see netnice(1).\n";

static _Noreturn void exit_with_hint(void)
{
	fprintf(stderr, "Try '%s --help' for more information.\n",
		program_invocation_short_name);
	exit(EXIT_NETNICE);
}

static _Noreturn void usage_error(const char *fmt, ...)
	__attribute__((format(printf, 1, 2)));

static _Noreturn void usage_error(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	complain_va(fmt, ap);
	va_end(ap);
	exit_with_hint();
}

static _Noreturn void die_errno(const char *what)
{
	complain_errno("%s", what);
	exit(EXIT_NETNICE);
}

static _Noreturn void print_and_exit(const char *text)
{
	fputs(text, stdout);
	if (fflush(stdout) || ferror(stdout))
		die_errno("standard output");
	exit(EXIT_SUCCESS);
}

static void add_named(struct args *args, const char *word)
{
	char name[IF_NAMESIZE];

	if (!netdev_find(word, name)) {
		complain("no device '%s'", word);
		exit(EXIT_NETNICE);
	}
	if (netdev_list_add(&args->named, name))
		die_errno(word);
}

static void set_direction(struct args *args, const char *direction)
{
	if (args->direction && strcmp(args->direction, direction))
		usage_error("-e and -r exclude each other; both directions need neither");
	args->direction = direction;
}

static void set_pid(struct args *args, const char *word)
{
	args->pid = process_parse_pid(word);
	if (!args->pid)
		usage_error("not a PID: '%s'", word);
}

static void check_args(const struct args *args)
{
	if (args->pid && *args->command)
		usage_error("--pid and a command exclude each other");
	if (!args->pid && !*args->command)
		usage_error("no command given");
	if (!args->rate || !*args->rate)
		usage_error("no bandwidth given (-b RATE)");
}

static void parse_args(struct args *args, int argc, char **argv)
{
	enum { OPT_PID = 256 };
	static const struct option options[] = {
		{ "bandwidth",	required_argument,	NULL, 'b' },
		{ "device",	required_argument,	NULL, 'i' },
		{ "egress",	no_argument,		NULL, 'e' },
		{ "receive",	no_argument,		NULL, 'r' },
		{ "pid",	required_argument,	NULL, OPT_PID },
		{ "help",	no_argument,		NULL, 'h' },
		{ "version",	no_argument,		NULL, 'V' },
		{ NULL, 0, NULL, 0 }
	};
	int c;

	while ((c = getopt_long(argc, argv, "+b:i:erhV", options, NULL)) != -1)
		switch (c) {
		case 'b':
			args->rate = optarg;
			break;
		case 'i':
			add_named(args, optarg);
			break;
		case 'e':
			set_direction(args, "egress");
			break;
		case 'r':
			set_direction(args, "ingress");
			break;
		case OPT_PID:
			set_pid(args, optarg);
			break;
		case 'h':
			print_and_exit(usage_text);
		case 'V':
			print_and_exit("netnice " NETNICE_VERSION "\n");
		default:
			exit_with_hint();
		}
	args->command = argv + optind;
	check_args(args);
}

/*
 * tasks/PID is there for each process that we have power over, attached or
 * not; with a thread's number the kernel would be asked for another thing
 * than what --pid promises.
 */
static int check_pid(const struct nnfs *fs, pid_t pid)
{
	pid_t leader = process_leader(pid);
	char path[32];

	if (kill(pid, 0) && errno == ESRCH) {
		complain("no process with PID %d", pid);
		return -1;
	}
	if (leader != pid) {
		complain("%d is a thread of the process with PID %d: give that one",
			 pid, leader);
		return -1;
	}
	snprintf(path, sizeof(path), "tasks/%d", pid);
	if (faccessat(fs->fd, path, F_OK, 0)) {
		complain("PID %d: not permitted: it is another user's or may not be traced",
			 pid);
		return -1;
	}
	return 0;
}

static void warn_no_vif(const char *dev, const char *consequence)
{
	complain("%s: this device has no VIF%s%s", dev,
		 nnfs_is_reserved(dev) ? " (its name is reserved)" : "",
		 consequence);
}

/* Devices that are up, and said aloud where one stays without limit. */
static int default_devices(const struct nnfs *fs, struct netdev_list *devs)
{
	struct netdev_list up = { 0 };

	if (netdev_list_add_up(&up)) {
		complain_errno("cannot list the network devices");
		return -1;
	}
	for (size_t i = 0; i < up.count; i++) {
		if (!nnfs_has_device(fs, up.name[i])) {
			warn_no_vif(up.name[i], ": not limited there");
		} else if (netdev_list_add(devs, up.name[i])) {
			complain_errno("%s", up.name[i]);
			return -1;
		}
	}
	if (devs->count)
		return 0;
	complain("no device is up (lo does not count; -i names a device)");
	return -1;
}

static int choose_devices(const struct nnfs *fs, const struct args *args,
			  struct netdev_list *devs)
{
	if (!args->named.count)
		return default_devices(fs, devs);
	for (size_t i = 0; i < args->named.count; i++)
		if (!nnfs_has_device(fs, args->named.name[i])) {
			warn_no_vif(args->named.name[i], "");
			return -1;
		}
	*devs = args->named;
	return 0;
}

/* What a user or a closing session sends to end or stop us. */
static void block_signals(sigset_t *old)
{
	static const int ending[] = {
		SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP,
	};
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(ending) / sizeof(*ending); i++)
		sigaddset(&set, ending[i]);
	sigprocmask(SIG_BLOCK, &set, old);
}

/* Return: 0, or -1 after a message, with everything as it was. */
static int limit(struct vif_set *set, const struct args *args,
		 struct family *family, pid_t pid)
{
	char *bandwidth;

	if (asprintf(&bandwidth, "%s%s%s",
		     args->direction ? args->direction : "",
		     args->direction ? " " : "", args->rate) < 0) {
		complain_errno("%s", args->rate);
		return -1;
	}
	if (vif_set_create(set, pid, bandwidth, args->rate))
		goto undo;
	if (vif_set_attach(set, pid)) {
		if (errno == ESRCH)
			complain("no process with PID %d", pid);
		goto undo;
	}
	if (args->pid && family_follow(family, set))
		goto undo;
	free(bandwidth);
	return 0;
undo:
	family_detach(family, set);
	vif_set_detach(set, pid);
	vif_set_undo(set);
	free(bandwidth);
	return -1;
}

static int execute(char **command)
{
	int err;

	execvp(command[0], command);
	err = errno;
	complain_errno("%s", command[0]);
	return err == ENOENT ? EXIT_NOT_FOUND : EXIT_CANNOT_INVOKE;
}

int main(int argc, char **argv)
{
	struct args args = { 0 };
	struct netdev_list devs = { 0 };
	struct family family = { 0 };
	struct vif_set set;
	struct nnfs fs;
	sigset_t old;
	pid_t pid;
	int status;

	setlocale(LC_CTYPE, "");
	parse_args(&args, argc, argv);
	/* First: who is born from here on is attached, too. */
	if (args.pid && family_init(&family, args.pid))
		return EXIT_NETNICE;
	if (nnfs_open(&fs) ||
	    (args.pid && check_pid(&fs, args.pid)) ||
	    choose_devices(&fs, &args, &devs))
		return EXIT_NETNICE;

	pid = args.pid ? args.pid : getpid();
	if (vif_set_init(&set, &fs, &devs, pid))
		return EXIT_NETNICE;

	block_signals(&old);
	status = limit(&set, &args, &family, pid) ? EXIT_NETNICE : 0;
	sigprocmask(SIG_SETMASK, &old, NULL);
	if (status || args.pid)
		return status;

	status = execute(args.command);
	vif_set_detach(&set, pid);
	vif_set_undo(&set);
	return status;
}
