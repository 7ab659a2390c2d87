// SPDX-License-Identifier: GPL-2.0
/*
 * For each name that a file with a section has, a drop-in is written to the generator's folder: for
 * a.service below a.service.d/, for a drop-in in a-.service.d/ below the same name. So systemd
 * finds it for exactly the units that have the section, with templates, aliases and prefixes. All
 * drop-ins have the same file name, of which systemd uses one for each unit.
 *
 * A drop-in only names a unit that runs before. So we run outside of what limits the unit itself.
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

#define REQUIRED	"01-netnice-generator.conf"

/* Folders of units, without those of generators, the one that overrides others first (systemd.unit(5)). */
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

/* The types that may have a section */
static const char *const types[] = { ".service", ".socket", ".slice", ".scope" };

#define BEFORE		"netnice-unit@%n.service"
#define TEXT		"# made by netnice-generator of sections [X-Netnice]\n" \
			"[Unit]\nWants=netnice-units.service " BEFORE "\nAfter=" BEFORE "\n"
#define TEXT_REQUIRED	"[Unit]\nRequires=" BEFORE "\n"

/* Sections for all services are not about ours: each would need another one before. */
static const char *const own[] = { "netnice-unit@.service", "netnice-units.service" };
#define TEXT_OWN	"# comes before others\n"

/* Longer names leave no room for the name of the unit that runs before. */
#define NAME_LONGEST	(UNIT_NAME_MAX - (int)strlen("netnice-unit@.service"))

/**
 * struct generating - state of the generator
 * @to: the folder for drop-ins
 * @seen: names of files, which hide files of the same name in later folders
 * @has_slices: at least one slice has a section, or a file could not be read
 */
struct generating {
	int to;
	void *seen;
	bool has_slices;
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
		gen->has_slices |= !node;
		free(copy);
		return false;
	}
	return true;
}

/* @name: of a unit; or of the folder of drop-ins for all of a type, as "service" */
static bool may_have_section(const char *name)
{
	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
		if (!strcmp(name, types[i] + 1) || (unit_is_name(name) && unit_is_of(name, types[i])))
			return true;
	return false;
}

/* A missing file has no section; the settings of an unreadable file are unknown. */
static void could_not_read(struct generating *gen)
{
	gen->has_slices |= errno != ENOENT && errno != ENOTDIR;
}

/* --- what is written --- */

static int write_file(int dir, const char *name, const char *text)
{
	int fd = openat(dir, name, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0644);
	bool is_written = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	if (!is_written)
		complain_errno("%s", name);
	if (fd >= 0)
		close(fd);
	return is_written ? 0 : -1;
}

/* Another file with the same name may have been there before. @required: NULL: it is not */
static int write_dropins(const struct generating *gen, const char *name, const char *text,
			 const char *required)
{
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
	ret = write_file(dir, GENERATOR_DROPIN, text);
	if (required && write_file(dir, REQUIRED, required))
		ret = -1;
	close(dir);
	return ret;
}

/* Drop-ins for all services are hidden from our service by files of the same names. */
static int write_own(const struct generating *gen)
{
	int ret = 0;

	for (size_t i = 0; i < sizeof(own) / sizeof(*own); i++)
		if (write_dropins(gen, own[i], TEXT_OWN, TEXT_OWN))
			ret = -1;
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
	found->required |= limits_is_required(line);
}

/* @name: of the unit that the file is about. What cannot be read otherwise, nor can systemd. */
static int look_at_file(struct generating *gen, int dir, const char *file, const char *name)
{
	struct found found = { 0 };

	if (section_read(dir, file, look_at_line, &found)) {
		could_not_read(gen);
		if (errno != EFBIG)
			return 0;
		complain_errno("%s of %s", file, name);
		return -1;
	}
	if (!found.section)
		return 0;
	if (unit_is_own(name))
		return 0;
	if (strlen(name) > (size_t)NAME_LONGEST)
		complain("%s: the section does not count: the name has more than %d letters", name,
			 NAME_LONGEST);
	gen->has_slices |= unit_is_of(name, ".slice") || !strcmp(name, "slice");
	if (!strcmp(name, "service") && write_own(gen))
		return -1;
	return write_dropins(gen, name, TEXT, found.required ? TEXT_REQUIRED : NULL);
}

static int look_at_dropins(struct generating *gen, int above, const char *folder)
{
	int fd = openat(above, folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC), ret = 0;
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	char name[NAME_MAX + 1], both[2 * NAME_MAX + 2];
	struct dirent *entry;

	if (!dir) {
		could_not_read(gen);
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
		return may_have_section(unit) ? look_at_dropins(gen, dir, name) : 0;
	}
	return may_have_section(name) && strchr(name, '.') && is_first(gen, name) ?
	       look_at_file(gen, dir, name, name) : 0;
}

static int look_at_folder(struct generating *gen, const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *entry;
	int ret = 0;

	if (!dir)
		could_not_read(gen);
	while (dir && (entry = readdir(dir)))
		if (look_at_entry(gen, dirfd(dir), entry->d_name))
			ret = -1;
	if (dir)
		closedir(dir);
	return ret;
}

int generator_run(const char *to)
{
	struct generating gen = { .to = open(to, O_PATH | O_DIRECTORY | O_CLOEXEC) };
	int ret = 0;

	if (gen.to < 0) {
		complain_errno("%s", to);
		return -1;
	}
	for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++)
		if (look_at_folder(&gen, folders[i]))
			ret = -1;
	if (!ret && !gen.has_slices)
		ret = write_file(gen.to, GENERATOR_NO_SLICES, "");
	tdestroy(gen.seen, free);
	close(gen.to);
	return ret;
}
