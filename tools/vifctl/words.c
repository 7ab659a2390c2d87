// SPDX-License-Identifier: GPL-2.0
/* The words of a command line: options, paths, and where a walk begins. */
#include "words.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/netnice.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "complain.h"
#include "failure.h"
#include "grammar/units.h"
#include "link_layer.h"
#include "nearest.h"
#include "netdev.h"
#include "param_check.h"
#include "target_word.h"
#include "text.h"
#include "unit.h"

#define HINT_BYTES	512

int usage_error(const char *verb, const char *fmt, ...)
{
	char *what;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&what, fmt, ap) < 0)
		what = NULL;
	va_end(ap);
	complain("%s: %s (\"vifctl %s help\" says what is valid)", verb,
		 what ? what : "?", verb);
	free(what);
	return EXIT_USAGE;
}

bool is_either(const char *word, const char *brief, const char *full)
{
	return !strcmp(word, brief) || !strcmp(word, full);
}

/* What every verb knows, behind one minus or two, and as short as @least letters of it, as ip(8) takes them */
static const struct {
	const char *name;
	size_t least;
	size_t value;			/* of a bool in struct options */
} general[] = {
	{ "--json", 1, offsetof(struct options, json) },
	{ "--pretty", 1, offsetof(struct options, pretty) },
	{ "--statistics", 1, offsetof(struct options, statistics) },
	{ "--stats", 5, offsetof(struct options, statistics) },
	{ "--details", 1, offsetof(struct options, details) },
	{ "--brief", 2, offsetof(struct options, brief) },
	{ "--human-readable", 2, offsetof(struct options, human) },
	{ "--verbose", 1, offsetof(struct options, verbose) },
};

#define GENERAL	(sizeof(general) / sizeof(*general))

bool options_take(struct options *options, const char *word)
{
	size_t len;

	word += 1 + (word[1] == '-');
	len = strlen(word);
	for (size_t i = 0; i < GENERAL; i++) {
		if (len < general[i].least || strncmp(word, general[i].name + 2, len))
			continue;
		*(bool *)((char *)options + general[i].value) = true;
		return true;
	}
	/* "-h" is help, unless it was found to be this */
	return (options->human && !strcmp(word, "h")) || colour_take(&options->colour, word);
}

void options_try(struct nearest *nearest, const char *typed)
{
	for (size_t i = 0; i < GENERAL; i++)
		nearest_try(nearest, typed, general[i].name);
	nearest_try(nearest, typed, "--color");
	nearest_try(nearest, typed, "--help");
}

static const struct flag *find_flag(const struct flag *flag, const char *word)
{
	const size_t len = strcspn(word, "=");

	for (; flag && flag->name; flag++)
		if (strlen(flag->name) == len && !strncmp(flag->name, word, len) &&
		    (!word[len] || flag->more))
			return flag;
	return NULL;
}

static int unknown_option(const char *verb, const struct flag *flag, const char *word)
{
	struct nearest nearest = { 0 };
	char hint[NEAREST_BYTES];

	for (; flag && flag->name; flag++)
		nearest_try(&nearest, word, flag->name);
	/* settings have no dashes */
	if (!strcmp(verb, "add") || !strcmp(verb, "set"))
		for (size_t i = 0; i < PARAM_COUNT; i++)
			nearest_try(&nearest, word, params[i].name);
	options_try(&nearest, word);
	return usage_error(verb, "unknown option '%s'%s", word,
			   nearest_hint(&nearest, hint));
}

/* What a verb has of its own comes first. @words is moved to the last word of the option. */
static int take_option(const char *verb, struct options *options,
		       const struct flag *flags, char ***words)
{
	const struct flag *flag = find_flag(flags, **words);

	if (!flag && options_take(options, **words))
		return EXIT_OK;
	if (!flag)
		return unknown_option(verb, flags, **words);
	if (flag->value)
		*flag->value = true;
	if (flag->more && strchr(**words, '='))
		*flag->more = strchr(**words, '=') + 1;
	if (!flag->word)
		return EXIT_OK;
	if (!(*words)[1])
		return usage_error(verb, "%s needs an argument", **words);
	*flag->word = *++*words;
	return EXIT_OK;
}

/* "-" alone is a file, "-.slice" a unit, and some numbers have a sign. */
static bool is_option(const char *word)
{
	return word[0] == '-' && word[1] && word[1] != '.' && !isdigit((unsigned char)word[1]);
}

