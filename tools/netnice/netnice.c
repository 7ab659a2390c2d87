// SPDX-License-Identifier: GPL-2.0
/*
 * netnice(1): run a command, or let somebody that is there go on, with a bandwidth, a
 * minimum, a weight or a priority of its own.
 *
 * A VIF is made on each device below the one that it belongs to there. It
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
#include "share.h"
#include "show.h"
#include "usage.h"
#include "vif.h"

/* Whoever attaches us elsewhere meanwhile does so once. */
#define TRIES_MAX	10

/* As nice(1) has them; any other is the command's own. */
enum {
	EXIT_NETNICE		= 125,
	EXIT_CANNOT_INVOKE	= 126,
	EXIT_NOT_FOUND		= 127,
};

struct args {
	struct vif_settings settings;
	struct netdev_list named;	/* by -i */
	struct subject subject;		/* the command: ourselves */
	const char *given;		/* the option that says who; NULL: the command */
	bool show;
	char **command;
};

static const char usage_text[] =
"Usage:\n"
" netnice [OPTION]... [--] COMMAND [ARG]...\n"
" netnice [OPTION]... --pid PID | --cgroup PATH | --socket PID:FD\n"
" netnice --show [-i DEV]... [--pid PID | --cgroup PATH | --socket PID:FD]\n"
"\n"
"Run a command, or let somebody that is there go on, with a bandwidth, a minimum, a\n"
"weight or a priority of its own on the network.\n"
"\n"
"Options:\n"
" -b, --bandwidth RATE  as tc(8) has it: 256k and 256kbit are 256 kilobits per\n"
"                       second, 32kbps is 32 kilobytes per second\n"
" -m, --minimum RATE    what it gets before others share the rest\n"
" -w, --weight N        share among others, 1 to 10000; 100 is the usual\n"
" -p, --priority N      0, which is served first, to 7; 4 is the usual\n"
" -e, --egress          all these only for what is sent\n"
" -r, --receive         all these only for what is received\n"
" -i, --device DEV      on this device; may be repeated (default: each device\n"
"                       that is up, but lo)\n"
" -n, --name NAME       what the VIF is called (default: netnice.PID)\n"
"     --pid PID         a running process, all its threads and sockets\n"
"     --cgroup PATH     a control group, with all below it\n"
"     --socket PID:FD   the socket at a descriptor of a process\n"
"     --show            make nothing: print where it is, and what that is limited to\n"
" -h, --help            show this text\n"
" -V, --version         show the version\n"
"\n"
"For more details see netnice(1).\n";

static _Noreturn void usage_error(const char *fmt, ...)
	__attribute__((format(printf, 1, 2)));

static _Noreturn void usage_error(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	complain_va(fmt, ap);
	va_end(ap);
	usage_hint(EXIT_NETNICE);
}

static _Noreturn void die_errno(const char *what)
{
	complain_errno("%s", what);
	exit(EXIT_NETNICE);
}

static void add_named(struct args *args, const char *word)
{
	char name[IF_NAMESIZE];

	if (!netdev_find(word, name)) {
		complain("no device '%s'%s", word, netdev_hint(word));
		exit(EXIT_NETNICE);
	}
	if (netdev_list_add(&args->named, name))
		die_errno(word);
}

static void set_direction(struct args *args, const char *direction)
{
	if (args->settings.direction && strcmp(args->settings.direction, direction))
		usage_error("-e and -r exclude each other; both directions need neither");
	args->settings.direction = direction;
}

static void set_value(struct args *args, enum param_id id, const char *value)
{
	if (!*value)
		usage_error("no %s given: %s", params[id].name, params[id].syntax);
	args->settings.value[id] = value;
}

/* All else that is wrong with a name the kernel says. */
static void set_name(struct args *args, const char *name)
{
	if (!*name || strchr(name, '/') || !strcmp(name, ".") ||
	    !strcmp(name, ".."))
		usage_error("not a name for a VIF: '%s'", name);
	args->settings.name = name;
}

static void set_given(struct args *args, const char *option)
{
	if (args->given && !strcmp(args->given, option))
		usage_error("%s is given twice: one at a time", option);
	if (args->given)
		usage_error("%s and %s exclude each other", args->given, option);
	args->given = option;
}

static void set_subject(struct args *args, const char *option, int kind,
			const char *word)
{
	static const char *const right[] = {
		[TARGET_PROCESS] = "PID", [TARGET_CGROUP] = "control group's path",
		[TARGET_SOCKET] = "PID and a descriptor, as 1234:7",
	};

	if (!subject_init(&args->subject, kind, word))
		usage_error("not a %s: '%s'", right[kind], word);
	set_given(args, option);
}

