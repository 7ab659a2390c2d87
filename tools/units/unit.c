// SPDX-License-Identifier: GPL-2.0
/*
 * Sections [X-Netnice] of systemd's units, see netnice.unit(5): what units run before they
 * start, the service that follows changes, and, under another name, the generator.
 *
 * In a unit this runs with more rights than the unit has, and with its environment, which may come
 * from a file that the unit's user writes. So it forgets that, and has no libraries, which
 * LD_PRELOAD could bring along.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "apply.h"
#include "complain.h"
#include "generator.h"
#include "manager.h"
#include "usage.h"
#include "watch.h"

#define PATH	"/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

/* What systemd takes for a failure, and not for a condition that is not met */
#define EXIT_REFUSED	255

static const char usage_text[] =
"Usage: netnice-unit start UNIT     what is in [X-Netnice] of its files holds\n"
"       netnice-unit require UNIT   the same; fails if the section says Required=yes\n"
"       netnice-unit watch          all units that run, whenever something changes\n"
"       netnice-generator FOLDER [FOLDER FOLDER]   drop-ins for units with a section\n"
"\n"
"systemd runs all of these, see netnice.unit(5).\n";

/* What systemd tells its services is kept. */
static void forget_environment(void)
{
	char *notify = getenv("NOTIFY_SOCKET");

	notify = notify ? strdup(notify) : NULL;
	clearenv();
	setenv("PATH", PATH, 1);
	if (notify)
		setenv("NOTIFY_SOCKET", notify, 1);
	free(notify);
}

/* Nor does it say anything on what the unit has for its standard output. */
static int start(const char *name, bool is_required)
{
	if (!unit_is_name(name)) {
		complain("'%s' is not the name of a unit, with its type (nginx.service)", name);
		return EXIT_REFUSED;
	}
	return apply_one(name) || !is_required ? EXIT_SUCCESS : EXIT_REFUSED;
}

int main(int argc, char **argv)
{
	const char *verb = argc > 1 ? argv[1] : "";

	forget_environment();
	if (!strcmp(program_invocation_short_name, "netnice-generator") && argc > 1)
		return generator_run(argv[1]) ? EXIT_FAILURE : EXIT_SUCCESS;
	if (argc == 3 && !strcmp(verb, "start"))
		return start(argv[2], false);
	if (argc == 3 && !strcmp(verb, "require"))
		return start(argv[2], true);
	if (argc == 2 && !strcmp(verb, "watch")) {
		watch();
		return EXIT_FAILURE;
	}
	if (argc == 2 && !strcmp(verb, "--help"))
		usage_print(usage_text, EXIT_FAILURE);
	if (argc == 2 && !strcmp(verb, "--version"))
		usage_print("netnice-unit " NETNICE_VERSION "\n", EXIT_FAILURE);
	usage_hint(EXIT_REFUSED);
}
