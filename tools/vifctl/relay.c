// SPDX-License-Identifier: GPL-2.0
/*
 * vifctl relay: a UDP socket sends what another one receives. A socket is named by a process and a
 * descriptor. Its directory has the link, and the file of the filter.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "complain.h"
#include "escape.h"
#include "expression.h"
#include "failure.h"
#include "json.h"
#include "process.h"
#include "text.h"
#include "words.h"

const char relay_help[] =
	"Usage: vifctl relay [-v] [--both] [--keep EXPRESSION] SOCKET SOCKET\n"
	"       vifctl relay [-v] [--both] --off SOCKET [SOCKET]\n"
	"       vifctl relay [-j]\n"
	"\n"
	"SOCKET := PID/FD, UDP; the second, connected socket sends what the first receives\n"
	"--both := also in the other direction\n"
	"--keep := pcap-filter(7) expression for datagrams that the process gets; or none\n"
	"--off := end the relay\n"
	"\n"
	"Without sockets it prints all relays.";

/* A socket, by numbers */
struct end {
	int pid, fd;
};

static int take_end(struct end *end, const char *word)
{
	int n = -1;

	if (!word)
		return usage_error("relay", "a socket is missing: PID/FD");
	if (sscanf(word, "%d/%d%n", &end->pid, &end->fd, &n) != 2 || word[n] ||
	    !isdigit((unsigned char)*word) || end->fd < 0)
		return usage_error("relay", "'%s' is not a socket: use PID/FD", word);
	return EXIT_OK;
}

static void file_of(char path[PATH_MAX], const struct end *end, const char *name)
{
	snprintf(path, PATH_MAX, "tasks/%d/sockets/%d/%s", end->pid, end->fd, name);
}

/* --- making and ending --- */

/* What the file takes: to be freed, or NULL after a message. */
static char *program_of(const char *expression)
{
	char why[EXPRESSION_WHY], *text;
	struct insns insns;

	if (!strcmp(expression, "none"))
		return strdup(expression);
	/* to pcap-filter(7) it is true of all packets */
	if (!expression[strspn(expression, " \t\n")]) {
		complain("relay: --keep: an expression is missing, or none");
		return NULL;
	}
	if (expression_compile(expression, &insns, NULL, why)) {
		complain("relay: %s", why);
		return NULL;
	}
	text = insns_print(NULL, &insns, expression);
	free(insns.insn);
	return text;
}

static int failed(const struct nnfs *fs, const struct end *end)
{
	/* a path says less than we do */
	if (errno == ENOENT || errno == ESRCH)
		complain("relay: process %d has no socket at descriptor %d, or is not yours",
			 end->pid, end->fd);
	else
		nnfs_warn(fs, "relay: %d/%d", end->pid, end->fd);
	return EXIT_KERNEL;
}

static void tell(const struct options *options, const char *what, const struct end *from,
		 const struct end *to)
{
	if (!options->verbose)
		return;
	printf("relay %s%d/%d", what, from->pid, from->fd);
	if (to)
		printf(" %d/%d", to->pid, to->fd);
	putchar('\n');
}

/* Return: whether the relay of @from leads to @to, by the link that the kernel shows. */
static bool leads_to(const struct nnfs *fs, const struct end *from, const struct end *to)
{
	char path[PATH_MAX], link[PATH_MAX];
	struct end other;
	ssize_t len;

	file_of(path, from, "relay");
	len = readlinkat(fs->fd, path, link, sizeof(link) - 1);
	link[len > 0 ? len : 0] = '\0';
	return sscanf(link, "../../../%d/sockets/%d", &other.pid, &other.fd) == 2 &&
	       other.pid == to->pid && other.fd == to->fd;
}

/* @to: the other end that was named, or NULL for any */
static int end_one(struct options *options, const struct end *from, const struct end *to)
{
	char path[PATH_MAX];

	if (to && !leads_to(&options->nn.fs, from, to)) {
		complain("relay: %d/%d does not relay to %d/%d", from->pid, from->fd, to->pid, to->fd);
		return EXIT_KERNEL;
	}
	file_of(path, from, "relay");
	if (unlinkat(options->nn.fs.fd, path, 0)) {
		if (errno != ENOENT)
			return failed(&options->nn.fs, from);
		complain("relay: %d/%d has none", from->pid, from->fd);
		return EXIT_KERNEL;
	}
	tell(options, "--off ", from, NULL);
	return EXIT_OK;
}

