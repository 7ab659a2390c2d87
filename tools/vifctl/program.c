// SPDX-License-Identifier: GPL-2.0
/*
 * vifctl program: select the packets of a VIF that go to VIFs below it. Expressions become one
 * program of classic BPF, which returns the class of the first expression that is true. A VIF
 * without a class gets one. The expressions are stored in the file behind the instructions, so that
 * they can be shown.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "change.h"
#include "clauses.h"
#include "complain.h"
#include "effect.h"
#include "escape.h"
#include "vif_list.h"
#include "words.h"

const char program_help[] =
	"Usage: vifctl program [-v] PATH\n"
	"       vifctl program [-v] PATH [egress | ingress] { LIST | FILE | none }\n"
	"\n"
	"PATH := a VIF, for example eth0/web\n"
	"LIST := 'EXPRESSION = WHERE; ...': the first true expression decides\n"
	"EXPRESSION := syntax of pcap-filter(7): udp port 443; also dscp ef, ip dscp 46\n"
	"WHERE := the name of a child VIF; stay; drop\n"
	"FILE := a pinned eBPF program; begins with /\n"
	"\n"
	"The default is both directions. Without a program it prints the current one.";

static int take_list(struct clauses *list, char *text)
{
	char why[EXPRESSION_WHY];

	switch (clauses_read(list, text, NULL, why)) {
	case 0:
		return EXIT_OK;
	case CLAUSES_FORM:
		return usage_error("program", "%s", why);
	default:
		complain("program: %s", why);
		return EXIT_USAGE;
	}
}

/* --- classes --- */

/* Those right below a VIF, and what they have or get */
struct below {
	struct vif_list vifs;
	const char *path;
	unsigned int dirs;
	unsigned int *class[VIF_DIRS];	/* by VIF of the list, 0: none */
};

static unsigned int class_of(const struct vif_info *vif, int dir)
{
	const char *text = vif->side[dir].param[PARAM_CLASS];

	return text ? strtoul(text, NULL, 10) : 0;
}

static int below_read(struct below *below, struct options *options)
{
	const struct scope scope = { .path = below->path };

	if (options_open_genl(options))
		return EXIT_KERNEL;
	if (vif_list_get(&below->vifs, &options->genl, below->path, VIF_SETTINGS))
		return scope_failed("program", &scope, &options->nn.fs);
	for (int dir = 0; dir < VIF_DIRS; dir++) {
		below->class[dir] = calloc(below->vifs.count, sizeof(*below->class[dir]));
		if (!below->class[dir])
			return EXIT_KERNEL;
		for (size_t i = 0; i < below->vifs.count; i++)
			if (below->vifs.vif[i].depth == 1)
				below->class[dir][i] = class_of(&below->vifs.vif[i], dir);
	}
	return EXIT_OK;
}

static void below_free(struct below *below)
{
	for (int dir = 0; dir < VIF_DIRS; dir++)
		free(below->class[dir]);
	vif_list_free(&below->vifs);
}

/* One that none of them has, or 0 */
static unsigned int free_class(const struct below *below, int dir)
{
	for (unsigned int class = 1; class <= VIF_CLASS_MAX; class++) {
		size_t i = 0;

		while (i < below->vifs.count && below->class[dir][i] != class)
			i++;
		if (i == below->vifs.count)
			return class;
	}
	return 0;
}

/* Has a VIF have a class in all directions that are wanted. */
static int give_class(struct below *below, size_t i, struct changes *changes)
{
	const struct vif_info *vif = &below->vifs.vif[i];
	char text[64];

	for (int dir = 0; dir < VIF_DIRS; dir++) {
		if (!(below->dirs & 1U << dir) || below->class[dir][i])
			continue;
		below->class[dir][i] = free_class(below, dir);
		if (!below->class[dir][i]) {
			complain("program: %s: no class is left: at most %d VIFs below one have one",
				 vif->path, VIF_CLASS_MAX);
			return EXIT_KERNEL;
		}
		snprintf(text, sizeof(text), "%s %u", vif_dir_name[dir], below->class[dir][i]);
		changes_set(changes, vif->path, &params[PARAM_CLASS], text);
	}
	return EXIT_OK;
}

/* Return: its place, or -1 */
static int find_below(const struct below *below, const char *name)
{
	for (size_t i = 0; i < below->vifs.count; i++)
		if (below->vifs.vif[i].depth == 1 && !strcmp(below->vifs.vif[i].name, name))
			return i;
	return -1;
}

static int give_classes(struct below *below, const struct clauses *list, struct changes *changes)
{
	int status = EXIT_OK;

	for (size_t i = 0; !status && i < list->count; i++) {
		const char *where = list->clause[i].where;
		const int found = find_below(below, where);

		if (clause_is_verdict(&list->clause[i]))
			continue;
		if (found < 0) {
			complain("program: %s: no VIF '%s' right below it", below->path, where);
			return EXIT_KERNEL;
		}
		status = give_class(below, found, changes);
	}
	return status;
}

/* --- the program --- */

struct answering {
	const struct below *below;
	int dir;
};

static unsigned int answer(const struct clause *clause, const void *arg)
{
	const struct answering *answering = arg;
	const struct below *below = answering->below;

	if (!strcmp(clause->where, "drop"))
		return CLAUSE_DROP;
	return clause_is_verdict(clause) ? 0 :
	       below->class[answering->dir][find_below(below, clause->where)];
}

/* As the file takes it; to be freed, or NULL. */
static char *print(const struct clauses *list, const struct below *below, int dir,
		   const char *shown)
{
	const struct answering answering = { .below = below, .dir = dir };
	struct insns insns;
	char *text;

	if (clauses_join(list, answer, &answering, &insns))
		return NULL;
	text = insns_print(vif_dir_name[dir], &insns, shown);
	free(insns.insn);
	return text;
}

