// SPDX-License-Identifier: GPL-2.0
/*
 * Pinned objects outlive the daemon: VIFs keep their programs, and a restarted daemon continues
 * with the table. A program is always created again, which takes no time: so it does not matter
 * which daemon has created the old one, and from which rules.
 */
#include "program.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "act.h"
#include "bpf.h"
#include "log.h"
#include "names.h"
#include "translate.h"

#define FOLDER		BPF_FOLDER "/netnice"
#define TABLE		"names"

/* Addresses of all names of a VIF */
#define ADDRESSES	16384

/* --- where things are pinned --- */

/* Letters and digits of the VIF's path, and _XX: there no name may have a dot. */
static int folder_of(char folder[PATH_MAX], const char *vif)
{
	char name[NAME_MAX + 1];
	size_t len = 0;

	for (; *vif; vif++) {
		if (len + 3 > NAME_MAX) {
			errno = ENAMETOOLONG;
			return -1;
		}
		len += sprintf(name + len, isalnum((unsigned char)*vif) ? "%c" : "_%02x",
			       (unsigned char)*vif);
	}
	snprintf(folder, PATH_MAX, FOLDER "/%s", name);
	return 0;
}

/* The opposite, of a name in that folder; @vif has room for all of it. */
static void vif_of(const char *name, char *vif)
{
	unsigned int byte;

	for (; *name; name++)
		if (*name == '_' && sscanf(name, "_%2x", &byte) == 1) {
			*vif++ = byte;
			name += strlen(name) < 2 ? strlen(name) - 1 : 2;
		} else {
			*vif++ = *name;
		}
	*vif = '\0';
}

/* A mount may leave the file system open to all: the folder could be another user's. */
static bool is_own(const char *folder)
{
	struct stat st;

	return !lstat(folder, &st) && S_ISDIR(st.st_mode) && st.st_uid == geteuid() &&
	       !(st.st_mode & 022);
}

static int make_own(const char *folder)
{
	if (mkdir(folder, 0700) && errno != EEXIST)
		return -1;
	if (is_own(folder))
		return 0;
	errno = EPERM;
	return -1;
}

static int make_folder(const char *folder)
{
	return make_own(FOLDER) ?: make_own(folder);
}

/* Its own, or a new one */
static int open_table(const char *folder)
{
	char path[PATH_MAX];
	int fd;

	snprintf(path, sizeof(path), "%.*s/" TABLE, PATH_MAX - 16, folder);
	fd = bpf_pinned(path);
	if (fd >= 0)
		return fd;
	fd = bpf_table(ADDRESSES);
	if (fd >= 0 && bpf_pin(fd, path)) {
		close(fd);
		return -1;
	}
	return fd;
}

/* --- giving one --- */

struct answering {
	const struct rules *rules;
	const struct vif_section *vif;
	int dir;
};

static unsigned int answer(const struct clause *clause, const void *arg)
{
	const struct answering *answering = arg;

	if (!strcmp(clause->where, "drop"))
		return CLAUSE_DROP;
	return rules_class_below(answering->rules, answering->vif, clause->where, answering->dir);
}

static int load(const struct rules *rules, const struct vif_section *vif, int dir, int table)
{
	const struct answering answering = { .rules = rules, .vif = vif, .dir = dir };
	struct bpf_insn *insn;
	struct insns insns;
	size_t count;
	int fd;

	if (clauses_join(&vif->clauses, answer, &answering, &insns))
		return -1;
	insn = translate(&insns, &vif->names, dir == VIF_INGRESS, table, &count);
	free(insns.insn);
	if (!insn)
		return -1;
	fd = bpf_load(insn, count);
	free(insn);
	return fd;
}

/* The one before is the VIF's until this is. */
static int pin_new(const char *path, int fd)
{
	if (unlink(path) && errno != ENOENT)
		return -1;
	return bpf_pin(fd, path);
}

static int give_dir(const struct rules *rules, const struct vif_section *vif, int dir,
		    const char *folder, int table)
{
	char path[PATH_MAX], text[PATH_MAX + 16];
	int fd = load(rules, vif, dir, table), ret;

	if (fd < 0)
		return -1;
	snprintf(path, sizeof(path), "%.*s/%s", PATH_MAX - 16, folder, vif_dir_name[dir]);
	ret = pin_new(path, fd);
	close(fd);
	if (ret)
		return -1;
	/* says itself what it thinks of it */
	snprintf(text, sizeof(text), "%s %s", vif_dir_name[dir], path);
	act_set(vif->path, "program", text);
	return 0;
}

static int give(const struct rules *rules, const struct vif_section *vif)
{
	char folder[PATH_MAX], device[IF_NAMESIZE];
	int table, ret = 0;

	if (folder_of(folder, vif->path) || make_folder(folder))
		return -1;
	table = open_table(folder);
	if (table < 0)
		return -1;
	for (int dir = 0; !ret && dir < VIF_DIRS; dir++)
		ret = give_dir(rules, vif, dir, folder, table);
	if (ret || !vif->names.count) {
		close(table);
		return ret;
	}
	path_device(vif->path, device);
	names_follow(&vif->names, device, table);
	return 0;
}

/* If it is there, and is to have one. Says why not. */
static void give_to(const struct rules *rules, const struct vif_section *vif)
{
	if (!vif->program || !act_is_vif(vif->path))
		return;
	if (act_is_dry()) {
		act_set(vif->path, "program", "(what the rules say)");
		return;
	}
	if (!give(rules, vif))
		return;
	log_say(LOG_ERROR, "%s:%u: [vif %s]: program: %s%s", vif->place.file, vif->place.line,
		vif->path, strerror(errno),
		errno == EPERM || errno == ENOENT || errno == EROFS ?
		": want a file system of type bpf at " BPF_FOLDER ", and CAP_BPF" : "");
}

/* --- taking it away --- */

static bool has(const char *vif, const char *folder)
{
	char *text = act_read(vif, "program");
	const bool found = text && strstr(text, folder);

	free(text);
	return found;
}

static void take_away(const char *vif, const char *folder)
{
	static const char *const pinned[] = { TABLE, "egress", "ingress" };
	char path[PATH_MAX];

	if (act_is_vif(vif) && has(vif, folder))
		act_set(vif, "program", "none");
	for (size_t i = 0; i < sizeof(pinned) / sizeof(*pinned); i++) {
		snprintf(path, sizeof(path), "%.*s/%s", PATH_MAX - 16, folder, pinned[i]);
		unlink(path);
	}
	rmdir(folder);
}

static void take_others(const struct rules *rules)
{
	char vif[NAME_MAX + 1], folder[PATH_MAX];
	DIR *dir = is_own(FOLDER) ? opendir(FOLDER) : NULL;
	const struct vif_section *section;
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		vif_of(entry->d_name, vif);
		section = rules_find_vif(rules, vif);
		snprintf(folder, sizeof(folder), FOLDER "/%s", entry->d_name);
		if (!section || !section->program)
			take_away(vif, folder);
	}
	if (dir)
		closedir(dir);
}

void programs_update(const struct rules *rules)
{
	names_forget(NULL);
	if (!act_is_dry())
		take_others(rules);
	for (size_t i = 0; i < rules->vifs; i++)
		give_to(rules, &rules->vif[i]);
}

void programs_update_device(const struct rules *rules, const char *device)
{
	names_forget(device);
	for (size_t i = 0; i < rules->vifs; i++)
		if (path_is_below(rules->vif[i].path, device))
			give_to(rules, &rules->vif[i]);
}
