// SPDX-License-Identifier: GPL-2.0
/*
 * The file of save and restore: it is read line by line (lines.h), and then checked as a whole,
 * before restore.c begins.
 */
#include "wanted.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "array.h"
#include "complain.h"
#include "nearest.h"
#include "param_check.h"
#include "target_word.h"
#include "words.h"

static int out_of_memory(void)
{
	complain("out of memory");
	return EXIT_KERNEL;
}

/* --- a line --- */

static int take_path(const char *keyword, char **words, char **path)
{
	int status;

	if (!words[1] || words[2]) {
		complain("use \"%s PATH\", with one path, for example eth0/web",
			 keyword);
		return EXIT_USAGE;
	}
	status = words_take_vif("restore", words[1], path);
	if (!status)
		*path = strdup(*path);
	return status || *path ? status : out_of_memory();
}

static int take_tree(struct wanted *wanted, struct lines *lines)
{
	struct wanted_tree *tree;
	char *path;
	int status = take_path("tree", lines->words, &path);

	if (status)
		return status;
	tree = array_add(&wanted->tree, &wanted->n_trees, sizeof(*tree));
	if (!tree) {
		free(path);
		return out_of_memory();
	}
	tree->path = path;
	tree->line = lines->number;
	return EXIT_OK;
}

/* Takes @path over. */
static int add_vif(struct wanted *wanted, char *path, unsigned int line)
{
	struct wanted_vif *vif = array_add(&wanted->vif, &wanted->n_vifs,
					   sizeof(*vif));

	if (!vif) {
		free(path);
		return out_of_memory();
	}
	vif->path = path;
	vif->line = line;
	return EXIT_OK;
}

static int take_vif(struct wanted *wanted, struct lines *lines)
{
	char *path;
	int status = take_path("vif", lines->words, &path);

	return status ? status : add_vif(wanted, path, lines->number);
}

/*
 * Sizes as "save" wrote them before it wrote GB and GiB: kb, mb and gb, in small letters, were powers
 * of 1024. Return: the letter of such a word, NULL if it is none.
 */
static const char *old_size(const char *word)
{
	const char *unit = word + strspn(word, "0123456789");

	return unit > word && *unit && strchr("kmg", *unit) && !strcmp(unit + 1, "b") ? unit : NULL;
}

/* Has what the word meant then; to be freed if it is another one, NULL without memory. */
static char *todays_size(const struct param *param, char *word)
{
	const char *unit = old_size(word);
	char *size;

	if (!unit || (param != &params[PARAM_BURST] && param != &params[PARAM_LIMIT] &&
		      param != &params[PARAM_QUOTA]))
		return word;
	if (asprintf(&size, "%.*s%ciB", (int)(unit - word), word, toupper(*unit)) < 0)
		return NULL;
	complain("%s: %s is read as %s, as earlier versions wrote it: write %s, or %.*s%cB",
		 param->name, word, size, size, (int)(unit - word), word, toupper(*unit));
	return size;
}

static char *take_value(const struct param *param, char **words, size_t count)
{
	char **now = calloc(count + 1, sizeof(*now)), *value;
	bool failed = !now;

	for (size_t i = 0; now && i < count; i++) {
		now[i] = todays_size(param, words[i]);
		failed |= !now[i];
	}
	value = failed ? NULL : words_value(param, now, count);
	for (size_t i = 0; now && i < count; i++)
		if (now[i] != words[i])
			free(now[i]);
	free(now);
	return value;
}

static int take_param(struct wanted_vif *vif, const struct param *param,
		      char **words)
{
	char **place = &vif->param[param_id(param)];
	size_t count = 0;
	char *value;

	if (!words[1]) {
		complain("%s: a value is missing: %s", param->name,
			 param->syntax);
		return EXIT_USAGE;
	}
	if (*place) {
		complain("%s: given twice for %s", param->name, vif->path);
		return EXIT_USAGE;
	}
	while (words[1 + count])
		count++;
	if (words_check_units(param, words + 1, count))
		return EXIT_USAGE;
	value = take_value(param, words + 1, count);
	*place = value ? param_normal(param, value) : NULL;
	free(value);
	return *place ? EXIT_OK : out_of_memory();
}

