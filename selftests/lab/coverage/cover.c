// SPDX-License-Identifier: GPL-2.0
/*
 * Records which basic blocks of netnice have run. netnice is built with
 * -fsanitize-coverage=trace-pc then, which calls the function exported here from each basic
 * block. (The kernel itself has that name only if it is built with KCOV.)
 *
 * /sys/kernel/debug/netnice_coverage has a bit for each byte of netnice's text: the one at which
 * the call returns. The bits stay when netnice is unloaded and loaded again.
 */
#include <linux/bitops.h>
#include <linux/debugfs.h>
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

/* Set when netnice is loaded, before its first instruction runs; then only read. */
static unsigned long text_base;
static unsigned long text_size;
static unsigned long *blocks;
static struct debugfs_blob_wrapper blob;

void __sanitizer_cov_trace_pc(void);

void notrace __sanitizer_cov_trace_pc(void)
{
	unsigned long offset = (unsigned long)__builtin_return_address(0) - text_base;

	/* text of module_init() lies elsewhere */
	if (offset < text_size && !test_bit(offset, blocks))
		set_bit(offset, blocks);
}
EXPORT_SYMBOL(__sanitizer_cov_trace_pc);

static int cover_module_event(struct notifier_block *block, unsigned long event, void *data)
{
	struct module *module = data;
	unsigned long size;

	if (event != MODULE_STATE_COMING || strcmp(module->name, "netnice"))
		return NOTIFY_DONE;
	size = module->mem[MOD_TEXT].size;
	if (!blocks) {
		blob.size = BITS_TO_LONGS(size) * sizeof(long);
		blocks = vzalloc(blob.size);
		if (!blocks)
			return notifier_from_errno(-ENOMEM);
		blob.data = blocks;
		debugfs_create_blob("netnice_coverage", 0400, NULL, &blob);
		text_size = size;
	}
	text_base = (unsigned long)module->mem[MOD_TEXT].base;
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
