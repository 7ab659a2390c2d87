// SPDX-License-Identifier: GPL-2.0
/* vifctl show: what there is. Reading is tree.c's, printing show_*.c's. */
#include "show.h"

#include <err.h>
#include <errno.h>
#include <linux/netnice.h>
#include <stdio.h>
#include <string.h>

#include "netdev.h"
#include "vifctl.h"

struct target {
	const char *path;		/* NULL: all devices */
	char dev[IF_NAMESIZE];		/* what @path is, for "dev DEV" */
};

void show_help(void)
{
	puts("Usage: vifctl show [-j] [-p] [-s] [dev DEV | PATH]\n"
	     "\n"
	     "DEV := a network device: its VIF and all below it\n"
	     "PATH := a VIF, as eth0/web or " NETNICE_MOUNT_POINT "/eth0/web");
}

static int usage_error(const char *word, const char *wrong)
{
	warnx("show: %s '%s' (\"vifctl show help\" says what is valid)", wrong,
	      word);
	return EXIT_USAGE;
}

/* Takes options out of @words: they may stand anywhere. */
static int take_options(struct options *options, char **words)
{
	char **kept = words;

	for (; *words; words++) {
		if (**words != '-')
			*kept++ = *words;
		else if (!options_take(options, *words))
			return usage_error(*words, "unknown option");
	}
	*kept = NULL;
	return EXIT_OK;
}

static int find_device(struct target *target, const char *word)
{
	if (!word) {
		warnx("show: \"dev\" wants the name of a device behind it");
		return EXIT_USAGE;
	}
	if (!netdev_find(word, target->dev)) {
		warnx("show: no device '%s'", word);
		return EXIT_USAGE;
	}
	target->path = target->dev;
	return EXIT_OK;
}

/* Whether each part of @path is a name, and the first can be a device's. */
static bool is_vif_path(const char *path)
{
	char *copy = strdupa(path);
	char *save, *part = strtok_r(copy, "/", &save);

	if (!part || nnfs_is_reserved(part))
		return false;
	for (; part; part = strtok_r(NULL, "/", &save))
		if (!strcmp(part, ".") || !strcmp(part, ".."))
			return false;
	return true;
}

/* Leaves single slashes, between the parts only. */
static void squeeze_slashes(char *path)
{
	char *to = path;

	for (const char *from = path; *from; from++)
		if (*from != '/' || (from[1] && from[1] != '/'))
			*to++ = *from;
	*to = '\0';
}

static int find_path(struct target *target, char *word)
{
	const size_t prefix = strlen(NETNICE_MOUNT_POINT);
	char *path = word;

	if (!strncmp(path, NETNICE_MOUNT_POINT, prefix) &&
	    (!path[prefix] || path[prefix] == '/'))
		path += prefix + strspn(path + prefix, "/");
	if (path != word && !*path)
		return EXIT_OK;		/* the mount point: all of it */
	if (*path == '/' || !is_vif_path(path))
		return usage_error(word, "not a VIF:");
	squeeze_slashes(path);
	target->path = path;
	return EXIT_OK;
}

static int find_target(struct target *target, char **words)
{
	int status;

	if (!*words)
		return EXIT_OK;
	if (!strcmp(*words, "dev")) {
		status = find_device(target, words[1]);
		words += words[1] ? 2 : 1;
	} else {
		status = find_path(target, *words++);
	}
	if (!status && *words)
		status = usage_error(*words, "too many words:");
	return status;
}

static int read_failed(const struct nnfs *fs, const struct target *target)
{
	if (!target->path) {
		nnfs_warn(fs, "cannot read " NETNICE_MOUNT_POINT);
		return EXIT_KERNEL;
	}
	if (target->path == target->dev && errno == ENOENT) {
		warnx("show: %s: this device has no VIF%s", target->path,
		      nnfs_is_reserved(target->path) ?
		      " (its name is reserved)" : "");
		return EXIT_USAGE;
	}
	if (errno == ENOENT || errno == ENOTDIR || errno == ELOOP ||
	    errno == ENAMETOOLONG) {
		warnx("show: no VIF '%s'", target->path);
		return EXIT_USAGE;
	}
	nnfs_warn(fs, "show: %s", target->path);
	return EXIT_KERNEL;
}

int show_run(struct options *options, char **words)
{
	struct target target = { .path = NULL };
	struct tree tree;
	struct nnfs fs;
	int status;

	status = take_options(options, words);
	if (!status)
		status = find_target(&target, words);
	if (status)
		return status;

	if (nnfs_open(&fs))
		return EXIT_KERNEL;
	tree.with_stat = options->statistics;
	if (tree_read(&tree, &fs, target.path))
		status = read_failed(&fs, &target);
	else if (options->json)
		show_json(&tree, options->pretty);
	else
		show_text(&tree);
	nnfs_close(&fs);
	return status;
}

bool stat_next(char **text, struct stat_line *line)
{
	static const char *const directions[] = { "egress", "ingress" };
	char *key, *value;
	size_t len;

	do {
		key = strsep(text, "\n");
		value = key ? strrchr(key, ' ') : NULL;
	} while (key && !value);
	if (!key)
		return false;

	*value++ = '\0';
	*line = (struct stat_line) { .key = key, .value = value };
	for (size_t i = 0; i < 2; i++) {
		len = strlen(directions[i]);
		if (strncmp(key, directions[i], len) ||
		    !key[len] || !strchr(" ._", key[len]))
			continue;
		line->direction = directions[i];
		line->key = key + len + 1;
	}
	return true;
}
