// SPDX-License-Identifier: GPL-2.0
/*
 * A list of changes. vif.c, attach.c and restore.c collect them. This file makes them, in their
 * order, as a transaction of the library.
 */
#include "change.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "array.h"
#include "belonging.h"
#include "complain.h"
#include "effect.h"
#include "escape.h"
#include "failure.h"
#include "netdev.h"
#include "path.h"
#include "words.h"

/* --- collecting --- */

static char *copy(struct changes *changes, const char *text)
{
	char *copied = text ? strdup(text) : NULL;

	if (text && !copied)
		changes->failed = true;
	return copied;
}

static struct change *append(struct changes *changes, enum change_kind kind,
			     const char *path)
{
	static struct change nowhere;
	struct change *change = array_add(&changes->change, &changes->count,
					  sizeof(*change));

	if (!change) {
		changes->failed = true;
		return &nowhere;
	}
	change->kind = kind;
	change->path = copy(changes, path);
	return change;
}

void changes_add(struct changes *changes, const char *path)
{
	append(changes, CHANGE_ADD, path);
}

void changes_del(struct changes *changes, const char *path)
{
	append(changes, CHANGE_DEL, path);
}

static bool is_bandwidth_of(const struct change *change, const char *path)
{
	return change->kind == CHANGE_SET && change->param == &params[PARAM_BANDWIDTH] &&
	       path && change->path && !strcmp(change->path, path);
}

/* Move the last change, which sets a burst, before the bandwidth of the VIF: that begins with it. */
static void put_before_bandwidth(struct changes *changes)
{
	const struct change last = changes->change[changes->count - 1];

	for (size_t i = changes->count; i-- > 0;) {
		if (!is_bandwidth_of(&changes->change[i], last.path))
			continue;
		memmove(&changes->change[i + 1], &changes->change[i],
			(changes->count - 1 - i) * sizeof(last));
		changes->change[i] = last;
		return;
	}
}

void changes_set(struct changes *changes, const char *path,
		 const struct param *param, const char *to)
{
	struct change *change = append(changes, CHANGE_SET, path);

	change->param = param;
	change->to = copy(changes, to);
	if (param == &params[PARAM_BURST] && !changes->failed)
		put_before_bandwidth(changes);
}

void changes_optional(struct changes *changes)
{
	if (changes->count)
		changes->change[changes->count - 1].optional = true;
}

void changes_may_be_gone(struct changes *changes)
{
	if (changes->count)
		changes->change[changes->count - 1].may_be_gone = true;
}

void changes_move(struct changes *changes, const char *path, const char *to)
{
	append(changes, CHANGE_MOVE, path)->to = copy(changes, to);
}

void changes_attach(struct changes *changes, const char *path,
		    const struct target *target)
{
	struct change *change = append(changes, CHANGE_ATTACH, path);

	change->target.kind = target->kind;
	change->target.name = copy(changes, target->name);
}

void changes_detach(struct changes *changes, const char *path,
		    const struct target *target)
{
	struct change *change = append(changes, CHANGE_DETACH, path);

	change->target.kind = target->kind;
	change->target.name = copy(changes, target->name);
}

void changes_port(struct changes *changes, const char *path, const char *text)
{
	append(changes, CHANGE_PORT, path)->to = copy(changes, text);
}

void changes_free(struct changes *changes)
{
	for (size_t i = 0; i < changes->count; i++) {
		free(changes->change[i].path);
		free(changes->change[i].target.name);
		free(changes->change[i].to);
	}
	free(changes->change);
	*changes = (struct changes) { 0 };
}

/* --- printing --- */

static void put_word(const char *word)
{
	putchar(' ');
	escape_put_word(stdout, word);
}

/* The words of a value stay words. */
static void put_words(const char *text)
{
	char *words = strdup(text), *save, *word;

	for (word = words ? strtok_r(words, " ", &save) : NULL; word;
	     word = strtok_r(NULL, " ", &save))
		put_word(word);
	free(words);
}

