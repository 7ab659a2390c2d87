// SPDX-License-Identifier: GPL-2.0
/* Processes, read from /proc. */
#include "process.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "array.h"

/* The beginning of /proc/PID/@name, as a string. */
static bool read_file(pid_t pid, const char *name, char *text, size_t size)
{
	char path[64];
	ssize_t len;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	len = read(fd, text, size - 1);
	close(fd);
	if (len < 0)
		return false;
	text[len] = '\0';
	return true;
}

int process_sockets(pid_t pid, size_t *left, int (*take)(uint64_t inode, void *arg), void *arg)
{
	unsigned long long inode;
	char path[64], text[64];
	struct dirent *entry;
	int ret = 0, err;
	ssize_t len;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/fd", pid);
	dir = opendir(path);
	if (!dir)
		return -1;
	while (!ret && (!left || *left) && (entry = readdir(dir))) {
		if (left)
			--*left;
		len = readlinkat(dirfd(dir), entry->d_name, text, sizeof(text) - 1);
		text[len > 0 ? len : 0] = '\0';
		if (sscanf(text, "socket:[%llu]", &inode) == 1)
			ret = take(inode, arg);
	}
	err = errno;
	closedir(dir);
	errno = err;
	return ret;
}

/* From session, the 6th field, to starttime, the 22nd (proc(5)). */
#define SKIP_5	" %*s %*s %*s %*s %*s"

static bool read_stat(pid_t pid, struct process *process)
{
	char text[1024];
	const char *end;

	if (!read_file(pid, "stat", text, sizeof(text)))
		return false;
	/* A command's name may hold anything, parentheses too. */
	end = strrchr(text, ')');
	process->pid = pid;
	return end && sscanf(end, ") %*s %d %d %d" SKIP_5 SKIP_5 SKIP_5 " %llu",
			     &process->ppid, &process->group, &process->session,
			     &process->start) == 4;
}

static bool is_same_file(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Of a shell every script is a program by itself. */
static bool is_shell(const struct stat *exe)
{
	struct stat shell;
	const char *path;
	bool is = false;

	setusershell();
	while (!is && (path = getusershell()))
		is = !stat(path, &shell) && is_same_file(exe, &shell);
	endusershell();
	return is;
}

static bool is_same_program(pid_t a, pid_t b)
{
	const pid_t pid[2] = { a, b };
	struct stat exe[2];
	char path[64];

	for (int i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), "/proc/%d/exe", pid[i]);
		if (stat(path, &exe[i]))
			return false;
	}
	return is_same_file(&exe[0], &exe[1]) && !is_shell(&exe[0]);
}

pid_t process_first(pid_t pid)
{
	struct process process, parent;

	while (read_stat(pid, &process) && read_stat(process.ppid, &parent) &&
	       process.session == parent.session && process.group != process.pid &&
	       is_same_program(process.pid, parent.pid))
		pid = parent.pid;
	return pid;
}

bool process_is_elsewhere(pid_t pid)
{
	struct stat here, there;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/ns/net", pid);
	return !stat("/proc/self/ns/net", &here) && !stat(path, &there) &&
	       here.st_ino != there.st_ino;
}

static int by_pid(const void *a, const void *b)
{
	const struct process *x = a, *y = b;

	return (x->pid > y->pid) - (x->pid < y->pid);
}

int process_list_read(struct process_list *list)
{
	DIR *proc = opendir("/proc");
	struct process process, *added;
	struct dirent *entry;
	int ret = 0;
	pid_t pid;

	list->process = NULL;
	list->count = 0;
	if (!proc)
		return -1;
	while (!ret && (entry = readdir(proc))) {
		pid = process_parse_pid(entry->d_name);
		if (!pid || !read_stat(pid, &process))
			continue;
		added = array_add(&list->process, &list->count, sizeof(*added));
		if (added)
			*added = process;
		else
			ret = -1;
	}
	closedir(proc);
	if (ret)
		process_list_free(list);
	else if (list->count)
		qsort(list->process, list->count, sizeof(process), by_pid);
	return ret;
}

void process_list_free(struct process_list *list)
{
	free(list->process);
	list->process = NULL;
	list->count = 0;
}
