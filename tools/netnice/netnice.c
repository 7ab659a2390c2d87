// SPDX-License-Identifier: GPL-2.0
/*
 * netnice(1): run a command, or attach a running process, with its own bandwidth, minimum, weight
 * or priority.
 *
 * On each device a VIF is created below the VIF of the caller or of the process. The kernel removes
 * it with the last process and socket in it: no process waits for the command, which replaces this
 * program. A process in the background limits it on devices that come up later.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <locale.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "complain.h"
#include "devices.h"
#include "effect.h"
#include "failure.h"
#include "family.h"
#include "follow.h"
#include "nearest.h"
#include "netdev.h"
#include "nnfs.h"
#include "off.h"
#include "param_check.h"
#include "process.h"
#include "rate.h"
#include "report.h"
#include "route.h"
#include "show.h"
#include "stack.h"
#include "unit.h"
#include "usage.h"
#include "vif.h"

/* Another process may attach us elsewhere in the meantime: retry this often. */
#define TRIES_MAX	10

/* As nice(1) has them; any other is the command's own. */
enum {
	EXIT_NETNICE		= 125,
	EXIT_CANNOT_INVOKE	= 126,
	EXIT_NOT_FOUND		= 127,
};

/**
 * struct args - the command line
 * @settings: settings of the VIFs, composed of the next three members
 * @option: values of -b, -m, -w and -p
 * @direction: their direction, by -e or -r; NULL: both
 * @rate: values of --up and --down, by direction
 * @named: devices of -i
 * @subject: the object to attach; for a command, this process
 * @given: the option that names it; NULL: there is a command
 * @stack: values of --kernel, --stack and --port
 * @port: the last --port
 */
struct args {
	struct vif_settings settings;
	const char *option[PARAM_DIRECTED];
	const char *direction;
	const char *rate[VIF_DIRS];
	struct netdev_list named;
	struct subject subject;
	const char *given;
	struct stack stack;
	const char *port;
	bool show;
	bool off;
	bool verbose;
	char **command;
};

static const char usage_text[] =
"Limits and shares network bandwidth, for a command or a running process:\n"
"\n"
" netnice --down 10mbit --up 1mbit wget https://example.org/big.iso\n"
" netnice -b 5mbit -e -i eth0 rsync -a /home backup:/home\n"
" netnice -b 10% --pid 4711\n"
" netnice -w 200 --unit nginx\n"
" netnice --show --pid 4711\n"
" netnice --off --pid 4711\n"
"\n"
"Usage:\n"
" netnice [OPTION]... [--] COMMAND [ARG]...\n"
" netnice [OPTION]... --pid PID | --unit NAME | --cgroup PATH | --socket PID:FD\n"
" netnice --show [-i DEV]... [--pid PID | --unit NAME | --cgroup PATH |\n"
"                            --socket PID:FD]\n"
" netnice --off [-i DEV]... [-n NAME] --pid PID | --unit NAME | --cgroup PATH |\n"
"                                     --socket PID:FD\n"
"\n"
"Options:\n"
" -d, --down RATE       limit received packets\n"
" -u, --up RATE         limit sent packets\n"
" -b, --bandwidth RATE  limit both directions\n"
" -m, --minimum RATE    guarantee this rate before siblings share the rest\n"
" -w, --weight N        share among siblings, 1 to 10000 (default: 100)\n"
" -p, --priority N      0 (first) to 7 (last) (default: 4)\n"
" -e, --egress          apply -b, -m, -w and -p to sent packets only\n"
" -r, --receive         apply -b, -m, -w and -p to received packets only\n"
" -i, --device DEV      use this device only; may be repeated (default: each\n"
"                       device that is up or comes up later, except lo)\n"
" -n, --name NAME       name the VIF (default: netnice.PID)\n"
"     --pid PID         attach a running process with its threads, sockets and children;\n"
"                       for the same PID again: change its limits\n"
"     --unit NAME       attach the control group of a running systemd unit\n"
"     --cgroup PATH     attach a control group and all groups below it\n"
"     --socket PID:FD   attach the socket at a descriptor of a process\n"
"     --kernel          run the command with its own instance of the kernel's TCP/IP, in\n"
"                       namespaces of its own, at the host's addresses\n"
"     --stack           run a command that contains a TCP/IP stack, with a tap at\n"
"                       descriptor $NETNICE_TAP\n"
"     --port PORT       reserve a host port for --kernel or --stack: tcp:80, udp:53; may\n"
"                       be repeated; auto:N: number of outgoing ports (default: 64)\n"
"     --show            change nothing: print the VIF and its limits\n"
"     --off             remove the limits that netnice has set\n"
" -v, --verbose         after the command, print how much was sent and received\n"
" -h, --help            print this text\n"
" -V, --version         print the version\n"
"\n"
"RATE := 256k or 256kbit: kilobits (1000) per second; 2MB/s: megabytes per second, in tc's\n"
"syntax 2mbps; 10%: of the limit above, or of the link's speed\n"
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
	if (args->direction && strcmp(args->direction, direction))
		usage_error("-e and -r exclude each other; both directions need neither");
	args->direction = direction;
}