bool wanted_keeps(const struct target_kind *kind)
{
	return kind == &target_kinds[TARGET_CGROUP] ||
	       kind == &target_kinds[TARGET_DEVICE];
}

static int check_target(const struct target_kind *kind, char **words)
{
	if (!wanted_keeps(kind))
		complain("%s: processes, threads and sockets are not kept in a file: use \"vifctl attach\"",
			 kind->word);
	else if (!words[1] || words[2])
		complain("%s: give one name: %s", kind->word,
			 kind->syntax);
	else
		return EXIT_OK;
	return EXIT_USAGE;
}

static int take_target(struct wanted_vif *vif, const struct target_kind *kind,
		       struct lines *lines)
{
	char **words = lines->words, *dir;
	int status = check_target(kind, words);
	struct wanted_link *link;

	if (status)
		return status;
	link = array_add(&vif->link, &vif->n_links, sizeof(*link));
	if (!link)
		return out_of_memory();
	link->line = lines->number;
	link->target.kind = kind;
	link->target.name = target_normal(kind, words[1]);
	if (!link->target.name)
		return out_of_memory();
	dir = kind->directory(link->target.name);
	if (!dir) {
		complain("%s: '%s' is not valid: use %s", kind->word,
			 words[1], kind->syntax);
		return EXIT_USAGE;
	}
	free(dir);
	return EXIT_OK;
}

static int unknown(const char *word)
{
	struct nearest nearest = { 0 };
	char hint[NEAREST_BYTES];

	for (size_t i = 0; i < PARAM_COUNT; i++)
		nearest_try(&nearest, word, params[i].name);
	complain("unknown word '%s'%s", word, nearest_hint(&nearest, hint));
	fputs("valid are:\n  tree PATH\n  vif PATH\n", complain_stream());
	param_list(complain_stream(), "  ");
	for (size_t i = 0; i < TARGET_KINDS; i++)
		if (wanted_keeps(&target_kinds[i]))
			fprintf(complain_stream(), "  %-15s %s\n", target_kinds[i].word,
				target_kinds[i].syntax);
	return EXIT_USAGE;
}

static int take_line(struct wanted *wanted, struct lines *lines)
{
	char **words = lines->words;
	const struct param *param = param_find(*words);
	const struct target_kind *kind = target_find(*words);
	struct wanted_vif *vif;

	if (!strcmp(*words, "tree"))
		return take_tree(wanted, lines);
	if (!strcmp(*words, "vif"))
		return take_vif(wanted, lines);
	if (!param && !kind)
		return unknown(*words);
	if (!wanted->n_vifs) {
		complain("%s: no \"vif PATH\" before it", *words);
		return EXIT_USAGE;
	}
	vif = &wanted->vif[wanted->n_vifs - 1];
	return param ? take_param(vif, param, words) :
		       take_target(vif, kind, lines);
}

/* --- the whole --- */

static int by_path(const void *a, const void *b)
{
	const struct wanted_vif *x = a, *y = b;

	return strcmp(x->path, y->path);
}

static int by_place(const void *a, const void *b)
{
	const struct wanted_vif *x = a, *y = b;
	int order = strcmp(x->path, y->path);

	return order ? order : (x->line > y->line) - (x->line < y->line);
}

struct wanted_vif *wanted_find(const struct wanted *wanted, const char *path)
{
	const struct wanted_vif key = { .path = (char *)path };

	return wanted->n_vifs ? bsearch(&key, wanted->vif, wanted->n_vifs,
					sizeof(key), by_path) : NULL;
}

static int tree_by_path(const void *a, const void *b)
{
	const struct wanted_tree *x = a, *y = b;

	return strcmp(x->path, y->path);
}