static bool has_values(const struct vif_settings *settings)
{
	for (size_t i = 0; i < PARAM_DIRECTED; i++)
		if (settings->value[i])
			return true;
	return false;
}

static void check_args(struct args *args)
{
	const struct vif_settings *settings = &args->settings;

	if (args->given && *args->command)
		usage_error("%s and a command exclude each other", args->given);
	if (args->show && (has_values(settings) || settings->direction ||
			   settings->name || *args->command))
		usage_error("--show goes with -i, and with one of --pid, --cgroup and --socket");
	if (!args->show && !args->given && !*args->command)
		usage_error("no command given");
	if (settings->direction && !has_values(settings))
		usage_error("-e and -r say in which direction -b, -m, -w and -p count: give one of these");
	if (!args->given)
		subject_init_process(&args->subject, getpid());
}

enum { OPT_PID = 256, OPT_CGROUP, OPT_SOCKET, OPT_SHOW };
static const struct option options[] = {
	{ "bandwidth",	required_argument,	NULL, 'b' },
	{ "minimum",	required_argument,	NULL, 'm' },
	{ "weight",	required_argument,	NULL, 'w' },
	{ "priority",	required_argument,	NULL, 'p' },
	{ "egress",	no_argument,		NULL, 'e' },
	{ "receive",	no_argument,		NULL, 'r' },
	{ "device",	required_argument,	NULL, 'i' },
	{ "name",	required_argument,	NULL, 'n' },
	{ "pid",	required_argument,	NULL, OPT_PID },
	{ "cgroup",	required_argument,	NULL, OPT_CGROUP },
	{ "socket",	required_argument,	NULL, OPT_SOCKET },
	{ "show",	no_argument,		NULL, OPT_SHOW },
	{ "help",	no_argument,		NULL, 'h' },
	{ "version",	no_argument,		NULL, 'V' },
	{ NULL, 0, NULL, 0 }
};

static void parse_args(struct args *args, int argc, char **argv)
{
	int c;

	while ((c = getopt_long(argc, argv, "+b:m:w:p:eri:n:hV", options, NULL)) != -1)
		switch (c) {
		case 'b':
			set_value(args, PARAM_BANDWIDTH, optarg);
			break;
		case 'm':
			set_value(args, PARAM_MINIMUM, optarg);
			break;
		case 'w':
			set_value(args, PARAM_WEIGHT, optarg);
			break;
		case 'p':
			set_value(args, PARAM_PRIORITY, optarg);
			break;
		case 'e':
			set_direction(args, "egress");
			break;
		case 'r':
			set_direction(args, "ingress");
			break;
		case 'i':
			add_named(args, optarg);
			break;
		case 'n':
			set_name(args, optarg);
			break;
		case OPT_PID:
			set_subject(args, "--pid", TARGET_PROCESS, optarg);
			break;
		case OPT_CGROUP:
			set_subject(args, "--cgroup", TARGET_CGROUP, optarg);
			break;
		case OPT_SOCKET:
			set_subject(args, "--socket", TARGET_SOCKET, optarg);
			break;
		case OPT_SHOW:
			args->show = true;
			break;
		case 'h':
			usage_print(usage_text, EXIT_NETNICE);
		case 'V':
			usage_print("netnice " NETNICE_VERSION "\n", EXIT_NETNICE);
		default:
			usage_hint(EXIT_NETNICE);
		}
	args->command = argv + optind;
	check_args(args);
}

static void warn_no_vif(const char *dev, const char *consequence)
{
	complain("%s: this device has no VIF%s%s", dev,
		 nnfs_is_reserved(dev) ? " (its name is reserved)" : "",
		 consequence);
}

static int add_device(struct netdev_list *devs, const char *dev)
{
	if (!netdev_list_add(devs, dev))
		return 0;
	complain_errno("%s", dev);
	return -1;
}

/* Devices that are up, and said aloud where one stays without limit. */
static int default_devices(const struct nnfs *fs, struct netdev_list *devs)
{
	struct netdev_list up = { 0 };
	int ret = netdev_list_add_up(&up);

	if (ret)
		complain_errno("cannot list the network devices");
	for (size_t i = 0; !ret && i < up.count; i++) {
		if (nnfs_has_device(fs, up.name[i]))
			ret = add_device(devs, up.name[i]);
		else
			warn_no_vif(up.name[i], ": not limited there");
	}
	netdev_list_free(&up);
	if (ret || devs->count)
		return ret;
	complain("no device is up (lo does not count; -i names a device)");
	return -1;
}

static int named_devices(const struct nnfs *fs, const struct netdev_list *named,
			 struct netdev_list *devs)
{
	for (size_t i = 0; i < named->count; i++) {
		if (!nnfs_has_device(fs, named->name[i])) {
			warn_no_vif(named->name[i], "");
			return -1;
		}
		if (add_device(devs, named->name[i]))
			return -1;
	}
	return 0;
}