/* What a socket had before: the link is empty, and the program NULL, if it had none. */
struct before {
	char link[PATH_MAX];
	char *program;
};

static void before_read(struct before *before, const struct nnfs *fs, const struct end *end)
{
	char path[PATH_MAX];
	ssize_t len;

	file_of(path, end, "relay");
	len = readlinkat(fs->fd, path, before->link, sizeof(before->link) - 1);
	before->link[len > 0 ? len : 0] = '\0';
	file_of(path, end, "relay_program");
	before->program = len > 0 ? nnfs_read(fs->fd, path) : NULL;
}

static bool is_callers_process(int pid)
{
	struct stat st;
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d", pid);
	return !stat(path, &st) && st.st_uid == geteuid();
}

/*
 * Is a relay that ended between sockets of the caller's processes? Another user may have another socket at
 * that number by now, to which only the caller may relay.
 */
static bool was_callers(const struct before *before, const struct end *from)
{
	struct end to;

	return sscanf(before->link, "../../../%d/sockets/%d", &to.pid, &to.fd) == 2 &&
	       is_callers_process(from->pid) && is_callers_process(to.pid);
}

/* errno stays. */
static void put_back(const struct before *before, const struct nnfs *fs, const struct end *end)
{
	const int err = errno;
	char path[PATH_MAX];

	file_of(path, end, "relay");
	unlinkat(fs->fd, path, 0);
	if (*before->link && !was_callers(before, end))
		complain("relay: %d/%d: the relay that it had is not put back: a socket is another user's",
			 end->pid, end->fd);
	else if (*before->link && !symlinkat(before->link, fs->fd, path) && before->program) {
		file_of(path, end, "relay_program");
		nnfs_write(fs->fd, path, before->program);
	}
	errno = err;
}

/* In place of one to another socket. Return: 0, or -1 and errno. */
static int make_link(const struct nnfs *fs, const struct end *from, const char *text,
		     const struct before *before)
{
	char path[PATH_MAX];

	file_of(path, from, "relay");
	if (*before->link && unlinkat(fs->fd, path, 0) && errno != ENOENT)
		return -1;
	return symlinkat(text, fs->fd, path);
}

/* What there was is there again if this fails, or is not ended at all. */
static int make_one(struct options *options, const struct end *from, const struct end *to,
		    const char *program, const struct before *before)
{
	char path[PATH_MAX], text[PATH_MAX];
	bool is_there;
	int status;

	snprintf(text, sizeof(text), "../../../%d/sockets/%d", to->pid, to->fd);
	is_there = !strcmp(before->link, text);
	file_of(path, to, "socket");
	if (faccessat(options->nn.fs.fd, path, F_OK, 0))
		return failed(&options->nn.fs, to);
	if (!is_there && make_link(&options->nn.fs, from, text, before)) {
		put_back(before, &options->nn.fs, from);
		return failed(&options->nn.fs, from);
	}
	if (is_there && !program)
		program = "none";
	file_of(path, from, "relay_program");
	if (program && nnfs_write(options->nn.fs.fd, path, program)) {
		status = failed(&options->nn.fs, from);
		if (!is_there)
			put_back(before, &options->nn.fs, from);
		return status;
	}
	tell(options, "", from, to);
	return EXIT_OK;
}

static int make(struct options *options, const struct end *from, const struct end *to, bool both,
		const char *program)
{
	struct before before, other = { .program = NULL };
	int status;

	before_read(&before, &options->nn.fs, from);
	status = make_one(options, from, to, program, &before);
	if (!status && both) {
		before_read(&other, &options->nn.fs, to);
		status = make_one(options, to, from, program, &other);
		if (status)
			put_back(&before, &options->nn.fs, from);
	}
	free(before.program);
	free(other.program);
	return status;
}

/* --- showing --- */

/* The number behind a word at the beginning of a line, or 0 */
static unsigned long long counter(const char *text, const char *word)
{
	const char *at = strstr(text, word);

	return at ? strtoull(at + strlen(word), NULL, 10) : 0;
}

