// SPDX-License-Identifier: GPL-2.0
/*
 * The file "program" of a VIF, which selects a VIF below for each of its packets. A write begins
 * with a direction, or is for both. "none" removes the program; other text is for the option that
 * makes programs (program_text.c), which the first one loads.
 */
#include "programs.h"

#include <linux/bits.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/string.h>

#include "../vif/grammar/params.h"
#include "../vif/tree/option.h"
#include "../vif/tree/program.h"
#include "internal.h"

/* Parse the directions of a text, and move @text behind them. */
static unsigned int nnfs_program_parse_dirs(char **text)
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

struct vif_program *nnfs_program_make(struct vif_net *vn, bool filter, char *text)
{
	const struct vif_option *option = vif_option_load(vn, VIF_OPTION_PROGRAM);
	struct vif_program *program;

	if (IS_ERR(option))
		return ERR_CAST(option);
	if (filter)
		program = vif_program_maker_of(option)->make_filter(vn, text);
	else
		program = vif_program_maker_of(option)->make(vn, text);
	vif_option_put(option);
	return program;
}

int nnfs_program_store(struct file *file, struct vif *vif, char *text)
{
	unsigned int dirs = nnfs_program_parse_dirs(&text);
	struct vif_program *program = NULL;

	if (strcmp(text, "none"))
		program = nnfs_program_make(vif_net_of_vif(vif), false, text);
	if (IS_ERR(program))
		return PTR_ERR(program);
	return vif_program_set(vif, dirs, program);
}
