// SPDX-License-Identifier: GPL-2.0
/*
 * systemctl(1) is asked: it knows, better than anybody who looks through the folders, which
 * files make a unit, with its aliases, templates, and drop-ins for many.
 */
#include "manager.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "array.h"
#include "complain.h"

/* A unit that is not there has no files, and none of these either. */
#define PROPERTIES	"Id,ControlGroup,Slice,FragmentPath,DropInPaths"

/* --- names --- */

bool unit_is_name(const char *name)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "0123456789:_.\\@-";
	const size_t len = strlen(name);

	return len && len <= UNIT_NAME_MAX && strspn(name, letters) == len && *name != '.' &&
	       strchr(name, '.');
}

bool unit_is_of(const char *name, const char *type)
{
	const size_t len = strlen(name), type_len = strlen(type);

	return len > type_len && !strcmp(name + len - type_len, type);
}

/* "a-b.slice" is in "a.slice", that in "-.slice", which is above all. */
char *unit_slice_above(const char *slice)
{
	const char *dot = strrchr(slice, '.'), *dash = dot;
	char *above;

	if (!dot || !strcmp(slice, "-.slice"))
		return NULL;
	while (dash > slice && *dash != '-')
		dash--;
	if (dash == slice)
		return strdup("-.slice");
	return asprintf(&above, "%.*s%s", (int)(dash - slice), slice, dot) < 0 ? NULL : above;
}

char *unit_slice_group(const char *slice)
{
	char *above = unit_slice_above(slice), *before, *group = NULL;

	if (!above)
		return strdup("");
	before = unit_slice_group(above);
	if (before && asprintf(&group, "%s%s%s", before, *before ? "/" : "", slice) < 0)
		group = NULL;
	free(before);
	free(above);
	return group;
}

/* --- what is answered --- */

/*
 * Words between spaces; one with anything unusual in it is between double quotes, where a
 * backslash stands before what means something to a shell.
 */
static int take_words(struct words *words, char *text)
{
	char *to, *word;
	bool quoted;

	while (*text) {
		quoted = *text == '"';
		text += quoted;
		word = to = text;
		while (*text && *text != (quoted ? '"' : ' ')) {
			if (quoted && *text == '\\' && text[1])
				text++;
			*to++ = *text++;
		}
		text += *text && quoted;
		text += strspn(text, " ");
		*to = '\0';
		if (words_append(words, word))
			return -1;
	}
	return 0;
}

static int take_text(char **place, const char *text)
{
	free(*place);
	*place = strdup(text);
	if (*place)
		return 0;
	complain("out of memory");
	return -1;
}

static int take_property(struct unit *unit, const char *key, char *value)
{
	if (!strcmp(key, "Id"))
		return take_text(&unit->name, value);
	if (!strcmp(key, "Slice") && *value)
		return take_text(&unit->slice, value);
	if (!strcmp(key, "ControlGroup") && *value)
		return take_text(&unit->group, value + 1);
	if (!strcmp(key, "FragmentPath") && *value)
		return take_text(&unit->fragment, value);
	return strcmp(key, "DropInPaths") ? 0 : take_words(&unit->dropin, value);
}

/* Units have an empty line between them. */
static int take_answer(struct units *units, FILE *answer)
{
	struct unit *unit = NULL;
	char *line = NULL, *value;
	size_t size = 0;
	int ret = 0;

	while (!ret && getline(&line, &size, answer) > 0) {
		line[strcspn(line, "\n")] = '\0';
		value = strchr(line, '=');
		if (!value) {
			unit = NULL;
			continue;
		}
		*value++ = '\0';
		if (!unit)
			unit = array_add(&units->unit, &units->count, sizeof(*unit));
		ret = unit ? take_property(unit, line, value) : -1;
	}
	free(line);
	return ret;
}

/* --- asking --- */

static _Noreturn void execute(const struct words *names, int out)
{
	const char **argv = calloc(names->count + 8, sizeof(*argv));
	size_t count = 0;

	if (!argv)
		_exit(1);
	argv[count++] = "systemctl";
	argv[count++] = "show";
	argv[count++] = "--no-pager";
	argv[count++] = "--property=" PROPERTIES;
	argv[count++] = "--";
	for (size_t i = 0; i < names->count; i++)
		argv[count++] = names->word[i];
	if (dup2(out, STDOUT_FILENO) >= 0)
		execvp(argv[0], (char **)argv);
	_exit(127);
}

/* Return: its process, and what it says in *@answer; -1 after a message. */
static pid_t start(const struct words *names, FILE **answer)
{
	int end[2];
	pid_t pid;

	if (pipe2(end, O_CLOEXEC)) {
		complain_errno("systemctl");
		return -1;
	}
	pid = fork();
	if (!pid)
		execute(names, end[1]);
	close(end[1]);
	*answer = pid > 0 ? fdopen(end[0], "re") : NULL;
	if (pid < 0)
		complain_errno("systemctl");
	if (!*answer)
		close(end[0]);
	return pid;
}

static void read_file(struct unit *unit, const char *path)
{
	if (!section_read(AT_FDCWD, path, limits_take, &unit->limits))
		return;
	complain_errno("%s", path);
	unit->limits.wrong = true;
}

void unit_read_limits(struct unit *unit)
{
	if (unit->fragment)
		read_file(unit, unit->fragment);
	for (size_t i = 0; i < unit->dropin.count; i++)
		read_file(unit, unit->dropin.word[i]);
}

/* A slice that has not been started yet, or a scope, has no control group. */
static void find_group(struct unit *unit)
{
	char *above;

	if (unit->group || !unit->name)
		return;
	if (unit_is_of(unit->name, ".slice")) {
		unit->group = unit_slice_group(unit->name);
		return;
	}
	above = unit->slice && unit_is_of(unit->name, ".scope") ? unit_slice_group(unit->slice) :
								  NULL;
	if (above && asprintf(&unit->group, "%s%s%s", above, *above ? "/" : "", unit->name) < 0)
		unit->group = NULL;
	free(above);
}

static size_t depth_of(const struct unit *unit)
{
	size_t depth = unit->group && *unit->group;

	for (const char *at = unit->group; at && *at; at++)
		depth += *at == '/';
	return depth;
}

static int by_depth(const void *a, const void *b)
{
	const size_t x = depth_of(a), y = depth_of(b);

	return (x > y) - (x < y);
}

int manager_ask(struct units *units, const struct words *names)
{
	FILE *answer = NULL;
	pid_t pid = start(names, &answer);
	int ret = answer ? take_answer(units, answer) : -1, status = 1;

	if (answer)
		fclose(answer);
	if (pid > 0)
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
	if (ret)
		return -1;
	if (status) {
		complain("systemctl does not say what units there are");
		return -1;
	}
	for (size_t i = 0; i < units->count; i++)
		find_group(&units->unit[i]);
	if (units->count)
		qsort(units->unit, units->count, sizeof(*units->unit), by_depth);
	return 0;
}

void units_free(struct units *units)
{
	for (size_t i = 0; i < units->count; i++) {
		struct unit *unit = &units->unit[i];

		free(unit->name);
		free(unit->group);
		free(unit->slice);
		free(unit->fragment);
		words_free(&unit->dropin);
		limits_free(&unit->limits);
	}
	free(units->unit);
	*units = (struct units) { 0 };
}
