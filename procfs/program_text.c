// SPDX-License-Identifier: GPL-2.0
/*
 * The option netnice_program: make programs of the text that is written to the file "program" of a
 * VIF (programs.c) or "relay_program" of a socket (relays.c), and call vif/program/. The text is
 * the path of a pinned eBPF program, or a classic BPF program: the number of instructions, the four
 * numbers of each as "tcpdump -ddd" prints them, and after a "#" a comment of the author. An
 * optional prefix has the rights, as the file shows them: so a user's program that is installed
 * again keeps the user's rights.
 */
#include <linux/cred.h>
#include <linux/ctype.h>
#include <linux/err.h>
#include <linux/filter.h>
#include <linux/kstrtox.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../vif/compat/export.h"
#include "../vif/program/program.h"
#include "../vif/tree/access.h"
#include "../vif/tree/error.h"
#include "../vif/tree/net.h"
#include "../vif/tree/option.h"
#include "../vif/tree/program.h"

/* Longest text of a user's program, in bytes. The text is kept, with its comment. */
#define USERS_TEXT	(16 << 10)

/* Separators of numbers. A line's end is shown as a comma. */
static const char between[] = " ,\n\t";

/* Parse the next number. Return false if there is none, or it is larger than @most. */
static bool nnfs_program_parse_number(char **text, u32 most, u32 *number)
{
	char *word;

	do
		word = strsep(text, between);
	while (word && !*word);
	return word && !kstrtou32(word, 10, number) && *number <= most;
}

static bool nnfs_program_parse_insn(char **text, struct sock_filter *insn)
{
	u32 code, jt, jf;

	if (!nnfs_program_parse_number(text, U16_MAX, &code) ||
	    !nnfs_program_parse_number(text, U8_MAX, &jt) ||
	    !nnfs_program_parse_number(text, U8_MAX, &jf) ||
	    !nnfs_program_parse_number(text, U32_MAX, &insn->k))
		return false;
	insn->code = code;
	insn->jt = jt;
	insn->jf = jf;
	return true;
}

static struct vif_program *nnfs_program_wrong_text(struct vif_net *vn, const char *shown)
{
	return ERR_PTR(vif_fail(vn, -EINVAL,
				"program: '%.64s' is neither none, nor the path of a pinned eBPF program, nor as many instructions of classic BPF as it says, each of four numbers, as tcpdump -ddd prints them",
				shown));
}

/* @text: is modified; @shown: as for vif_program_make() */
static struct vif_program *
nnfs_program_create(struct vif_net *vn, u32 user, char *text, char *shown)
{
	struct vif_program *program;
	struct sock_filter *insns;
	u32 length, i;

	if (!nnfs_program_parse_number(&text, U16_MAX, &length) || !length)
		return nnfs_program_wrong_text(vn, shown);
	if (user && strlen(shown) > USERS_TEXT)
		return ERR_PTR(vif_fail(vn, -E2BIG, "program: a user's program may have %u characters",
					USERS_TEXT));
	insns = kvmalloc_array(length, sizeof(*insns), GFP_KERNEL_ACCOUNT);
	if (!insns)
		return ERR_PTR(-ENOMEM);
	for (i = 0; i < length && nnfs_program_parse_insn(&text, &insns[i]); i++)
		;
	if (i < length || (text && *text != '#'))
		program = nnfs_program_wrong_text(vn, shown);
	else
		program = vif_program_make(vn, user, insns, length, shown);
	kvfree(insns);
	return program;
}

static bool nnfs_program_is_roots(struct vif_net *vn, kuid_t uid)
{
	return uid_eq(uid, GLOBAL_ROOT_UID) || uid_eq(uid, make_kuid(vn->user_ns, 0));
}

/*
 * Parse "uid N" or "admin", if the text begins with it. @user: set to the argument of
 * vif_program_make()
 */
static int nnfs_program_parse_user(struct vif_net *vn, char **text, u32 *user)
{
	const bool admin = vif_access_admin(vn);
	kuid_t uid = current_fsuid();
	bool all = admin;
	u32 number;

	if (!strncmp(*text, "admin ", 6)) {
		*text = skip_spaces(*text + 6);
		all = true;
	} else if (!strncmp(*text, "uid ", 4)) {
		*text += 4;
		if (!nnfs_program_parse_number(text, U32_MAX, &number) || !*text)
			return vif_fail(vn, -EINVAL, "program: uid must be followed by a number and a program");
		*text = skip_spaces(*text);
		uid = make_kuid(current_user_ns(), number);
		all = false;
	}
	if (!uid_valid(uid))
		return vif_fail(vn, -EINVAL, "program: there is no user with this number");
	/* the kernel's own sockets belong to root, and some of them carry other users' data */
	if (!admin && (all || !uid_eq(uid, current_fsuid()) || nnfs_program_is_roots(vn, uid)))
		return vif_fail(vn, -EPERM,
				"program: a program with another user's rights requires CAP_NET_ADMIN over the network namespace when the file is opened");
	*user = all ? 0 : vif_program_user(uid);
	return 0;
}

static struct vif_program *nnfs_program_load(struct vif_net *vn, u32 user, char *shown)
{
	if (!user)
		return vif_program_load(vn, shown);
	return ERR_PTR(vif_fail(vn, -EPERM,
				"program: an eBPF program has an administrator's rights: it requires CAP_NET_ADMIN over the network namespace when the file is opened, and no uid before it"));
}

static struct vif_program *
nnfs_program_make_or_load(struct vif_net *vn, u32 user, char *text, bool loads)
{
	struct vif_program *program;
	char *shown, *c;

	shown = kstrdup(text, GFP_KERNEL_ACCOUNT);
	if (!shown)
		return ERR_PTR(-ENOMEM);
	for (c = shown; *c; c++)
		if (iscntrl(*c))
			*c = ',';
	program = loads ? nnfs_program_load(vn, user, shown) :
			  nnfs_program_create(vn, user, text, shown);
	if (IS_ERR(program))
		kfree(shown);
	return program;
}

/* Rights come first: others learn nothing of paths, and nothing is done for them. */
static struct vif_program *nnfs_program_parse(struct vif_net *vn, char *text)
{
	u32 user;
	int err = nnfs_program_parse_user(vn, &text, &user);

	if (err)
		return ERR_PTR(err);
	return nnfs_program_make_or_load(vn, user, text, *text == '/');
}

/* "relay_program" is no interface for other users' rights, or for eBPF. */
static struct vif_program *nnfs_program_parse_filter(struct vif_net *vn, char *text)
{
	u32 user = vif_access_admin(vn) ? 0 : vif_program_user(current_fsuid());

	return nnfs_program_make_or_load(vn, user, text, false);
}

static const struct vif_program_maker nnfs_program_maker = {
	.option = {
		.id = VIF_OPTION_PROGRAM,
		.owner = THIS_MODULE,
	},
	.make = nnfs_program_parse,
	.make_filter = nnfs_program_parse_filter,
};

static int __init nnfs_program_init(void)
{
	return vif_option_register(&nnfs_program_maker.option);
}

static void __exit nnfs_program_exit(void)
{
	vif_option_unregister(&nnfs_program_maker.option);
	vif_program_exit();
}

module_init(nnfs_program_init);
module_exit(nnfs_program_exit);

MODULE_DESCRIPTION("Option of netnice: BPF programs of VIFs");
MODULE_VERSION(NETNICE_VERSION);
MODULE_LICENSE("GPL");
VIF_IMPORT;
