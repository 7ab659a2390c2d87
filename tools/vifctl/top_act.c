// SPDX-License-Identifier: GPL-2.0
/*
 * A VIF is set in the same way as by "vifctl set". A process first gets a VIF from netnice(1);
 * later settings change this VIF. Messages of these programs are caught, because they must not
 * write to the screen.
 */
#include "top_act.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "change.h"
#include "complain.h"
#include "path.h"
#include "rate.h"

static int set(struct options *options, enum param_id param, const char *value,
	       const char *path)
{
	struct changes changes = { 0 };
	char *text;

	if (options_open(options))
		return -1;
	nnfs_refresh(&options->nn.fs);
	text = param == PARAM_BANDWIDTH ? rate_absolute(&options->nn.fs, path, value) : strdup(value);
	if (!text)
		return -1;
	changes_set(&changes, path, &params[param], text);
	free(text);
	return changes_make(&changes, &options->nn, "set", 0);
}

/* Whether netnice has made it for this process */
static bool is_own(const char *path, pid_t pid)
{
	const char *slash = strrchr(path, '/');
	int len = 0, number;

	return slash && sscanf(slash, "/netnice.%d%n", &number, &len) == 1 && number == pid &&
	       (!slash[len] || slash[len] == '.');
}

/* Its output goes to where ours is caught. */
static int run(char **words)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t none;
	FILE *said = tmpfile();
	char line[256];
	int status = -1, err;
	pid_t pid;

	if (!said) {
		complain_errno("tmpfile");
		return -1;
	}
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, fileno(said), STDOUT_FILENO);
	posix_spawn_file_actions_adddup2(&actions, fileno(said), STDERR_FILENO);
	/* top reads its own signals from a descriptor: they are blocked */
	sigemptyset(&none);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
	err = posix_spawnp(&pid, words[0], &actions, &attributes, words, environ);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&actions);
	if (err)
		complain("%s: %s", words[0], strerror(err));
	else
		waitpid(pid, &status, 0);
	rewind(said);
	while (!err && fgets(line, sizeof(line), said))
		fputs(line, complain_stream());
	fclose(said);
	return status;
}

static int set_process(struct options *options, enum param_id param, const char *value,
		       const struct top_process *process)
{
	const char *path = process->first.vif;
	char dev[IF_NAMESIZE], pid[16];
	char *words[] = {
		"netnice", param == PARAM_BANDWIDTH ? "-b" : "-w", (char *)value,
		"-i", dev, "--pid", pid, NULL
	};

	if (is_own(path, process->first.pid))
		return set(options, param, value, path);
	path_device(path, dev);
	snprintf(pid, sizeof(pid), "%d", process->first.pid);
	return run(words);
}

char *top_act(struct options *options, enum param_id param, const char *value,
	      const char *path, const struct top_process *process)
{
	char *said = NULL, *text = NULL;
	size_t size;
	FILE *out = open_memstream(&said, &size);
	int ret;

	if (!out)
		return NULL;
	complain_to(out);
	if (process && !process->first.pid) {
		complain("no process with that socket is known");
		ret = -1;
	} else {
		ret = process ? set_process(options, param, value, process) :
				set(options, param, value, path);
	}
	complain_to(NULL);
	if (fclose(out)) {
		free(said);
		return NULL;
	}
	/* the first line says it */
	said[strcspn(said, "\n")] = '\0';
	if (!ret && !*said &&
	    (process ? asprintf(&text, "set process %d %s %s", process->first.pid,
				params[param].name, value) :
		       asprintf(&text, "set %s %s %s", path, params[param].name, value)) < 0)
		text = NULL;
	if (text) {
		free(said);
		said = text;
	}
	return said;
}