/* @place: the one of the option */
static void set_value(const char **place, enum param_id id, const char *value)
{
	char joined[PARAM_JOINED_BYTES];

	if (!*value)
		usage_error("no %s given: %s", params[id].name, params[id].syntax);
	if (param_is_apart(value, joined))
		usage_error("%s: write '%s' as one word: %s", params[id].name, value, joined);
	if (id == PARAM_BANDWIDTH || id == PARAM_MINIMUM)
		rate_remark(value);
	*place = value;
}

static void set_option(struct args *args, enum param_id id, const char *value)
{
	set_value(&args->option[id], id, value);
}

static void set_rate(struct args *args, enum vif_dir dir, const char *value)
{
	set_value(&args->rate[dir], PARAM_BANDWIDTH, value);
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

static void set_unit(struct args *args, const char *name)
{
	char *group = unit_group(name);

	if (!group)
		exit(EXIT_NETNICE);
	set_subject(args, "--unit", TARGET_CGROUP, group);
	free(group);
}

static void set_stack(struct args *args, const char *option)
{
	if (args->stack.option && strcmp(args->stack.option, option))
		usage_error("--kernel and --stack exclude each other");
	args->stack.option = option;
}

static void add_port(struct args *args, const char *word)
{
	args->port = word;
	if (!stack_add_port(&args->stack, word))
		return;
	if (errno == ENOMEM)
		die_errno(word);
	usage_error("not a port: '%s': tcp:NUMBER or udp:NUMBER, 1 to 65535, or auto:N, 0 to 1024",
		    word);
}

static void check_off(const struct args *args, bool is_set)
{
	if (!args->off)
		return;
	if (args->show || is_set || *args->command)
		usage_error("--off goes with -i, -n, and one of --pid, --unit, --cgroup and --socket");
	if (!args->given)
		usage_error("--off of what? Give one of --pid, --unit, --cgroup and --socket");
}

static void check_stack(const struct args *args)
{
	if (args->port && !args->stack.option)
		usage_error("--port needs --kernel or --stack");
	if (!args->stack.option)
		return;
	if (args->given || args->show)
		usage_error("%s goes with a command", args->stack.option);
	if (args->named.count > 1)
		usage_error("%s is on one device: give -i once", args->stack.option);
}

static bool has_options(const struct args *args)
{
	for (size_t i = 0; i < PARAM_DIRECTED; i++)
		if (args->option[i])
			return true;
	return false;
}

/* @value for a direction, NULL: both, behind what the setting has */
static void compose(char **setting, const char *direction, const char *value)
{
	char *text;

	if (asprintf(&text, "%s%s%s%s%s", *setting ?: "", *setting ? " " : "",
		     direction ?: "", direction ? " " : "", value) < 0)
		die_errno(value);
	free(*setting);
	*setting = text;
}

/* --up and --down set one direction each, which -b must not set again. */
static void compose_settings(struct args *args)
{
	static const char *const option[VIF_DIRS] = {
		[VIF_EGRESS] = "--up", [VIF_INGRESS] = "--down",
	};
	char **values = args->settings.value;

	for (size_t i = 0; i < PARAM_DIRECTED; i++)
		if (args->option[i])
			compose(&values[i], args->direction, args->option[i]);
	for (int dir = 0; dir < VIF_DIRS; dir++) {
		if (!args->rate[dir])
			continue;
		if (args->option[PARAM_BANDWIDTH] &&
		    (!args->direction || !strcmp(args->direction, vif_dir_name[dir])))
			usage_error("-b and %s exclude each other: -b is for %s; --down and --up give each direction its own",
				    option[dir], args->direction ?: "both directions");
		compose(&values[PARAM_BANDWIDTH], vif_dir_name[dir], args->rate[dir]);
	}
}

static void check_args(struct args *args)
{
	const bool has_rates = args->rate[VIF_EGRESS] || args->rate[VIF_INGRESS];

	check_stack(args);
	check_off(args, has_options(args) || has_rates || args->direction);
	if (args->given && *args->command)
		usage_error("%s and a command exclude each other", args->given);
	if (args->show && (has_options(args) || has_rates || args->direction ||
			   args->settings.name || *args->command))
		usage_error("--show goes with -i, and with one of --pid, --unit, --cgroup and --socket");
	if (!args->show && !args->given && !*args->command)
		usage_error("no command given");
	if (args->direction && !has_options(args))
		usage_error("-e and -r need -b, -m, -w or -p%s",
			    has_rates ? "; --down and --up have theirs" : "");
	compose_settings(args);
	/* a command is divided from what it is in; a process gets other limits */
	args->settings.again = args->given;
	if (!args->given)
		subject_init_process(&args->subject, getpid());
}

enum { OPT_PID = 256, OPT_UNIT, OPT_CGROUP, OPT_SOCKET, OPT_SHOW, OPT_OFF, OPT_KERNEL, OPT_STACK, OPT_PORT };
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
	{ "unit",	required_argument,	NULL, OPT_UNIT },
	{ "cgroup",	required_argument,	NULL, OPT_CGROUP },
	{ "socket",	required_argument,	NULL, OPT_SOCKET },
	{ "show",	no_argument,		NULL, OPT_SHOW },
	{ "off",	no_argument,		NULL, OPT_OFF },
	{ "verbose",	no_argument,		NULL, 'v' },
	{ "down",	required_argument,	NULL, 'd' },
	{ "up",		required_argument,	NULL, 'u' },
	{ "kernel",	no_argument,		NULL, OPT_KERNEL },
	{ "stack",	no_argument,		NULL, OPT_STACK },
	{ "port",	required_argument,	NULL, OPT_PORT },
	{ "help",	no_argument,		NULL, 'h' },
	{ "version",	no_argument,		NULL, 'V' },
	{ NULL, 0, NULL, 0 }
};

