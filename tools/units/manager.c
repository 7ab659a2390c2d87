// SPDX-License-Identifier: GPL-2.0
/*
 * This asks systemctl(1), which knows best which files make up a unit: aliases, templates, and
 * drop-ins for several units.
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
#define PROPERTIES	"Id,Job,ControlGroup,Slice,FragmentPath,DropInPaths"

/* The slice above all */
#define TOP		"-.slice"

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

	if (!dot || !strcmp(slice, TOP))
		return NULL;
	while (dash > slice && *dash != '-')
		dash--;
	if (dash == slice)
		return strdup(TOP);
	return asprintf(&above, "%.*s%s", (int)(dash - slice), slice, dot) < 0 ? NULL : above;
}

bool unit_is_own(const char *name)
{
	return !strcmp(name, "netnice-units.service") ||
	       !strncmp(name, "netnice-unit@", strlen("netnice-unit@"));
}

/*
 * What systemd puts a "_" before: names that begin with one, or with what files of the kernel's
 * begin with.
 */
static bool is_escaped(const char *name)
{
	static const char *const words[] = {
		"cpu", "cpuacct", "cpuset", "io", "blkio", "memory", "devices", "pids",
		"bpf-firewall", "bpf-devices", "bpf-foreign", "bpf-socket-bind",
		"bpf-restrict-network-interfaces", "bpf-bind-network-interface",
	};
	const char *dot = strrchr(name, '.');
	const size_t len = dot ? dot - name : 0;

	if (*name == '_' || !strncmp(name, "cgroup.", strlen("cgroup.")))
		return true;
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (len == strlen(words[i]) && !strncmp(name, words[i], len))
			return true;
	return false;
}

/* The control group of @name below @above; the caller frees it; NULL without memory. */
static char *group_below(const char *above, const char *name)
{
	char *group;

	if (asprintf(&group, "%s%s%s%s", above, *above ? "/" : "", is_escaped(name) ? "_" : "",
		     name) < 0)
		return NULL;
	return group;
}

/* The same of a slice. @top: that of the topmost */
static char *slice_group(const char *top, const char *slice)
{
	char *above = unit_slice_above(slice), *before, *group;

	if (!above)
		return strdup(top);
	before = slice_group(top, above);
	group = before ? group_below(before, slice) : NULL;
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
	if (!strcmp(key, "ControlGroup") && *value) {
		unit->is_made = true;
		return take_text(&unit->group, value + 1);
	}
	if (!strcmp(key, "Job"))
		unit->has_job = *value && strcmp(value, "0");
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
	argv[count++] = TOP;
	for (size_t i = 0; i < names->count; i++)
		if (strcmp(names->word[i], TOP))
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
	unit->limits.unread = true;
}

void unit_read_limits(struct unit *unit)
{
	if (unit->name && unit_is_own(unit->name))
		return;
	if (unit->fragment)
		read_file(unit, unit->fragment);
	for (size_t i = 0; i < unit->dropin.count; i++)
		read_file(unit, unit->dropin.word[i]);
}

/* A unit that has not started has no control group yet: return the group that it will have. */
static void find_group(struct unit *unit, const char *top)
{
	char *above;

	if (unit->group || !unit->name)
		return;
	if (unit_is_of(unit->name, ".slice")) {
		unit->group = slice_group(top, unit->name);
		return;
	}
	above = unit->slice ? slice_group(top, unit->slice) : NULL;
	if (above)
		unit->group = group_below(above, unit->name);
	free(above);
}

/* systemd may have all of its groups below one. */
static const char *top_group(const struct units *units)
{
	for (size_t i = 0; i < units->count; i++)
		if (units->unit[i].name && !strcmp(units->unit[i].name, TOP))
			return units->unit[i].group ?: "";
	return "";
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
		find_group(&units->unit[i], top_group(units));
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