/* What the file has of a direction, with that before it; to be freed, or NULL. */
static char *line_of(const struct options *options, const char *path, int dir)
{
	char *text = nnfs_read_vif(&options->nn.fs, path, "program"), *line, *save;
	const size_t len = strlen(vif_dir_name[dir]);

	for (line = text ? strtok_r(text, "\n", &save) : NULL; line;
	     line = strtok_r(NULL, "\n", &save))
		if (!strncmp(line, vif_dir_name[dir], len) && line[len] == ' ')
			break;
	line = line ? strdup(line) : NULL;
	free(text);
	return line;
}

static int set_list(struct options *options, const char *path, unsigned int dirs,
		    const struct clauses *list, const char *shown, struct changes *changes)
{
	struct below below = { .path = path, .dirs = dirs };
	int status = below_read(&below, options) ?: give_classes(&below, list, changes);
	char *text;

	for (int dir = 0; !status && dir < VIF_DIRS; dir++) {
		if (!(dirs & 1U << dir))
			continue;
		text = print(list, &below, dir, shown);
		status = text ? EXIT_OK : EXIT_KERNEL;
		if (text)
			changes_set(changes, path, &params[PARAM_PROGRAM], text);
		free(text);
	}
	below_free(&below);
	return status;
}

/* None, or a file */
static int set_word(const char *path, unsigned int dirs, const char *word,
		    struct changes *changes)
{
	char *text;

	for (int dir = 0; dir < VIF_DIRS; dir++) {
		if (!(dirs & 1U << dir))
			continue;
		if (asprintf(&text, "%s %s", vif_dir_name[dir], word) < 0)
			return EXIT_KERNEL;
		changes_set(changes, path, &params[PARAM_PROGRAM], text);
		free(text);
	}
	return EXIT_OK;
}

static bool is_users(const struct options *options, const char *path, int dir)
{
	char *line = line_of(options, path, dir);
	const bool is = line && !strncmp(line + strlen(vif_dir_name[dir]), " uid ", strlen(" uid "));

	free(line);
	return is;
}

/* Whether the program decides about all packets that it names; else that was said. */
static bool is_in_force(const struct options *options, const char *path, unsigned int dirs,
			const struct clauses *list)
{
	bool is = true;

	for (size_t i = 0; i < list->count; i++)
		is = effect_clause(path, &list->clause[i], dirs) && is;
	if (dirs & EFFECT_DIR(VIF_INGRESS) && is_users(options, path, VIF_INGRESS))
		is = effect_users_program(path, list) && is;
	return is;
}

static int set(struct options *options, const char *path, unsigned int dirs, char *word)
{
	/* in one line: so it is shown, saved and given again */
	char *shown = param_squeeze(word);
	struct changes changes = { 0 };
	struct clauses list = { 0 };
	int status;

	if (!shown)
		status = EXIT_KERNEL;
	else if (!strcmp(word, "none") || *word == '/')
		status = options_open(options) ?:
			 set_word(path, dirs, word, &changes);
	else
		status = take_list(&list, word) ?: options_open(options) ?:
			 set_list(options, path, dirs, &list, shown, &changes);
	status = changes_run(&changes, status, options, "program");
	if (!status && !is_in_force(options, path, dirs, &list))
		status = EXIT_PART;
	clauses_free(&list);
	free(shown);
	return status;
}

/* --- showing it --- */

/* "uid 1000 68,48 0 0 0,...,# udp port 443 = video" */
static void show_text(char *text)
{
	char *comment = strchr(text, '#'), *number = strpbrk(text, "0123456789/");
	unsigned int uid = 0;
	bool is_users = sscanf(text, "uid %u ", &uid) == 1;

	if (is_users)
		number = strpbrk(text + strcspn(text, "0123456789"), " ");
	if (!number) {
		fputs("none", stdout);
	} else if (*number == '/') {
		escape_put(stdout, number);
	} else {
		printf("%lu instructions", strtoul(number, NULL, 10));
		if (is_users)
			printf(" of uid %u", uid);
		if (comment) {
			fputs(": ", stdout);
			escape_put(stdout, comment + 1 + strspn(comment + 1, " "));
		}
	}
	putchar('\n');
}

static int show(struct options *options, const char *path)
{
	const struct scope scope = { .path = path };
	int status = options_open(options);
	char *line;

	for (int dir = 0; !status && dir < VIF_DIRS; dir++) {
		line = line_of(options, path, dir);
		if (!line)
			return scope_failed("program", &scope, &options->nn.fs);
		printf("%-8s", vif_dir_name[dir]);
		show_text(line + strlen(vif_dir_name[dir]) + 1);
		free(line);
	}
	return status;
}

/* Direction, if there is a word of one: moves @words behind it. */
static unsigned int take_dirs(char ***words)
{
	for (int dir = 0; **words && dir < VIF_DIRS; dir++)
		if (!strcmp(**words, vif_dir_name[dir])) {
			++*words;
			return 1U << dir;
		}
	return (1U << VIF_DIRS) - 1;
}

int program_run(struct options *options, char **words)
{
	unsigned int dirs;
	char *path;
	int status;

	status = words_take_options("program", options, words, NULL) ?:
		 words_take_vif("program", *words, &path);
	if (status)
		return status;
	if (!*++words)
		return show(options, path);
	dirs = take_dirs(&words);
	if (!*words)
		return usage_error("program", "expressions are missing, or none");
	return words_end("program", words[1]) ?: set(options, path, dirs, *words);
}