/* Handle an option that parse_args() does not handle. Return: false if it is invalid. */
static bool take_option(struct args *args, int c, const char *word)
{
	switch (c) {
	case 'b':
		set_option(args, PARAM_BANDWIDTH, word);
		break;
	case 'm':
		set_option(args, PARAM_MINIMUM, word);
		break;
	case 'w':
		set_option(args, PARAM_WEIGHT, word);
		break;
	case 'p':
		set_option(args, PARAM_PRIORITY, word);
		break;
	case 'd':
		set_rate(args, VIF_INGRESS, word);
		break;
	case 'u':
		set_rate(args, VIF_EGRESS, word);
		break;
	case 'e':
		set_direction(args, vif_dir_name[VIF_EGRESS]);
		break;
	case 'r':
		set_direction(args, vif_dir_name[VIF_INGRESS]);
		break;
	case 'i':
		add_named(args, word);
		break;
	case 'n':
		set_name(args, word);
		break;
	case 'v':
		args->verbose = true;
		break;
	case OPT_KERNEL:
		set_stack(args, "--kernel");
		break;
	case OPT_STACK:
		set_stack(args, "--stack");
		break;
	case OPT_PORT:
		add_port(args, word);
		break;
	default:
		return false;
	}
	return true;
}

/* End after getopt(3) has printed an error; also print which option may be meant. */
static _Noreturn void wrong_option(const char *word)
{
	struct nearest nearest = { 0 };

	if (!strncmp(word, "--", 2))
		for (size_t i = 0; options[i].name; i++)
			nearest_try(&nearest, word, options[i].name);
	/* if the option exists, getopt(3) has printed what is wrong */
	if (nearest.word && strcmp(nearest.word, word + 2))
		complain("did you mean '--%s'?", nearest.word);
	usage_hint(EXIT_NETNICE);
}