struct wanted_tree *wanted_tree_of(const struct wanted *wanted, const char *path)
{
	for (size_t i = 0; i < wanted->n_trees; i++)
		if (path_is_below(path, wanted->tree[i].path))
			return &wanted->tree[i];
	return NULL;
}

static int check_trees(struct wanted *wanted, struct lines *lines)
{
	if (!wanted->n_trees) {
		complain("%s: no \"tree PATH\" in it: what is to be restored?",
			 lines->name);
		return EXIT_USAGE;
	}
	qsort(wanted->tree, wanted->n_trees, sizeof(*wanted->tree),
	      tree_by_path);
	for (size_t i = 1; i < wanted->n_trees; i++) {
		const struct wanted_tree *tree = &wanted->tree[i];

		for (size_t j = i; j-- > 0;) {
			if (!path_is_below(tree->path, wanted->tree[j].path))
				continue;
			lines_at(lines, tree->line);
			complain("tree %s: line %u has it already", tree->path,
				 wanted->tree[j].line);
			return EXIT_USAGE;
		}
	}
	return EXIT_OK;
}

/* A device has a root VIF, whether it is mentioned or not. */
static int add_roots(struct wanted *wanted)
{
	size_t n = wanted->n_vifs;
	int status = EXIT_OK;

	for (size_t i = 0; !status && i < wanted->n_trees; i++) {
		const char *path = wanted->tree[i].path;
		bool found = strchr(path, '/');

		for (size_t j = 0; !found && j < n; j++)
			found = !strcmp(wanted->vif[j].path, path);
		if (!found) {
			char *copy = strdup(path);

			status = copy ? add_vif(wanted, copy, 0) :
					out_of_memory();
		}
	}
	return status;
}

static int check_place(const struct wanted_vif *vif)
{
	const char *slash = strrchr(vif->path, '/');

	if (!vif->tree) {
		complain("vif %s: it is in no \"tree\" of this file",
			 vif->path);
		return EXIT_USAGE;
	}
	if (vif->above || !slash || !strcmp(vif->tree->path, vif->path))
		return EXIT_OK;
	complain("vif %s: there is no \"vif %.*s\" in this file", vif->path,
		 (int)(slash - vif->path), vif->path);
	return EXIT_USAGE;
}

static int check_vif(const struct wanted *wanted, const struct wanted_vif *vif)
{
	const char *autoremove = vif->param[PARAM_AUTOREMOVE];

	if (vif > wanted->vif && !strcmp(vif[-1].path, vif->path)) {
		complain("vif %s: line %u has it already", vif->path,
			 vif[-1].line);
		return EXIT_USAGE;
	}
	if (autoremove && strcmp(autoremove, "0") && !vif->n_links &&
	    !vif->has_below) {
		complain("vif %s: autoremove, and nothing is attached: it would be removed at once",
			 vif->path);
		return EXIT_USAGE;
	}
	return check_place(vif);
}

/* By target, then by device: its name ends in a way that no other begins with. */
static int place_order(const void *a, const void *b)
{
	const struct presence *x = a, *y = b;
	int order = target_compare(&x->link->target, &y->link->target);
	char dev[2][IF_NAMESIZE];

	if (order)
		return order;
	path_device(x->vif->path, dev[0]);
	path_device(y->vif->path, dev[1]);
	return strcmp(dev[0], dev[1]);
}

/* Whatever is attached is on one VIF of a device. */
static int check_links(const struct wanted *wanted, struct lines *lines)
{
	const size_t n = wanted->n_presences - wanted->n_trees;
	struct presence *place = calloc(n + 1, sizeof(*place));
	int status = EXIT_OK;

	if (!place)
		return out_of_memory();
	memcpy(place, wanted->presence + wanted->n_trees, n * sizeof(*place));
	qsort(place, n, sizeof(*place), place_order);
	for (size_t i = 1; !status && i < n; i++) {
		const struct target *target = &place[i].link->target;

		if (place_order(&place[i - 1], &place[i]))
			continue;
		lines_at(lines, place[i].vif->line);
		complain("vif %s: %s %s is attached to %s, too", place[i].vif->path,
			 target->kind->word, target->name, place[i - 1].vif->path);
		status = EXIT_USAGE;
	}
	free(place);
	return status;
}

