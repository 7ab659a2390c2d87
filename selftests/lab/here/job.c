// SPDX-License-Identifier: GPL-2.0
/*
 * The job, from the outside to the inside: a file of strings that end with a zero byte, of
 * which the first letter says what they are.
 */
#define _GNU_SOURCE
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "here.h"

enum job_item {
	JOB_ARGUMENT = 'a', JOB_ENVIRONMENT = 'e', JOB_FOLDER = 'd', JOB_USER = 'u', JOB_GROUP = 'g',
	JOB_GROUPS = 'G', JOB_TERMINAL = 't', JOB_SETTING = 's',
};

extern char **environ;

static FILE *job_open(const char *folder, const char *mode)
{
	char path[PATH_MAX];
	FILE *f;

	snprintf(path, sizeof(path), "%s/job", folder);
	f = fopen(path, mode);
	if (!f)
		die(path);
	return f;
}

__attribute__((format(printf, 3, 4)))
static void item_put(FILE *f, enum job_item item, const char *format, ...)
{
	va_list args;

	fputc(item, f);
	va_start(args, format);
	vfprintf(f, format, args);
	fputc(0, f);
	va_end(args);
}

static void items_put(FILE *f, enum job_item item, char **list)
{
	for (; *list; list++)
		item_put(f, item, "%s", *list);
}

void input_path(char path[PATH_MAX], const char *folder, unsigned int n)
{
	snprintf(path, PATH_MAX, "%s/input.%u", folder, n);
}

void job_write(const char *folder, char **settings, char **argv)
{
	static gid_t groups[NGROUPS_MAX];
	char cwd[PATH_MAX];
	struct winsize size = { .ws_row = 24, .ws_col = 80 };
	int n_groups = getgroups(NGROUPS_MAX, groups);
	FILE *f = job_open(folder, "we");

	if (!getcwd(cwd, sizeof(cwd)))
		die("the present folder");
	item_put(f, JOB_FOLDER, "%s", cwd);
	item_put(f, JOB_USER, "%u", geteuid());
	item_put(f, JOB_GROUP, "%u", getegid());
	for (int i = 0; i < n_groups; i++)
		item_put(f, JOB_GROUPS, "%u", groups[i]);
	ioctl(0, TIOCGWINSZ, &size);
	if (isatty(0) && isatty(1))
		item_put(f, JOB_TERMINAL, "%d %u %u", isatty(2), size.ws_row, size.ws_col);
	items_put(f, JOB_SETTING, settings);
	items_put(f, JOB_ARGUMENT, argv);
	items_put(f, JOB_ENVIRONMENT, environ);
	if (fclose(f))
		die(folder);
}

static void list_add(char ***list, char *text)
{
	size_t n = 0;

	while (*list && (*list)[n])
		n++;
	*list = realloc(*list, (n + 2) * sizeof(**list));
	(*list)[n] = text;
	(*list)[n + 1] = NULL;
}

static void item_take(struct job *job, char item, char *text)
{
	int tty_err;

	switch (item) {
	case JOB_ARGUMENT:
		list_add(&job->argv, text);
		break;
	case JOB_ENVIRONMENT:
		list_add(&job->env, text);
		break;
	case JOB_SETTING:
		list_add(&job->settings, text);
		break;
	case JOB_FOLDER:
		job->folder = text;
		break;
	case JOB_USER:
		job->uid = strtoul(text, NULL, 10);
		break;
	case JOB_GROUP:
		job->gid = strtoul(text, NULL, 10);
		break;
	case JOB_GROUPS:
		if (job->n_groups < NGROUPS_MAX)
			job->groups[job->n_groups++] = strtoul(text, NULL, 10);
		break;
	case JOB_TERMINAL:
		job->tty = sscanf(text, "%d %hu %hu", &tty_err, &job->size.ws_row, &job->size.ws_col) == 3;
		job->tty_err = job->tty && tty_err;
		break;
	}
}

void job_read(struct job *job, const char *folder)
{
	FILE *f = job_open(folder, "re");
	char *item = NULL;
	size_t room = 0;

	/* each item stays */
	while (getdelim(&item, &room, 0, f) > 0) {
		item_take(job, item[0], item + 1);
		item = NULL;
		room = 0;
	}
	fclose(f);
	if (!job->env)
		job->env = calloc(1, sizeof(*job->env));
	if (!job->settings)
		job->settings = calloc(1, sizeof(*job->settings));
}