int words_take_options(const char *verb, struct options *options, char **words,
		       const struct flag *flags)
{
	char **kept = words;
	int status = EXIT_OK;

	for (; !status && *words && strcmp(*words, "--"); words++) {
		if (!is_option(*words))
			*kept++ = *words;
		else
			status = take_option(verb, options, flags, &words);
	}
	if (status)
		return status;
	if (*words)
		words++;
	while (*words)
		*kept++ = *words++;
	*kept = NULL;
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

/* strdupa() above: a path longer than any that the kernel takes is no path */
static bool is_too_long(const char *word)
{
	return strlen(word) >= 2 * 4096;
}

/*
 * Its device may have been called by another of its names. What that makes of the path stays as long as
 * we run. Return: the path, NULL without memory.
 */
static char *with_own_name(char *path)
{
	static struct words made;
	const size_t len = strcspn(path, "/");
	char *word = strndup(path, len), name[IF_NAMESIZE], *own;
	bool is_other;
	int failed;

	if (!word)
		return NULL;
	is_other = netdev_find(word, name) && strcmp(word, name);
	free(word);
	if (!is_other)
		return path;
	if (asprintf(&own, "%s%s", name, path + len) < 0)
		return NULL;
	failed = words_append(&made, own);
	free(own);
	return failed ? NULL : made.word[made.count - 1];
}

int words_take_path(const char *verb, char *word, char **path)
{
	const size_t prefix = strlen(NETNICE_MOUNT_POINT);
	char *rest = word;

	if (!strncmp(rest, NETNICE_MOUNT_POINT, prefix) &&
	    (!rest[prefix] || rest[prefix] == '/'))
		rest += prefix + strspn(rest + prefix, "/");
	*path = NULL;
	if (rest != word && !*rest)
		return EXIT_OK;		/* the mount point: all of it */
	if (*rest == '/' || is_too_long(rest) || !is_vif_path(rest))
		return usage_error(verb, "not a VIF: '%.200s'", word);
	squeeze_slashes(rest);
	*path = with_own_name(rest);
	return *path ? EXIT_OK : EXIT_KERNEL;
}

int words_take_vif(const char *verb, char *word, char **path)
{
	int status;

	if (!word)
		return usage_error(verb, "no VIF given: use a path, for example eth0/web");
	status = words_take_path(verb, word, path);
	if (!status && !*path)
		status = usage_error(verb, "not a VIF: '%s'", word);
	return status;
}

int words_end(const char *verb, const char *word)
{
	return word ? usage_error(verb, "too many words: '%s'", word) : EXIT_OK;
}

int words_take_file(const char *verb, char **words)
{
	return *words ? words_end(verb, words[1]) :
			usage_error(verb, "no file given");
}

bool words_is_target(const char *word)
{
	return target_find(word) || !strcmp(word, WORD_UNIT);
}

void words_list_targets(FILE *out)
{
	target_list(out, "  ");
	fputs("  " WORD_UNIT "     NAME of systemd's, as nginx.service: its control group\n", out);
}

static int unknown_kind(const char *verb, const char *word)
{
	struct nearest nearest = { 0 };
	char hint[NEAREST_BYTES];

	for (size_t i = 0; word && i < TARGET_KINDS; i++)
		nearest_try(&nearest, word, target_kinds[i].word);
	if (word)
		nearest_try(&nearest, word, WORD_UNIT);
	if (word)
		usage_error(verb, "unknown kind of target '%s'%s", word,
			    nearest_hint(&nearest, hint));
	else
		usage_error(verb, "no target given");
	fputs("valid are:\n", complain_stream());
	words_list_targets(complain_stream());
	return EXIT_USAGE;
}

static int take_unit(const char *verb, struct target *target, const char *name)
{
	char *group;

	if (!name)
		return usage_error(verb, WORD_UNIT ": a name is missing, as nginx.service");
	group = unit_group(name);
	if (!group)
		return EXIT_KERNEL;
	target->kind = &target_kinds[TARGET_CGROUP];
	target->name = target_normal(target->kind, group);
	free(group);
	return target->name ? EXIT_OK : EXIT_KERNEL;
}

int words_take_target(const char *verb, struct target *target, char **words)
{
	char *dir;

	*target = (struct target) { 0 };
	if (*words && !strcmp(*words, WORD_UNIT))
		return take_unit(verb, target, words[1]);
	target->kind = *words ? target_find(*words) : NULL;
	if (!target->kind)
		return unknown_kind(verb, *words);
	if (!words[1])
		return usage_error(verb, "%s: a name is missing: %s", *words,
				   target->kind->syntax);
	target->name = target_normal(target->kind, words[1]);
	dir = target->name ? target->kind->directory(target->name) : NULL;
	if (!dir) {
		free(target->name);
		target->name = NULL;
		return usage_error(verb, "%s: '%s' is not valid: use %s",
				   *words, words[1], target->kind->syntax);
	}
	free(dir);
	return EXIT_OK;
}

int words_take_seconds(const char *verb, double *seconds, const char *word, double least,
		       double most)
{
	char *end;
	double value;

	if (!word)
		return EXIT_OK;
	value = strtod(word, &end);
	if (end == word || *end || !(value >= least && value <= most))
		return usage_error(verb, "not an interval: '%s': use %g to %g seconds",
				   word, least, most);
	*seconds = value;
	return EXIT_OK;
}

int words_take_count(const char *verb, unsigned long long *count, const char *word)
{
	unsigned long number;

	if (!word)
		return EXIT_OK;
	if (!text_number(word, ULONG_MAX, &number) || !number)
		return usage_error(verb, "not a count: '%s': use a whole number from 1 (a network namespace stands before \"%s\")",
				   word, verb);
	*count = number;
	return EXIT_OK;
}

char *words_value(const struct param *param, char **words, size_t count)
{
	char *value = NULL, *more;

	for (size_t i = 0; i < count; i++) {
		if (asprintf(&more, "%s%s%s", value ? value : "",
			     value ? " " : "", words[i]) < 0)
			more = NULL;
		free(value);
		value = more;
		if (!value)
			return NULL;
	}
	if (!value || param != &params[PARAM_LINK_LAYER])
		return value;
	more = link_layer_numbers(value);
	free(value);
	return more;
}

int words_check_units(const struct param *param, char **words, size_t count)
{
	char joined[PARAM_JOINED_BYTES], pair[64];

	if (!param_has_directions(param) || param == &params[PARAM_PROGRAM])
		return EXIT_OK;
	for (size_t i = 0; i + 1 < count; i++) {
		snprintf(pair, sizeof(pair), "%s %s", words[i], words[i + 1]);
		if (!param_is_apart(pair, joined))
			continue;
		complain("%s: write '%s' as one word: %s", param->name, pair, joined);
		return EXIT_USAGE;
	}
	return EXIT_OK;
}

static int find_device(const char *verb, struct scope *scope, const char *word)
{
	if (!word)
		return usage_error(verb, "\"dev\" needs the name of a device");
	if (!netdev_find(word, scope->dev)) {
		complain("%s: no device '%s'%s", verb, word, netdev_hint(word));
		return EXIT_KERNEL;
	}
	scope->path = scope->dev;
	return EXIT_OK;
}

int scope_take_next(const char *verb, struct scope *scope, char ***words)
{
	char *path = NULL;
	int status;

	if (!strcmp(**words, "dev")) {
		status = find_device(verb, scope, (*words)[1]);
		*words += (*words)[1] ? 2 : 1;
	} else {
		status = words_take_path(verb, *(*words)++, &path);
		scope->path = path;
	}
	return status;
}

int scope_take(const char *verb, struct scope *scope, char **words)
{
	scope->path = NULL;
	if (!*words)
		return EXIT_OK;
	return scope_take_next(verb, scope, &words) ?: words_end(verb, *words);
}

/* The VIF beside one that is not there that may be meant: "; did you mean 'eth0/web'?", or nothing */
static const char *path_hint(const struct nnfs *fs, const char *path, char text[HINT_BYTES])
{
	const char *slash = strrchr(path, '/');
	struct nearest nearest = { 0 };
	char *above = strndup(path, slash ? slash - path : 0);
	int fd = above && slash ? openat(fs->fd, above, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	char name[NAME_MAX + 1];

	*text = '\0';
	while (dir && (entry = readdir(dir))) {
		const char *before = nearest.word;

		if (entry->d_type != DT_DIR)
			continue;
		nearest_try(&nearest, slash + 1, entry->d_name);
		if (nearest.word == before)
			continue;
		snprintf(name, sizeof(name), "%s", entry->d_name);
		nearest.word = name;
	}
	if (nearest.word)
		snprintf(text, HINT_BYTES, "; did you mean '%s/%s'?", above, name);
	if (dir)
		closedir(dir);
	else if (fd >= 0)
		close(fd);
	free(above);
	return text;
}

/* The device that may be meant, or what stands before a VIF */
static const char *device_hint(const char *word)
{
	const char *hint = netdev_hint(word);

	return *hint ? hint : ": its path begins with a device, as in eth0/web";
}

int scope_check(const char *verb, const struct scope *scope, const struct nnfs *fs)
{
	return !scope->path || nnfs_is_vif(fs, scope->path) ? EXIT_OK :
							       scope_failed(verb, scope, fs);
}

int scope_failed(const char *verb, const struct scope *scope,
		 const struct nnfs *fs)
{
	char hint[HINT_BYTES];

	if (!scope->path)
		nnfs_warn(fs, "cannot read " NETNICE_MOUNT_POINT);
	else if (scope->path == scope->dev && errno == ENOENT)
		complain("%s: %s: this device has no VIF%s", verb, scope->path,
			 nnfs_is_reserved(scope->path) ?
			 " (its name is reserved)" : "");
	else if (errno == ENOENT || errno == ENOTDIR || errno == ELOOP ||
		 errno == ENAMETOOLONG)
		complain("%s: no VIF '%s'%s", verb, scope->path, strchr(scope->path, '/') ?
			 path_hint(fs, scope->path, hint) : device_hint(scope->path));
	else
		nnfs_warn(fs, "%s: %s", verb, scope->path);
	return EXIT_KERNEL;
}