static void print(const struct change *change)
{
	static const char *const verb[] = {
		[CHANGE_ADD] = "add", [CHANGE_DEL] = "del",
		[CHANGE_SET] = "set", [CHANGE_MOVE] = "move",
		[CHANGE_ATTACH] = "attach", [CHANGE_DETACH] = "detach",
		[CHANGE_PORT] = "port",
	};

	fputs(verb[change->kind], stdout);
	/* a name is no option, whatever it begins with */
	if (*change->path == '-' || (change->target.kind && *change->target.name == '-'))
		put_word("--");
	put_word(change->path);
	if (change->param) {
		put_word(change->param->name);
		put_words(change->to);
	} else if (change->kind == CHANGE_PORT) {
		fputs(*change->to == '-' ? " del" : " add", stdout);
		put_words(change->to + (*change->to == '-'));
	} else if (change->to) {
		put_word(change->to);
	}
	if (change->target.kind) {
		put_word(change->target.kind->word);
		put_word(change->target.name);
	}
	putchar('\n');
	fflush(stdout);
}

/* --- making --- */

static int make_once(struct netnice *nn, const struct change *change)
{
	const struct target *target = &change->target;

	switch (change->kind) {
	case CHANGE_ADD:
		return netnice_create(nn, change->path, 0777);
	case CHANGE_DEL:
		return netnice_remove(nn, change->path);
	case CHANGE_SET:
		return netnice_set(nn, change->path, change->param->name, change->to);
	case CHANGE_MOVE:
		return netnice_move(nn, change->path, change->to);
	case CHANGE_ATTACH:
		return netnice_attach(nn, change->path, target->kind->word, target->name);
	case CHANGE_DETACH:
		return netnice_detach(nn, change->path, target->kind->word, target->name);
	case CHANGE_PORT:
		return netnice_set(nn, change->path, "ports", change->to);
	}
	return -1;
}

static int make(struct netnice *nn, const struct change *change)
{
	int ret = make_once(nn, change);

	return ret && change->may_be_gone && (errno == ENOENT || errno == ESRCH) ? 0 : ret;
}

static void say_left(const char *sentence, void *verb)
{
	complain("%s: %s", (const char *)verb, sentence);
}

static bool exists(const struct nnfs *fs, const char *path)
{
	return !faccessat(fs->fd, path, F_OK, AT_SYMLINK_NOFOLLOW);
}

/*
 * Report the first missing VIF on the path @path, if the failed call did not get as far as the file
 * system. Return: true if there is one; then it has been reported.
 */
static bool say_missing(const struct nnfs *fs, const struct change *change,
			const char *verb)
{
	char *path = strdupa(change->path), *slash = path;
	bool found = false;

	while (!found && (slash = strchr(slash + 1, '/'))) {
		*slash = '\0';
		found = !exists(fs, path);
		if (!found)
			*slash = '/';
	}
	if (!found && change->kind != CHANGE_ADD)
		found = !exists(fs, path);
	if (found)
		complain("%s: %s: no %s '%s'%s", verb, change->path,
			 strchr(path, '/') ? "VIF" : "device", path,
			 strchr(path, '/') ? "" : netdev_hint(path));
	return found;
}

static bool say_missing_target(const struct nnfs *fs,
			       const struct change *change, const char *verb)
{
	char *dir = change->target.kind->directory(change->target.name);
	bool found = !dir || !exists(fs, dir);

	free(dir);
	if (found)
		complain("%s: no %s %s%s, or no power over it", verb, change->target.kind->word,
			 change->target.name,
			 change->target.kind != &target_kinds[TARGET_DEVICE] ? "" :
			 netdev_hint(change->target.name));
	return found;
}

/* ENOENT comes from the path: then last_error is not about it. */
static bool say_not_there(const struct nnfs *fs, const struct change *change,
			  const char *verb)
{
	int err = errno;
	bool said;

	if (err != ENOENT)
		return false;
	said = say_missing(fs, change, verb) ||
	       (change->target.kind && say_missing_target(fs, change, verb));
	errno = err;
	return said;
}