static void parse_args(struct args *args, int argc, char **argv)
{
	int c;

	while ((c = getopt_long(argc, argv, "+b:m:w:p:d:u:eri:n:vhV", options, NULL)) != -1)
		switch (c) {
		case OPT_PID:
			set_subject(args, "--pid", TARGET_PROCESS, optarg);
			break;
		case OPT_UNIT:
			set_unit(args, optarg);
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
		case OPT_OFF:
			args->off = true;
			break;
		case 'h':
			usage_print(usage_text, EXIT_NETNICE);
		case 'V':
			usage_print("netnice " NETNICE_VERSION "\n", EXIT_NETNICE);
		default:
			if (!take_option(args, c, optarg))
				wrong_option(argv[optind - 1]);
		}
	args->command = argv + optind;
	check_args(args);
}

/* Block the signals by which a user, or the end of a session, ends or stops this program. */
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

static unsigned int directions(const struct args *args)
{
	if (!args->direction)
		return EFFECT_BOTH;
	return EFFECT_DIR(strcmp(args->direction, vif_dir_name[VIF_INGRESS]) ? VIF_EGRESS : VIF_INGRESS);
}

/* Return: are the settings in force for all named objects? If not, a message was printed. */
static bool is_in_force(const struct vif_set *set, const struct args *args)
{
	const bool has_share = param_has_share(args->settings.value);
	bool is = effect_target(&args->subject.target, set->vif[0].path);

	for (size_t i = 0; i < set->count; i++) {
		const char *vif = set->vif[i].path;

		/* without -i the device that has received them is among these, too */
		if (args->named.count && !effect_device(set->vif[i].dev))
			is = false;
		if (has_share && !effect_shares(set->fs, vif, directions(args)))
			is = false;
		if (args->given && args->settings.value[PARAM_BANDWIDTH])
			effect_bandwidth(set->fs, vif);
	}
	return is;
}

