// SPDX-License-Identifier: GPL-2.0
#include "unit.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "complain.h"
#include "group.h"
#include "nearest.h"

/* Return: 0 and its process; or an error number. *@answer: what it prints, or NULL */
static int start(const char *name, pid_t *pid, FILE **answer)
{
	const char *const words[] = {
		"systemctl", "show", "--property=ControlGroup", "--value", "--", name, NULL
	};
	posix_spawn_file_actions_t actions;
	int end[2], err;

	*answer = NULL;
	if (pipe2(end, O_CLOEXEC))
		return errno;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, end[1], STDOUT_FILENO);
	err = posix_spawnp(pid, words[0], &actions, NULL, (char *const *)words, environ);
	posix_spawn_file_actions_destroy(&actions);
	close(end[1]);
	if (!err)
		*answer = fdopen(end[0], "r");
	if (!*answer)
		close(end[0]);
	return err;
}

/* Its first line, without the end of it; NULL: there is none */
static char *take_line(FILE *answer)
{
	char *line = NULL;
	size_t size;
	ssize_t len = answer ? getline(&line, &size, answer) : -1;

	if (len < 0) {
		free(line);
		return NULL;
	}
	line[strcspn(line, "\n")] = '\0';
	return line;
}

/* Without a type it is a service; a number would be a job's. */
static char *with_type(const char *name)
{
	char *whole;

	if (strchr(name, '.'))
		return strdup(name);
	return asprintf(&whole, "%s.service", name) < 0 ? NULL : whole;
}

/* Services that run have a control group of their name. */
static const char *unit_hint(const char *name, char hint[NEAREST_BYTES])
{
	DIR *dir = opendir(GROUP_TOP "/system.slice");
	char best[NAME_MAX + 1] = "";
	struct nearest nearest = { 0 };
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		const unsigned int before = nearest.distance;
		const bool had = nearest.word;

		nearest_try(&nearest, name, entry->d_name);
		if (nearest.word && (!had || nearest.distance < before)) {
			snprintf(best, sizeof(best), "%s", entry->d_name);
			nearest.word = best;
		}
	}
	if (dir)
		closedir(dir);
	return nearest_hint(&nearest, hint);
}

/* Return its output; NULL after a message */
static char *ask(const char *name)
{
	char *group, hint[NEAREST_BYTES];
	FILE *answer;
	int status = 0, err;
	pid_t pid;

	err = start(name, &pid, &answer);
	if (err) {
		complain("unit %s: systemctl: %s", name, strerror(err));
		return NULL;
	}
	group = take_line(answer);
	if (answer)
		fclose(answer);
	waitpid(pid, &status, 0);
	/* it has said itself why it has failed */
	if (!status && group && *group)
		return group;
	complain(status ? "unit %s: systemctl does not say where that is%s" :
			  "unit %s has no control group: it does not run, or is of a type without one%s",
		 name, unit_hint(name, hint));
	free(group);
	return NULL;
}

char *unit_group(const char *name)
{
	char *whole, *group;

	/* of a pattern the answer would be about many */
	if (!*name || strpbrk(name, "*?[/")) {
		complain("'%s' is not the name of a unit, as nginx.service", name);
		return NULL;
	}
	whole = with_type(name);
	if (!whole) {
		complain("out of memory");
		return NULL;
	}
	group = ask(whole);
	free(whole);
	return group;
}