static void print_one(struct options *options, struct json *json, const struct end *from,
		      const struct end *to)
{
	char path[PATH_MAX], *text, *kept, *comment;

	file_of(path, from, "socket");
	text = nnfs_read(options->nn.fs.fd, path);
	file_of(path, from, "relay_program");
	kept = nnfs_read(options->nn.fs.fd, path);
	if (kept)
		kept[strcspn(kept, "\n")] = '\0';
	comment = kept ? strchr(kept, '#') : NULL;
	comment = comment ? comment + 1 + strspn(comment + 1, " ") : kept;
	if (options->json) {
		json_open(json, NULL, '{');
		json_version(json);
		json_number(json, "pid", from->pid);
		json_number(json, "fd", from->fd);
		json_number(json, "to_pid", to->pid);
		json_number(json, "to_fd", to->fd);
		json_number(json, "packets", counter(text ?: "", "relay_packets "));
		json_number(json, "drops", counter(text ?: "", "relay_drops "));
		json_string(json, "keep", comment && strcmp(comment, "none") ? comment : NULL);
		json_close(json, '}');
	} else {
		printf("%d/%d -> %d/%d  packets %llu  drops %llu", from->pid, from->fd, to->pid,
		       to->fd, counter(text ?: "", "relay_packets "),
		       counter(text ?: "", "relay_drops "));
		if (comment && strcmp(comment, "none")) {
			fputs("  keep ", stdout);
			escape_put(stdout, comment);
		}
		putchar('\n');
	}
	free(kept);
	free(text);
}

static void print_process(struct options *options, struct json *json, pid_t pid)
{
	struct end from = { .pid = pid }, to;
	char path[PATH_MAX], text[PATH_MAX];
	struct dirent *entry;
	unsigned long number;
	ssize_t len;
	DIR *dir;
	int fd;

	snprintf(path, sizeof(path), "tasks/%d/sockets", from.pid);
	fd = openat(options->nn.fs.fd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	dir = fd >= 0 ? fdopendir(fd) : NULL;
	if (!dir)
		return;
	while ((entry = readdir(dir))) {
		if (!text_number(entry->d_name, INT_MAX, &number))
			continue;
		from.fd = number;
		file_of(path, &from, "relay");
		len = readlinkat(options->nn.fs.fd, path, text, sizeof(text) - 1);
		text[len > 0 ? len : 0] = '\0';
		if (sscanf(text, "../../../%d/sockets/%d", &to.pid, &to.fd) == 2)
			print_one(options, json, &from, &to);
	}
	closedir(dir);
}

/* The kernel lists those processes only that are attached. */
static int print_all(struct options *options)
{
	struct json json = { .pretty = options->pretty };
	struct dirent *entry;
	DIR *proc = opendir("/proc");
	pid_t pid;

	if (!proc) {
		complain_errno("relay: /proc");
		return EXIT_KERNEL;
	}
	if (options->json)
		json_open(&json, NULL, '[');
	while ((entry = readdir(proc))) {
		pid = process_parse_pid(entry->d_name);
		if (pid)
			print_process(options, &json, pid);
	}
	closedir(proc);
	if (options->json)
		json_close(&json, ']');
	return EXIT_OK;
}

/* --- the verb --- */

static int end_all(struct options *options, char **words, bool both)
{
	struct end from, to;
	int status = take_end(&from, words[0]);

	if (!status && (words[1] || both))
		status = take_end(&to, words[1]);
	if (!status && words[1])
		status = words_end("relay", words[2]);
	status = status ?: options_open(options) ?: end_one(options, &from, words[1] ? &to : NULL);
	return status || !both ? status : end_one(options, &to, &from);
}

static int begin(struct options *options, char **words, bool both, const char *keep)
{
	struct end from, to;
	char *program = NULL;
	int status = take_end(&from, words[0]) ?: take_end(&to, words[1]) ?:
		     words_end("relay", words[2]);

	if (!status && keep) {
		program = program_of(keep);
		status = program ? EXIT_OK : EXIT_USAGE;
	}
	status = status ?: options_open(options) ?: make(options, &from, &to, both, program);
	free(program);
	return status;
}

int relay_run(struct options *options, char **words)
{
	bool both = false, off = false;
	const char *keep = NULL;
	const struct flag flags[] = {
		{ "--both", .value = &both }, { "--off", .value = &off },
		{ "--keep", .word = &keep }, { .name = NULL }
	};
	int status = words_take_options("relay", options, words, flags);

	if (status)
		return status;
	if (off && keep)
		return usage_error("relay", "--off and --keep exclude each other");
	if (off)
		return end_all(options, words, both);
	if (*words || both || keep)
		return begin(options, words, both, keep);
	return options_open(options) ?: print_all(options);
}
