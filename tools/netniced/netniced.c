// SPDX-License-Identifier: GPL-2.0
/*
 * netniced(8): attaches processes and control groups to VIFs, by rule files.
 *
 * Start with rules.h (rules), then read place.h (what they do); daemon.c is the main loop. The only
 * state is what /proc/network shows, and memory.h.
 */
#include <err.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

#include "act.h"
#include "complain.h"
#include "daemon.h"
#include "log.h"
#include "privilege.h"
#include "rules.h"
#include "store.h"
#include "usage.h"

#define DEFAULT_RULES	"/etc/netnice/rules.d"
#define PATHS_MAX	32

/*
 * Attaching, and the process connector; /proc/PID/exe of other users; VIFs of users; any number of
 * VIFs; programs of VIFs; answers of resolvers. The unit has the same (CapabilityBoundingSet=).
 */
#define USED_PRIVILEGES (PRIVILEGE(CAP_NET_ADMIN) | PRIVILEGE(CAP_SYS_PTRACE) |		\
			 PRIVILEGE(CAP_DAC_OVERRIDE) | PRIVILEGE(CAP_SYS_RESOURCE) |	\
			 PRIVILEGE(CAP_BPF) | PRIVILEGE(CAP_NET_RAW))

struct args {
	char *path[PATHS_MAX];
	size_t paths;
	bool check, dry_run, verbose;
};

static const char usage_text[] =
"Usage:\n"
" netniced [-v] [--dry-run] [-c DIR|FILE]... [--state FILE]\n"
" netniced --check [DIR|FILE]...\n"
"\n"
"Creates VIFs, and attaches processes and control groups to them, by rules.\n"
"\n"
"Options:\n"
" -c, --config DIR|FILE  a rule file, or a folder of *.conf (default:\n"
"                        " DEFAULT_RULES "); may be repeated\n"
"     --state FILE       file of used quotas and accounts (default:\n"
"                        /var/lib/netnice/account.db)\n"
"     --check            print errors in the rules, and do nothing\n"
"     --dry-run          print the changes that would be made now\n"
" -v, --verbose          log each change\n"
" -h, --help             print this text\n"
" -V, --version          print the version\n"
"\n"
"For more details see netniced(8) and netniced.conf(5).\n";

static void add_path(struct args *args, char *path)
{
	if (args->paths == PATHS_MAX)
		errx(EXIT_FAILURE, "more than %d rule files: give their folder",
		     PATHS_MAX);
	args->path[args->paths++] = path;
}

/* Files without -c are for --check only. */
static void check_args(struct args *args, char **rest)
{
	static char rules[] = DEFAULT_RULES;

	if (*rest && !args->check) {
		warnx("unexpected '%s': rules are given by -c", *rest);
		usage_hint(EXIT_FAILURE);
	}
	for (; *rest; rest++)
		add_path(args, *rest);
	if (!args->paths)
		add_path(args, rules);
}

static void parse_args(struct args *args, int argc, char **argv)
{
	enum { OPT_CHECK = 256, OPT_DRY_RUN, OPT_STATE };
	static const struct option options[] = {
		{ "config",	required_argument,	NULL, 'c' },
		{ "check",	no_argument,		NULL, OPT_CHECK },
		{ "dry-run",	no_argument,		NULL, OPT_DRY_RUN },
		{ "state",	required_argument,	NULL, OPT_STATE },
		{ "verbose",	no_argument,		NULL, 'v' },
		{ "help",	no_argument,		NULL, 'h' },
		{ "version",	no_argument,		NULL, 'V' },
		{ NULL, 0, NULL, 0 }
	};
	int c;

	while ((c = getopt_long(argc, argv, "c:vhV", options, NULL)) != -1)
		switch (c) {
		case 'c':
			add_path(args, optarg);
			break;
		case OPT_CHECK:
			args->check = true;
			break;
		case OPT_DRY_RUN:
			args->dry_run = true;
			break;
		case OPT_STATE:
			store_set_path(optarg);
			break;
		case 'v':
			args->verbose = true;
			break;
		case 'h':
			usage_print(usage_text, EXIT_FAILURE);
		case 'V':
			usage_print("netniced " NETNICE_VERSION "\n", EXIT_FAILURE);
		default:
			usage_hint(EXIT_FAILURE);
		}
	check_args(args, argv + optind);
}

int main(int argc, char **argv)
{
	struct args args = { 0 };
	struct rules *rules;
	int status;

	parse_args(&args, argc, argv);
	log_init(args.verbose, args.check);
	rules = rules_read(args.path, args.paths, args.check);
	if (!rules)
		return EX_CONFIG;
	if (args.check) {
		rules_say_effect(rules);
		status = rules->unknown ? EX_CONFIG : EXIT_SUCCESS;
		rules_free(rules);
		return status;
	}
	/* mounting, if nothing is mounted, takes more */
	if (act_open(args.dry_run) || privilege_keep(USED_PRIVILEGES))
		return EXIT_FAILURE;
	if (!args.dry_run)
		return daemon_run(rules, args.path, args.paths);
	daemon_look(rules);
	status = rules->errors || rules->unknown ? EX_CONFIG : EXIT_SUCCESS;
	rules_free(rules);
	return complain_output() ? EXIT_FAILURE : status;
}