/* The VIF that we belong to on a path's device. To be freed, or NULL. */
static char *own_vif(const struct nnfs *fs, const char *path)
{
	char number[16];
	const struct target self = { &target_kinds[TARGET_PROCESS], number };
	struct belonging belonging;
	char *now;

	snprintf(number, sizeof(number), "%d", getpid());
	if (belonging_find(&belonging, fs, &self, path))
		return NULL;
	now = belonging.now;
	belonging.now = NULL;
	belonging_free(&belonging);
	return now;
}

/* A caller who may not create this VIF may create one in the caller's own VIF. */
static void say_users(const struct nnfs *fs, const struct change *change)
{
	const char *name = strrchr(change->path, '/');
	char *own = own_vif(fs, change->path), *path, users[32];

	snprintf(users, sizeof(users), "/user-%u/", geteuid());
	if (own && name && asprintf(&path, "%s%s", own, users) >= 0) {
		/* the caller may already be below an own VIF */
		strstr(path, users)[strlen(users) - 1] = '\0';
		if (exists(fs, path))
			complain("you may make %s%s", path, name);
		else if (!strncmp(name, "/user-", strlen("/user-")))
			complain("you may make %s", path);
		else
			complain("you may make %s, and then %s%s", path, path, name);
		free(path);
	}
	free(own);
}

static void say_failure(const struct nnfs *fs, const struct change *change,
			const char *verb)
{
	if (say_not_there(fs, change, verb))
		return;
	if (change->kind == CHANGE_ADD && errno == EEXIST &&
	    nnfs_is_file(fs, change->path)) {
		complain("%s: %s: the name is reserved: each VIF has a file of that name",
			 verb, change->path);
		return;
	}
	/* a number that is none: no file was asked for it */
	if (change->param && errno == EDOM)
		complain("%s: %s: %s: '%s' is not valid: use %s", verb,
			 change->path, change->param->name, change->to,
			 change->param->syntax);
	else if (change->param && errno == EINVAL)
		nnfs_warn(fs, "%s: %s", verb, change->path);	/* names it */
	else if (change->param)
		nnfs_warn(fs, "%s: %s: %s", verb, change->path,
			  change->param->name);
	else if (change->target.kind)
		nnfs_warn(fs, "%s: %s: %s %s", verb, change->path,
			  change->target.kind->word, change->target.name);
	else if (change->to && change->kind == CHANGE_MOVE)
		nnfs_warn(fs, "%s: %s to %s", verb, change->path, change->to);
	else
		nnfs_warn(fs, "%s: %s", verb, change->path);
	if (change->param == &params[PARAM_QUOTA] && strstr(change->to, " per "))
		complain("a quota that is refilled (per) goes into a section of netniced.conf(5)");
	else if (change->kind == CHANGE_ADD && errno == EACCES)
		say_users(fs, change);
	else if (change->kind == CHANGE_ADD && errno == EEXIST)
		complain("\"vifctl set %s\" changes it", change->path);
	else if (change->kind == CHANGE_DEL && errno == EBUSY && !change->may_be_gone)
		complain("\"vifctl del --force %s\" detaches what is attached before",
			 change->path);
}

/* Signals that end the program. A closed pipe is not one: the changes are completed. */
static const int ending[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };

static void block_signals(sigset_t *old)
{
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(ending) / sizeof(*ending); i++)
		sigaddset(&set, ending[i]);
	sigaddset(&set, SIGTSTP);
	sigaddset(&set, SIGPIPE);
	sigprocmask(SIG_BLOCK, &set, old);
}

static bool is_interrupted(void)
{
	sigset_t set;

	sigpending(&set);
	for (size_t i = 0; i < sizeof(ending) / sizeof(*ending); i++)
		if (sigismember(&set, ending[i]))
			return true;
	return false;
}

/* Return: how many were made, or left out: then @status says so. */
static size_t make_all(struct netnice *nn, struct changes *changes,
		       const char *verb, unsigned int flags, int *status)
{
	size_t i;

	for (i = 0; i < changes->count; i++) {
		if (is_interrupted()) {
			complain("%s: interrupted", verb);
			break;
		}
		changes->change[i].is_made = !make(nn, &changes->change[i]);
		if (!changes->change[i].is_made) {
			say_failure(&nn->fs, &changes->change[i], verb);
			if (!changes->change[i].optional)
				break;
			*status = EXIT_PART;
		} else if (flags & CHANGES_TELL) {
			print(&changes->change[i]);
		}
	}
	return i;
}

