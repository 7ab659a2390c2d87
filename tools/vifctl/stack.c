// SPDX-License-Identifier: GPL-2.0
/* vifctl stack, port: the user-level stack of a VIF, and its ports of the host. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "change.h"
#include "complain.h"
#include "escape.h"
#include "failure.h"
#include "netns.h"
#include "text.h"
#include "words.h"

/* --- stack --- */

const char stack_help[] =
	"Usage: vifctl stack [-v] PATH DEV [netns NETNS]\n"
	"       vifctl stack [-v] PATH none\n"
	"\n"
	"PATH := a VIF, for example eth0/web\n"
	"DEV := a tap, tun or veth of a stack that shares the host's addresses\n"
	"NETNS := its network namespace: a process ID, or a name";

/* Return: the exit status, after a message. */
static int write_device(const struct nnfs *fs, const char *path, int fd, const char *device)
{
	if (write(fd, device, strlen(device)) >= 0)
		return EXIT_OK;
	nnfs_warn(fs, "stack: %s", path);
	return EXIT_KERNEL;
}

/* The file is looked up here, the device where the writer is: that is a child of ours. */
static int write_there(const struct nnfs *fs, const char *path, int fd, const char *device,
		       const char *netns)
{
	pid_t child;
	int status;

	/* our parent may ignore SIGCHLD: then no child is reported */
	signal(SIGCHLD, SIG_DFL);
	child = fork();
	if (child == 0)
		_exit(netns_enter_device(netns) ? EXIT_KERNEL :
						  write_device(fs, path, fd, device));
	if (child < 0 || waitpid(child, &status, 0) != child) {
		complain_errno("stack: netns");
		return EXIT_KERNEL;
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_KERNEL;
}

static int open_file(const struct nnfs *fs, const char *path)
{
	const struct scope scope = { .path = path };
	char file[PATH_MAX];
	int fd;

	snprintf(file, sizeof(file), "%s/stack", path);
	fd = openat(fs->fd, file, O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0 && errno == ENOENT)
		scope_failed("stack", &scope, fs);
	else if (fd < 0)
		nnfs_warn(fs, "stack: %s", path);
	return fd;
}

static int set_stack(struct options *options, const char *path, const char *device,
		     const char *netns)
{
	const struct nnfs *fs = &options->nn.fs;
	int fd, status;

	nnfs_refresh(&options->nn.fs);
	fd = open_file(fs, path);
	if (fd < 0)
		return EXIT_KERNEL;
	status = netns ? write_there(fs, path, fd, device, netns) :
			 write_device(fs, path, fd, device);
	close(fd);
	if (status || !options->verbose)
		return status;
	fputs("stack ", stdout);
	escape_put_word(stdout, path);
	printf(" %s%s%s\n", device, netns ? " netns " : "", netns ?: "");
	return EXIT_OK;
}

int stack_run(struct options *options, char **words)
{
	const char *netns = NULL;
	char *path;
	int status;

	status = words_take_options("stack", options, words, NULL) ?:
		 words_take_vif("stack", *words, &path);
	if (!status && !words[1])
		status = usage_error("stack", "a device is missing, or none");
	if (!status && words[2] && !strcmp(words[2], "netns")) {
		netns = words[3];
		status = netns ? words_end("stack", words[4]) :
				 usage_error("stack", "\"netns\" needs a process or a name");
	} else if (!status) {
		status = words_end("stack", words[2]);
	}
	return status ?: options_open(options) ?: set_stack(options, path, words[1], netns);
}

/* --- port --- */

const char port_help[] =
	"Usage: vifctl port [-v] PATH add {{tcp | udp} NUMBER | auto N}...\n"
	"       vifctl port [-v] PATH del {{tcp | udp} NUMBER}...\n"
	"\n"
	"PATH := a VIF that has a stack, for example eth0/web\n"
	"NUMBER := a port, 1 to 65535\n"
	"auto N := N free ports of TCP and UDP; \"vifctl show\" prints them";

static bool is_one_of(const char *word, const char *a, const char *b)
{
	return !strcmp(word, a) || !strcmp(word, b);
}

/* One or two words: "tcp" "80", or "tcp 80". */
static int take_port(struct changes *changes, const char *path, bool adds, char ***words)
{
	char *kind = *(*words)++, *number = strchr(kind, ' '), *text;
	unsigned long port;

	if (number)
		*number++ = '\0';
	else
		number = *(*words) ? *(*words)++ : NULL;
	if (!is_one_of(kind, "tcp", "udp") && (!adds || strcmp(kind, "auto")))
		return usage_error("port", "'%s' is neither tcp nor udp%s", kind,
				   adds ? ", nor auto" : "");
	if (!number || !text_port(number, &port))
		return usage_error("port", "%s: '%s' is no port: 1 to 65535 are", kind, number ?: "");
	if (asprintf(&text, "%s%s %lu", adds ? "" : "-", kind, port) < 0)
		return EXIT_KERNEL;
	changes_port(changes, path, text);
	free(text);
	return EXIT_OK;
}

static int take_ports(struct changes *changes, const char *path, char **words)
{
	const bool adds = *words && !strcmp(*words, "add");
	int status = EXIT_OK;

	if (!adds && (!*words || strcmp(*words, "del")))
		return usage_error("port", "add or del is missing after the VIF");
	if (!*++words)
		return usage_error("port", "a port is missing");
	while (!status && *words)
		status = take_port(changes, path, adds, &words);
	return status;
}

int port_run(struct options *options, char **words)
{
	struct changes changes = { 0 };
	char *path;
	int status;

	status = words_take_options("port", options, words, NULL) ?:
		 words_take_vif("port", *words, &path) ?:
		 take_ports(&changes, path, words + 1) ?: options_open(options);
	return changes_run(&changes, status, options, "port");
}