static struct wanted_vif *find_above(const struct wanted *wanted, const struct wanted_vif *vif)
{
	char *above = strdupa(vif->path);
	char *slash = strrchr(above, '/');

	if (!slash || !vif->tree || !strcmp(vif->tree->path, vif->path))
		return NULL;
	*slash = '\0';
	return wanted_find(wanted, above);
}

/* From now on nothing moves. */
static void connect_vifs(const struct wanted *wanted)
{
	for (size_t i = 0; i < wanted->n_vifs; i++) {
		struct wanted_vif *vif = &wanted->vif[i];

		vif->tree = wanted_tree_of(wanted, vif->path);
		vif->above = find_above(wanted, vif);
		if (vif->above)
			vif->above->has_below = true;
	}
}

static int list_presences(struct wanted *wanted)
{
	size_t n = wanted->n_trees;
	struct presence *presence;

	for (size_t i = 0; i < wanted->n_vifs; i++)
		n += wanted->vif[i].n_links;
	presence = calloc(n, sizeof(*presence));
	if (!presence)
		return out_of_memory();
	wanted->presence = presence;
	wanted->n_presences = n;
	for (size_t i = 0; i < wanted->n_trees; i++, presence++) {
		presence->tree = &wanted->tree[i];
		wanted->tree[i].device = presence;
	}
	for (size_t i = 0; i < wanted->n_vifs; i++)
		for (size_t j = 0; j < wanted->vif[i].n_links; j++, presence++) {
			presence->vif = &wanted->vif[i];
			presence->link = &wanted->vif[i].link[j];
			wanted->vif[i].link[j].presence = presence;
		}
	return EXIT_OK;
}

static int check(struct wanted *wanted, struct lines *lines)
{
	int status = check_trees(wanted, lines) ?: add_roots(wanted);

	if (status)
		return status;
	if (wanted->n_vifs)
		qsort(wanted->vif, wanted->n_vifs, sizeof(*wanted->vif),
		      by_place);
	connect_vifs(wanted);
	for (size_t i = 0; !status && i < wanted->n_vifs; i++) {
		lines_at(lines, wanted->vif[i].line);
		status = check_vif(wanted, &wanted->vif[i]);
	}
	return status ?: list_presences(wanted) ?: check_links(wanted, lines);
}

char *wanted_initial(const char *path, const struct param *param)
{
	bool is_root = !strchr(path, '/');
	char *text;

	if (param->initial)
		return strdup(param->initial);
	if (param == &params[PARAM_MODE])
		return strdup("755");
	return asprintf(&text, "%u:%u", is_root ? 0 : geteuid(),
			is_root ? 0 : getegid()) < 0 ? NULL : text;
}

static int fill(struct wanted_vif *vif)
{
	for (size_t i = 0; i < PARAM_COUNT; i++) {
		if (!vif->param[i])
			vif->param[i] = wanted_initial(vif->path, &params[i]);
		if (!vif->param[i])
			return out_of_memory();
	}
	return EXIT_OK;
}

/* Files of before may have what means nothing there: see "weight" in interface.rst. */
static int drop_root_share(struct wanted_vif *vif, const struct param *param,
			   struct lines *lines)
{
	char **value = &vif->param[param_id(param)];

	if (!*value || !strcmp(*value, param->initial))
		return EXIT_OK;
	lines_at(lines, vif->line);
	complain("vif %s: a device's root VIF has no siblings: %s is left out",
		 vif->path, param->name);
	lines_quiet();
	free(*value);
	*value = strdup(param->initial);
	return *value ? EXIT_OK : out_of_memory();
}