static int choose_devices(const struct nnfs *fs, const struct args *args,
			  struct netdev_list *devs)
{
	return args->named.count ? named_devices(fs, &args->named, devs) :
				   default_devices(fs, devs);
}

/* What a user or a closing session sends to end or stop us. */
static void block_signals(sigset_t *old)
{
	static const int ending[] = {
		SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGTTOU,
	};
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(ending) / sizeof(*ending); i++)
		sigaddset(&set, ending[i]);
	sigprocmask(SIG_BLOCK, &set, old);
}

/* Accepted, as the limit may come later; but to be known. */
static void warn_no_effect(const struct vif_set *set,
			   const struct vif_settings *settings)
{
	if (!settings->value[PARAM_MINIMUM] && !settings->value[PARAM_WEIGHT] &&
	    !settings->value[PARAM_PRIORITY])
		return;
	for (size_t i = 0; i < set->count; i++)
		if (!share_counts(set->fs, set->vif[i].path, set->vif[i].dev,
				  settings->direction))
			complain("%s: minimum, weight and priority have no effect as long as no VIF above has a bandwidth%s",
				 set->vif[i].dev,
				 settings->direction && !strcmp(settings->direction, "ingress") ?
				 "" : ", and the device does not drain its VIFs (vifctl enable --link)");
}

static void say_gone(const struct subject *subject)
{
	char *words = subject_words(subject);

	if (subject_is_process(subject))
		complain("no process with PID %d", subject->pid);
	else
		complain("%s: it is gone", words ?: "");
	free(words);
}

/*
 * Return: 0, or -1 and errno after a message, with everything as it was; for EAGAIN there is
 * none, see vif_set_attach().
 */
static int limit(struct vif_set *set, const struct args *args,
		 struct family *family)
{
	const struct subject *subject = &args->subject;
	int err = 0;

	if (vif_set_create(set, subject, &args->settings))
		goto undo;
	if (vif_set_attach(set, subject)) {
		err = errno;
		if (err == ESRCH)
			say_gone(subject);
		goto undo;
	}
	if (!family_follow(family, set)) {
		warn_no_effect(set, &args->settings);
		subject_warn(subject, set->vif[0].path);
		return 0;
	}
undo:
	family_detach(family, set);
	vif_set_detach(set, subject);
	vif_set_undo(set);
	errno = err;
	return -1;
}

/* As limit(), in VIFs that are found and made anew if need be. */
static int find_and_limit(struct vif_set *set, const struct args *args,
			  const struct nnfs *fs, const struct netdev_list *devs,
			  struct family *family)
{
	sigset_t old;
	int ret;

	for (int n = 0; n < TRIES_MAX; n++) {
		if (vif_set_init(set, fs, devs, &args->subject))
			return -1;
		block_signals(&old);
		ret = limit(set, args, family);
		sigprocmask(SIG_SETMASK, &old, NULL);
		if (!ret || errno != EAGAIN)
			return ret;
		vif_set_free(set);
		*set = (struct vif_set) { 0 };
	}
	complain("somebody else attaches it elsewhere all the time");
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

static int make(const struct args *args, const struct nnfs *fs,
		const struct netdev_list *devs, struct family *family)
{
	struct vif_set set;
	int status = find_and_limit(&set, args, fs, devs, family) ? EXIT_NETNICE :
								    EXIT_SUCCESS;

	if (!status && !args->given) {
		status = execute(args->command);
		vif_set_detach(&set, &args->subject);
		vif_set_undo(&set);
	}
	vif_set_free(&set);
	return status;
}

static int run(const struct args *args)
{
	struct netdev_list devs = { 0 };
	struct family family = { 0 };
	int status = EXIT_NETNICE;
	struct nnfs fs;

	/* First: who is born from here on is attached, too. */
	if (args->given && subject_is_process(&args->subject) &&
	    family_init(&family, args->subject.pid))
		goto out;
	if (nnfs_open(&fs) || (args->given && subject_check(&fs, &args->subject)) ||
	    choose_devices(&fs, args, &devs))
		goto out;
	if (!args->show)
		status = make(args, &fs, &devs, &family);
	else if (!show(&fs, &devs, &args->subject))
		status = EXIT_SUCCESS;
out:
	netdev_list_free(&devs);
	family_free(&family);
	return status;
}

int main(int argc, char **argv)
{
	struct args args = { 0 };
	int status;

	setlocale(LC_CTYPE, "");
	parse_args(&args, argc, argv);
	status = run(&args);
	netdev_list_free(&args.named);
	subject_free(&args.subject);
	return status;
}
