// SPDX-License-Identifier: GPL-2.0
/*
 * Each name that a file with a section has gets a drop-in in the generator's folder: for
 * a.service that is a.service.d/, for a drop-in in a-.service.d/ it is that again. So systemd
 * finds it for exactly those units that have the section: templates, aliases, prefixes and all.
 * All have one file name, of which systemd takes one for each unit.
 *
 * A service, and a socket, runs us in its control group before anything else. Slices and scopes
 * run nothing: they have a service, which comes before them.
 */
#include "generator.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <search.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "complain.h"
#include "limit.h"
#include "manager.h"
#include "section.h"

#define REQUIRED	"01-netnice-required.conf"

/* Where units are, what generators make aside, that of most weight first (systemd.unit(5)). */
static const char *const folders[] = {
	"/etc/systemd/system.control",
	"/run/systemd/system.control",
	"/run/systemd/transient",
	"/etc/systemd/system",
	"/etc/systemd/system.attached",
	"/run/systemd/system",
	"/run/systemd/system.attached",
	"/usr/local/lib/systemd/system",
	"/usr/lib/systemd/system",
	"/lib/systemd/system",
};

/* The types that may have a section; what their drop-ins say. %1$s: the program */
static const struct type {
	const char *suffix;
	const char *text;
	const char *required;
} types[] = {
	{ ".service",
	  "[Service]\nExecCondition=+-%1$s start %%n\n",
	  "[Service]\nExecCondition=+%1$s require %%n\n" },
	{ ".socket",
	  "[Socket]\nExecStartPre=+-%1$s start %%n\n",
	  "[Socket]\nExecStartPre=+%1$s require %%n\n" },
	{ ".slice",
	  "Wants=netnice-unit@%%n.service\nAfter=netnice-unit@%%n.service\n",
	  "[Unit]\nRequires=netnice-unit@%%n.service\n" },
	{ ".scope",
	  "Wants=netnice-unit@%%n.service\nAfter=netnice-unit@%%n.service\n",
	  "[Unit]\nRequires=netnice-unit@%%n.service\n" },
};

#define HEAD	"# made by netnice-generator of sections [X-Netnice]\n" \
		"[Unit]\nWants=netnice-units.service\n"

/**
 * struct generating - what is under way
 * @to: the folder that drop-ins go to
 * @program: ours, as units run it
 * @seen: names of files, which hide those of the same name in later folders
 */
struct generating {
	int to;
	char program[PATH_MAX];
	void *seen;
};

/* --- names --- */

static int compare(const void *a, const void *b)
{
	return strcmp(a, b);
}

/* Whether it is the first of that name. */
static bool is_first(struct generating *gen, const char *name)
{
	char *copy = strdup(name), **node = copy ? tsearch(copy, &gen->seen, compare) : NULL;

	if (!node || *node != copy) {
		free(copy);
		return false;
	}
	return true;
}

/* @name: of a unit; or of the folder of drop-ins for all of a type, as "service" */
static const struct type *type_of(const char *name)
{
	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
		if (!strcmp(name, types[i].suffix + 1) ||
		    (unit_is_name(name) && unit_is_of(name, types[i].suffix)))
			return &types[i];
	return NULL;
}

/* --- what is written --- */

static int write_file(int dir, const char *name, const char *head, const char *format,
		      const char *program)
{
	int fd = openat(dir, name, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0644);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
	bool failed;

	if (!file) {
		complain_errno("%s", name);
		if (fd >= 0)
			close(fd);
		return -1;
	}
	fputs(head, file);
	fprintf(file, format, program);
	failed = ferror(file);
	if (!fclose(file) && !failed)
		return 0;
	complain_errno("%s", name);
	return -1;
}

/* Another file with the same name may have been there before. */
static int write_dropin(const struct generating *gen, const char *name, bool is_required)
{
	const struct type *type = type_of(name);
	char path[NAME_MAX + 1];
	int dir, ret;

	if (snprintf(path, sizeof(path), "%s.d", name) >= (int)sizeof(path))
		return 0;
	if (mkdirat(gen->to, path, 0755) && errno != EEXIST) {
		complain_errno("%s", path);
		return -1;
	}
	dir = openat(gen->to, path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (dir < 0) {
		complain_errno("%s", path);
		return -1;
	}
	ret = write_file(dir, GENERATOR_DROPIN, HEAD, type->text, gen->program);
	if (is_required && write_file(dir, REQUIRED, "", type->required, gen->program))
		ret = -1;
	close(dir);
	return ret;
}

/* --- what is read --- */

struct found {
	bool section;
	bool required;
};

static void look_at_line(const struct section_line *line, void *arg)
{
	struct found *found = arg;

	found->section = true;
	if (line->key && limits_is_required(line->key))
		found->required = true;
}

/* @name: of the unit that the file is about. What cannot be read, nor can systemd. */
static int look_at_file(struct generating *gen, int dir, const char *file, const char *name)
{
	struct found found = { 0 };

	if (section_read(dir, file, look_at_line, &found) || !found.section)
		return 0;
	return write_dropin(gen, name, found.required);
}

static int look_at_dropins(struct generating *gen, int above, const char *folder)
{
	int fd = openat(above, folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC), ret = 0;
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	char name[NAME_MAX + 1], both[2 * NAME_MAX + 2];
	struct dirent *entry;

	if (!dir) {
		if (fd >= 0)
			close(fd);
		return 0;
	}
	snprintf(name, sizeof(name), "%.*s", (int)strlen(folder) - 2, folder);
	while ((entry = readdir(dir))) {
		snprintf(both, sizeof(both), "%s/%s", folder, entry->d_name);
		if (unit_is_of(entry->d_name, ".conf") && is_first(gen, both) &&
		    look_at_file(gen, dirfd(dir), entry->d_name, name))
			ret = -1;
	}
	closedir(dir);
	return ret;
}

static int look_at_entry(struct generating *gen, int dir, const char *name)
{
	char unit[NAME_MAX + 1];

	if (unit_is_of(name, ".d")) {
		snprintf(unit, sizeof(unit), "%.*s", (int)strlen(name) - 2, name);
		return type_of(unit) ? look_at_dropins(gen, dir, name) : 0;
	}
	return type_of(name) && strchr(name, '.') && is_first(gen, name) ?
	       look_at_file(gen, dir, name, name) : 0;
}

static int look_at_folder(struct generating *gen, const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *entry;
	int ret = 0;

	while (dir && (entry = readdir(dir)))
		if (look_at_entry(gen, dirfd(dir), entry->d_name))
			ret = -1;
	if (dir)
		closedir(dir);
	return ret;
}

/* What a unit runs is taken apart into words, and has specifiers and variables in it. */
static int find_program(struct generating *gen)
{
	ssize_t len = readlink("/proc/self/exe", gen->program, sizeof(gen->program) - 1);

	gen->program[len > 0 ? len : 0] = '\0';
	if (len > 0 && !strpbrk(gen->program, " \t\n\"'\\%$;"))
		return 0;
	complain("%s: no name that units could have", gen->program);
	return -1;
}

int generator_run(const char *to)
{
	struct generating gen = { .to = open(to, O_PATH | O_DIRECTORY | O_CLOEXEC) };
	int ret = 0;

	if (gen.to < 0)
		complain_errno("%s", to);
	if (gen.to < 0 || find_program(&gen))
		return -1;
	for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++)
		if (look_at_folder(&gen, folders[i]))
			ret = -1;
	tdestroy(gen.seen, free);
	close(gen.to);
	return ret;
}