static bool is_as_any(const struct wanted_vif *vif)
{
	bool is = !strchr(vif->path, '/') && !vif->n_links;

	for (size_t i = 0; is && i < PARAM_COUNT; i++) {
		char *initial = wanted_initial(vif->path, &params[i]);

		is = initial && !strcmp(initial, vif->param[i]);
		free(initial);
	}
	return is;
}

static int finish(struct wanted_vif *vif, struct lines *lines)
{
	int status = EXIT_OK;

	if (!strchr(vif->path, '/'))
		status = drop_root_share(vif, &params[PARAM_WEIGHT], lines) ?:
			 drop_root_share(vif, &params[PARAM_PRIORITY], lines);
	if (!status)
		status = fill(vif);
	if (!status)
		vif->tree->matters |= !is_as_any(vif);
	return status;
}

/* --- parts --- */

bool wanted_is_tenants(char *const param[PARAM_COUNT])
{
	return strtoul(param[PARAM_OWNER], NULL, 10) != geteuid() ||
	       (strtoul(param[PARAM_MODE], NULL, 8) & (S_IWGRP | S_IWOTH));
}

static struct wanted_part *add_part(struct wanted *wanted, const struct wanted_vif *top,
				    const struct wanted_tree *tree, struct wanted_part *home)
{
	struct wanted_part *part = &wanted->part[wanted->n_parts++];

	part->top = top;
	part->home = home ?: part;
	part->home->is_shared |= home != NULL;
	part->device = tree->device;
	return part;
}

/* Trees of one device, which stand together, share what their minima are taken from. */
static struct wanted_part *part_of_tree(struct wanted *wanted, const struct wanted_tree *tree)
{
	struct wanted_part *last = wanted->n_parts ? wanted->part[wanted->n_parts - 1].home : NULL;
	char dev[IF_NAMESIZE];

	path_device(tree->path, dev);
	return last && path_is_below(last->device->tree->path, dev) ?
	       last : add_part(wanted, NULL, tree, NULL);
}

static int divide(struct wanted *wanted)
{
	const size_t most = wanted->n_trees + wanted->n_vifs;

	wanted->part = calloc(most + 1, sizeof(*wanted->part));
	if (!wanted->part)
		return out_of_memory();
	for (size_t i = 0; i < wanted->n_trees; i++)
		wanted->tree[i].part = part_of_tree(wanted, &wanted->tree[i]);
	for (size_t i = 0; i < wanted->n_vifs; i++) {
		struct wanted_vif *vif = &wanted->vif[i];

		vif->part = vif->above ? vif->above->below : vif->tree->part;
		vif->below = vif->part;
		if (!vif->part->top && wanted_is_tenants(vif->param))
			vif->below = add_part(wanted, vif, vif->tree, vif->part);
	}
	return EXIT_OK;
}

int wanted_read(struct wanted *wanted, struct lines *lines)
{
	int status = EXIT_OK, ret = 1;

	*wanted = (struct wanted) { 0 };
	while (!status && (ret = lines_next(lines)) > 0)
		status = take_line(wanted, lines);
	if (ret < 0)
		status = ferror(lines->file) ? EXIT_KERNEL : EXIT_USAGE;
	lines_quiet();
	if (!status)
		status = check(wanted, lines);
	lines_quiet();
	for (size_t i = 0; !status && i < wanted->n_vifs; i++)
		status = finish(&wanted->vif[i], lines);
	return status ?: divide(wanted);
}

static void free_vif(struct wanted_vif *vif)
{
	free(vif->path);
	for (size_t i = 0; i < PARAM_COUNT; i++)
		free(vif->param[i]);
	for (size_t i = 0; i < vif->n_links; i++)
		free(vif->link[i].target.name);
	free(vif->link);
}

void wanted_free(struct wanted *wanted)
{
	for (size_t i = 0; i < wanted->n_trees; i++)
		free(wanted->tree[i].path);
	for (size_t i = 0; i < wanted->n_vifs; i++)
		free_vif(&wanted->vif[i]);
	free(wanted->tree);
	free(wanted->vif);
	free(wanted->presence);
	free(wanted->part);
}
