// SPDX-License-Identifier: GPL-2.0
/*
 * Records which basic blocks of netnice and its options have run. They are built with
 * -fsanitize-coverage=trace-pc then, which calls the function exported here from each basic
 * block. (The kernel itself has that name only if it is built with KCOV.)
 *
 * /sys/kernel/debug/netnice_coverage has a bit for each byte of their text: the one at which the
 * call returns. Each module has SLOT bits, in the order of COVER_MODULES, the top Kbuild's list. The
 * bits stay when a module is unloaded and loaded again.
 */
#include <linux/bitops.h>
#include <linux/debugfs.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

/* More than the text of any. */
#define SLOT		(1UL << 21)
#define MODULES_MAX	8

/* Set when the module is loaded, before its first instruction runs; then only read. */
static struct {
	unsigned long base;
	unsigned long size;
} text[MODULES_MAX];

static unsigned int n_text;
static unsigned long *blocks;
static struct debugfs_blob_wrapper blob;

void __sanitizer_cov_trace_pc(void);

void notrace __sanitizer_cov_trace_pc(void)
{
	unsigned long at = (unsigned long)__builtin_return_address(0), bit;
	unsigned int i;

	/* text of module_init() lies elsewhere */
	for (i = 0; i < n_text; i++) {
		bit = i * SLOT + at - text[i].base;
		if (at - text[i].base < text[i].size && !test_bit(bit, blocks))
			set_bit(bit, blocks);
	}
}
EXPORT_SYMBOL(__sanitizer_cov_trace_pc);

/* The place of a module in the list, or -1. */
static int cover_index(const char *name)
{
	static const char list[] = COVER_MODULES;
	const char *word = list;
	int i;

	for (i = 0; i < MODULES_MAX && *word; i++) {
		size_t len = strcspn(word, " ");

		if (len == strlen(name) + 2 && !strncmp(word, name, len - 2))
			return i;
		word += len + strspn(word + len, " ");
	}
	return -1;
}

static int cover_module_event(struct notifier_block *block, unsigned long event, void *data)
{
	struct module *module = data;
	int i = event == MODULE_STATE_COMING ? cover_index(module->name) : -1;

	if (i < 0)
		return NOTIFY_DONE;
	if (!blocks) {
		blob.size = MODULES_MAX * SLOT / BITS_PER_BYTE;
		blocks = vzalloc(blob.size);
		if (!blocks)
			return notifier_from_errno(-ENOMEM);
		blob.data = blocks;
		debugfs_create_blob("netnice_coverage", 0400, NULL, &blob);
	}
	text[i].base = (unsigned long)module->mem[MOD_TEXT].base;
	text[i].size = min_t(unsigned long, module->mem[MOD_TEXT].size, SLOT);
	n_text = max_t(unsigned int, n_text, i + 1);
	return NOTIFY_DONE;
}

static struct notifier_block cover_notifier = { .notifier_call = cover_module_event };

static int __init cover_init(void)
{
	return register_module_notifier(&cover_notifier);
}
module_init(cover_init);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Records which basic blocks of netnice have run");
