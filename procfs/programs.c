// SPDX-License-Identifier: GPL-2.0
/*
 * A file of a VIF: "program", which says of its packets to which VIF below they go. It takes
 * none, the path of a pinned program of eBPF, or one of classic BPF as text: how many
 * instructions, and the four numbers of each, as "tcpdump -ddd" prints them.
 */
#include "programs.h"

#include <linux/bits.h>
#include <linux/err.h>
#include <linux/filter.h>
#include <linux/fs.h>
#include <linux/kstrtox.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../vif/attach/program.h"
#include "../vif/grammar/params.h"
#include "../vif/tree/error.h"
#include "internal.h"

/* Between numbers; a line's end is shown as a comma. */
static const char between[] = " ,\n\t";

/* The next number; false if there is none, or it is too large. */
static bool take_number(char **text, u32 most, u32 *number)
{
	char *word;

	do
		word = strsep(text, between);
	while (word && !*word);
	return word && !kstrtou32(word, 10, number) && *number <= most;
}

static bool take_insn(char **text, struct sock_filter *insn)
{
	u32 code, jt, jf;

	if (!take_number(text, U16_MAX, &code) || !take_number(text, U8_MAX, &jt) ||
	    !take_number(text, U8_MAX, &jf) || !take_number(text, U32_MAX, &insn->k))
		return false;
	insn->code = code;
	insn->jt = jt;
	insn->jf = jf;
	return true;
}

static struct vif_program *wrong_text(struct vif_net *vn, const char *shown)
{
	return ERR_PTR(vif_fail(vn, -EINVAL,
				"program: '%.64s' is neither none, nor the path of a pinned eBPF program, nor as many instructions of classic BPF as it says, each of four numbers, as tcpdump -ddd prints them",
				shown));
}

/* @text: is taken apart; @shown: as for vif_program_make() */
static struct vif_program *make(struct vif_net *vn, char *text, char *shown)
{
	struct vif_program *program;
	struct sock_filter *insns;
	u32 length, i;

	if (!take_number(&text, U16_MAX, &length) || !length)
		return wrong_text(vn, shown);
	insns = kvmalloc_array(length, sizeof(*insns), GFP_KERNEL_ACCOUNT);
	if (!insns)
		return ERR_PTR(-ENOMEM);
	for (i = 0; i < length && take_insn(&text, &insns[i]); i++)
		;
	if (i < length || text)
		program = wrong_text(vn, shown);
	else
		program = vif_program_make(vn, insns, length, shown);
	kvfree(insns);
	return program;
}

/* Directions that a text is for, and what is behind them. */
static unsigned int take_dirs(char **text)
{
	enum vif_dir dir;
	size_t len;

	for (dir = 0; dir < VIF_DIRS; dir++) {
		len = strlen(vif_dir_name[dir]);
		if (!strncmp(*text, vif_dir_name[dir], len) && (*text)[len] == ' ') {
			*text = skip_spaces(*text + len);
			return BIT(dir);
		}
	}
	return BIT(VIF_DIRS) - 1;
}

static struct vif_program *parse(struct vif_net *vn, char *text)
{
	char *shown = kstrdup(text, GFP_KERNEL_ACCOUNT);
	struct vif_program *program;

	if (!shown)
		return ERR_PTR(-ENOMEM);
	strreplace(shown, '\n', ',');
	program = *text == '/' ? vif_program_load(vn, shown) : make(vn, text, shown);
	if (IS_ERR(program))
		kfree(shown);
	return program;
}

int nnfs_program_store(struct file *file, struct vif *vif, char *text)
{
	unsigned int dirs = take_dirs(&text);
	struct vif_net *vn = vif_net_of_vif(vif);
	struct vif_program *program = NULL;
	int err;

	if (strcmp(text, "none")) {
		err = vif_program_may_make(vn);
		program = err ? ERR_PTR(err) : parse(vn, text);
	}
	if (IS_ERR(program))
		return PTR_ERR(program);
	return vif_program_set(vif, dirs, program);
}
