// SPDX-License-Identifier: GPL-2.0
/*
 * The option netnice_stack: the texts of two files of a VIF about its user-level stack
 * (vif/stack/). "stack" has the device, "ports" the ports of the host that belong to the stack.
 * values.c has the files themselves.
 */
#include <linux/in.h>
#include <linux/module.h>
#include <linux/netdevice.h>
#include <linux/string.h>

#include "../vif/compat/export.h"
#include "../vif/grammar/units.h"
#include "../vif/stack/port.h"
#include "../vif/stack/socket.h"
#include "../vif/stack/stack.h"
#include "../vif/tree/error.h"
#include "../vif/tree/option.h"
#include "../vif/tree/tree.h"

static int nnfs_stack_set(struct vif *vif, const char *text)
{
	if (!strcmp(text, "none")) {
		vif_stack_end(vif);
		return 0;
	}
	if (!dev_valid_name(text))
		return vif_fail(vif_net_of_vif(vif), -EINVAL,
				"stack: '%s' is neither a device's name nor none", text);
	return vif_stack_begin(vif, text);
}

/**
 * struct nnfs_stack_asked - a request that is written to "ports"
 * @ends: "-": remove the port
 * @protocol: its protocol, 0 for any
 * @number: number of the port or, without a protocol, number of ports
 */
struct nnfs_stack_asked {
	bool ends;
	u8 protocol;
	int number;
};

static bool nnfs_stack_parse(const char *text, struct nnfs_stack_asked *asked)
{
	struct vif_word word;

	asked->ends = *text == '-';
	text += asked->ends;
	if (!strncmp(text, "tcp ", 4))
		asked->protocol = IPPROTO_TCP;
	else if (!strncmp(text, "udp ", 4))
		asked->protocol = IPPROTO_UDP;
	else if (!strncmp(text, "auto ", 5) && !asked->ends)
		asked->protocol = 0;
	else
		return false;
	word.text = skip_spaces(strchr(text, ' '));
	word.len = strlen(word.text);
	return !vif_parse_number(&word, &asked->number) && asked->number >= 1 &&
	       asked->number <= (asked->protocol ? U16_MAX : VIF_STACK_RUN_MAX);
}

/* The opener was in the ports' network namespace: another one may confine a process. */
static int nnfs_stack_set_port(struct vif *vif, const char *text, bool here)
{
	struct nnfs_stack_asked asked;

	if (!nnfs_stack_parse(text, &asked))
		return vif_fail(vif_net_of_vif(vif), -EINVAL,
				"ports: '%s' is not a port: write tcp NUMBER or udp NUMBER, 1 to 65535, with a leading - to remove it, or auto N, 1 to %d",
				text, VIF_STACK_RUN_MAX);
	if (!here)
		return vif_fail(vif_net_of_vif(vif), -EPERM,
				"ports: the file must be opened in the network namespace of the VIF");
	if (asked.ends)
		return vif_stack_unbind(vif, asked.protocol, asked.number);
	return asked.protocol ? vif_stack_bind(vif, asked.protocol, asked.number) :
				vif_stack_bind_run(vif, asked.number);
}

static const struct vif_stack_ops nnfs_stack_ops = {
	.option = {
		.id = VIF_OPTION_STACK,
		.owner = THIS_MODULE,
	},
	.set = nnfs_stack_set,
	.set_port = nnfs_stack_set_port,
	.show_ports = vif_stack_show_ports,
	.show_refused = vif_stack_show_refused,
	.device = __vif_stack_device,
	.leave = __vif_stack_leave,
	.device_gone = vif_stack_device_gone,
	.find_socket = vif_port_find_socket,
	.is_port = vif_port_is,
};

static int __init nnfs_stack_init(void)
{
	int err = vif_stack_init();

	if (err)
		return err;
	err = vif_option_register(&nnfs_stack_ops.option);
	if (err)
		vif_stack_exit();
	return err;
}

static void __exit nnfs_stack_exit(void)
{
	vif_option_unregister(&nnfs_stack_ops.option);
	vif_stack_exit();
}

module_init(nnfs_stack_init);
module_exit(nnfs_stack_exit);

MODULE_DESCRIPTION("Option of netnice: user-level stacks");
MODULE_VERSION(NETNICE_VERSION);
MODULE_LICENSE("GPL");
VIF_IMPORT;
