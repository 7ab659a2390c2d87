// SPDX-License-Identifier: GPL-2.0
/*
 * Sections [X-Netnice] of systemd units, see netnice.unit(5). This program runs before each unit
 * that has a section; as the service that follows changes; and, under another name, as the
 * generator.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apply.h"
#include "complain.h"
#include "generator.h"
#include "manager.h"
#include "usage.h"
#include "watch.h"

static const char usage_text[] =
"Usage: netnice-unit start UNIT   apply [X-Netnice] of its files before it starts\n"
"       netnice-unit watch        apply changes to all running units\n"
"       netnice-generator FOLDER [FOLDER FOLDER]   write drop-ins for units with a section\n"
"\n"
"systemd runs all of these, see netnice.unit(5).\n";

static bool is_unit(const char *name)
{
	if (unit_is_name(name))
		return true;
	complain("'%s' is not the name of a unit, with its type (nginx.service)", name);
	return false;
}

int main(int argc, char **argv)
{
	const char *verb = argc > 1 ? argv[1] : "";

	if (!strcmp(program_invocation_short_name, "netnice-generator") && argc > 1)
		return generator_run(argv[1]) ? EXIT_FAILURE : EXIT_SUCCESS;
	if (argc == 3 && !strcmp(verb, "start"))
		return is_unit(argv[2]) && apply_one(argv[2]) ? EXIT_SUCCESS : EXIT_FAILURE;
	if (argc == 2 && !strcmp(verb, "watch")) {
		watch();
		return EXIT_FAILURE;
	}
	if (argc == 2 && !strcmp(verb, "--help"))
		usage_print(usage_text, EXIT_FAILURE);
	if (argc == 2 && !strcmp(verb, "--version"))
		usage_print("netnice-unit " NETNICE_VERSION "\n", EXIT_FAILURE);
	usage_hint(EXIT_FAILURE);
}