/* Its first process is what the user may mean: pidof(8) prints the last one first. */
static void say_first(pid_t pid)
{
	const pid_t first = process_first(pid);
	char name[PROCESS_COMM_BYTES];

	if (first == pid)
		return;
	process_comm(first, name);
	complain("PID %d is not the first process of %s, and the rest of that is not limited by this: --pid %d takes all",
		 pid, name, first);
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
static int limit(struct vif_set *set, const struct args *args)
{
	const struct subject *subject = &args->subject;
	int err = 0;

	if (vif_set_create(set, subject, &args->settings)) {
		err = errno == EAGAIN ? 0 : errno;
		goto undo;
	}
	if (!vif_set_attach(set, subject))
		return 0;
	err = errno;
	if (err == ESRCH)
		say_gone(subject);
undo:
	vif_set_detach(set, subject);
	vif_set_undo(set);
	errno = err;
	return -1;
}

/* As limit(), in VIFs that are found and made anew if need be. */
static int find_and_limit(struct vif_set *set, const struct args *args,
			  struct netnice *nn, const struct netdev_list *devs)
{
	sigset_t old;
	int ret;

	for (int n = 0; n < TRIES_MAX; n++) {
		if (vif_set_init(set, nn, devs, &args->subject, &args->settings))
			return -1;
		block_signals(&old);
		ret = limit(set, args);
		sigprocmask(SIG_SETMASK, &old, NULL);
		if (!ret || errno != EAGAIN)
			return ret;
		vif_set_free(set);
		*set = (struct vif_set) { 0 };
	}
	complain("another process keeps attaching it elsewhere");
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

/* Whether devices that come up later are meant, too */
static bool is_for_all(const struct args *args)
{
	return !args->named.count && !args->stack.option;
}

/* A group or a socket may live for years: no process is left behind for it. */
static bool follow_running(const struct vif_set *set, const struct args *args)
{
	if (!is_for_all(args))
		return true;
	if (subject_is_process(&args->subject))
		return !follow_start(set, args->subject.pid);
	complain("devices that come up later are not limited: see -i in netnice(1)");
	return true;
}

/* Return: the exit status. */
static int run_command(struct vif_set *set, const struct args *args)
{
	int status = EXIT_NETNICE;

	if (is_for_all(args))
		follow_start(set, args->subject.pid);
	if (!args->stack.option || !stack_make(&args->stack, set->fs, set->vif[0].path, set->vif[0].dev)) {
		/* a process that the command leaves behind keeps its limits, and the kernel removes an unused VIF */
		netnice_commit(set->nn);
		status = args->verbose ? report_run(set, is_for_all(args), execute, args->command) :
					 execute(args->command);
	}
	vif_set_detach(set, &args->subject);
	vif_set_undo(set);
	return status < 0 ? EXIT_NETNICE : status;
}

/*
 * Attach a running process, and the processes that it has started before. Return: the exit status.
 */
static int finish(const struct vif_set *set, const struct args *args, const struct netdev_list *devs,
		  bool is_whole)
{
	is_whole = is_in_force(set, args) && is_whole;

	if (subject_is_process(&args->subject)) {
		is_whole = family_attach(set, args->subject.pid) && is_whole;
		say_first(args->subject.pid);
	}
	is_whole = follow_running(set, args) && is_whole;
	if (args->verbose && show(set->fs, devs, &args->subject))
		return EXIT_NETNICE;
	return is_whole ? EXIT_SUCCESS : EFFECT_STATUS;
}

/* Machines of containers have hundreds of devices that are up. */
static void advise_device(const struct args *args, size_t n_devices)
{
	char dev[IF_NAMESIZE];

	if ((errno != ENOSPC && errno != EDQUOT) || args->named.count || n_devices < 2)
		return;
	if (!route_usual_device(dev))
		snprintf(dev, sizeof(dev), "eth0");
	complain("%zu devices are up: name those that matter, as by -i %s", n_devices, dev);
}

/* @is_whole: no device is left out */
static int make(const struct args *args, struct netnice *nn, const struct netdev_list *devs, bool is_whole)
{
	struct vif_set set;
	int status;

	if (find_and_limit(&set, args, nn, devs)) {
		advise_device(args, devs->count);
		status = EXIT_NETNICE;
	} else if (args->given) {
		netnice_commit(nn);
		status = finish(&set, args, devs, is_whole);
	} else {
		is_in_force(&set, args);
		status = run_command(&set, args);
	}
	vif_set_free(&set);
	return status;
}

static int take_back(const struct args *args, struct netnice *nn, const struct netdev_list *devs)
{
	struct vif_set set;
	int status = EXIT_NETNICE;

	if (!vif_set_init(&set, nn, devs, &args->subject, &args->settings))
		status = off(&set, &args->subject);
	vif_set_free(&set);
	return status < 0 ? EXIT_NETNICE : status;
}

static int run(const struct args *args)
{
	struct netdev_list devs = { 0 };
	int status = EXIT_NETNICE, chosen;
	struct netnice nn;

	if (handle_open(&nn) || (args->given && subject_check(&nn.fs, &args->subject)))
		goto out;
	chosen = args->off && !args->named.count ? devices_all(&nn.fs, &devs) :
		 devices_choose(&nn.fs, &args->named, args->stack.option, &devs);
	if (chosen < 0)
		goto out;
	if (args->off)
		status = take_back(args, &nn, &devs);
	else if (!args->show)
		status = make(args, &nn, &devs, !chosen);
	else if (!show(&nn.fs, &devs, &args->subject))
		status = EXIT_SUCCESS;
out:
	netdev_list_free(&devs);
	return status;
}

/*
 * If the caller has closed the first three, the command finds them closed, without our files there.
 */
static void keep_standard(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

int main(int argc, char **argv)
{
	struct args args = { .stack.n_auto = STACK_AUTO_USUAL };
	int status;

	keep_standard();
	setlocale(LC_CTYPE, "");
	parse_args(&args, argc, argv);
	status = run(&args);
	netdev_list_free(&args.named);
	for (size_t i = 0; i < PARAM_DIRECTED; i++)
		free(args.settings.value[i]);
	subject_free(&args.subject);
	stack_free(&args.stack);
	return status;
}