/* Add the VIFs that ask for a share by these changes. */
static void note_shares(const struct changes *changes, struct words *vifs)
{
	for (size_t i = 0; i < changes->count; i++) {
		const struct change *change = &changes->change[i];

		if (change->kind == CHANGE_SET && effect_asks_share(change->path, change->param, change->to) &&
		    (!vifs->count || strcmp(vifs->word[vifs->count - 1], change->path)))
			words_append(vifs, change->path);
	}
}

static bool shares_count(const struct nnfs *fs, const struct changes *changes)
{
	struct words vifs = { 0 };
	bool count;

	note_shares(changes, &vifs);
	count = effect_shares_of(fs, &vifs);
	words_free(&vifs);
	return count;
}

static bool attachment_counts(const struct nnfs *fs, const struct change *change)
{
	char dev[IF_NAMESIZE];

	if (!effect_target(&change->target, change->path))
		return false;
	if (change->target.kind == &target_kinds[TARGET_DEVICE])
		return effect_attached_device(fs, change->target.name, change->path);
	path_device(change->path, dev);
	return effect_device(dev);
}

/* Does everything that was changed have an effect? If not, this has been reported. */
static bool is_in_force(const struct nnfs *fs, const struct changes *changes, unsigned int flags)
{
	bool is = true;

	for (size_t i = 0; i < changes->count; i++) {
		const struct change *change = &changes->change[i];

		if (change->kind == CHANGE_ATTACH && change->is_made && !attachment_counts(fs, change))
			is = false;
		if (change->param == &params[PARAM_BANDWIDTH] && !(flags & CHANGES_MORE) &&
		    !effect_attached_devices(fs, change->path))
			is = false;
	}
	return (flags & CHANGES_MORE || shares_count(fs, changes)) && is;
}

static int make_or_take_back(struct netnice *nn, struct changes *changes,
			     const char *verb, unsigned int flags)
{
	const bool is_part = flags & CHANGES_PART, is_one = !is_part && changes->count == 1;
	int status = EXIT_OK;
	sigset_t old;
	bool is_undone;
	size_t made;

	block_signals(&old);
	if (!is_one && !is_part)
		netnice_begin(nn);
	made = make_all(nn, changes, verb, flags, &status);
	is_undone = made < changes->count && nn->n_undo;
	if (made == changes->count && !is_part)
		netnice_commit(nn);
	else if (made < changes->count && !netnice_rollback(nn, say_left, (void *)verb) && is_undone)
		complain("%s: nothing was changed", verb);
	sigprocmask(SIG_SETMASK, &old, NULL);
	if (made < changes->count)
		return EXIT_KERNEL;
	return is_in_force(&nn->fs, changes, flags) ? status : EXIT_PART;
}

int changes_make(struct changes *changes, struct netnice *nn, const char *verb,
		 unsigned int flags)
{
	int status = EXIT_OK;

	if (changes->failed) {
		complain("%s: out of memory", verb);
		status = EXIT_KERNEL;
	} else if (flags & CHANGES_DRY) {
		for (size_t i = 0; i < changes->count; i++)
			print(&changes->change[i]);
	} else {
		status = make_or_take_back(nn, changes, verb, flags);
	}
	changes_free(changes);
	return status;
}

static int run(struct changes *changes, int status, struct options *options, const char *verb,
	       unsigned int flags)
{
	if (!status && options->shares)
		note_shares(changes, options->shares);
	if (!status)
		return changes_make(changes, &options->nn, verb,
				    flags | (options->verbose ? CHANGES_TELL : 0) |
				    (options->shares ? CHANGES_MORE : 0));
	changes_free(changes);
	return status;
}

int changes_run(struct changes *changes, int status, struct options *options,
		const char *verb)
{
	return run(changes, status, options, verb, 0);
}

int changes_run_part(struct changes *changes, int status, struct options *options, const char *verb)
{
	return run(changes, status, options, verb, CHANGES_PART);
}
