// SPDX-License-Identifier: GPL-2.0
/*
 * Two files of a VIF about its user-level stack (vif/stack/): "stack" has the device, "ports"
 * what the stack may send from, and receives.
 */
#include "stacks.h"

#include <linux/fs.h>
#include <linux/in.h>
#include <linux/netdevice.h>
#include <linux/string.h>

#include "../vif/grammar/units.h"
#include "../vif/stack/socket.h"
#include "../vif/stack/stack.h"
#include "../vif/tree/error.h"
#include "../vif/tree/tree.h"
#include "internal.h"

int nnfs_stack_store(struct file *file, struct vif *vif, char *text)
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

/* "tcp NUMBER" or "udp NUMBER" */
static int parse(const char *text, u8 *protocol, int *number)
{
	struct vif_word word;

	if (!strncmp(text, "tcp ", 4))
		*protocol = IPPROTO_TCP;
	else if (!strncmp(text, "udp ", 4))
		*protocol = IPPROTO_UDP;
	else
		return -EINVAL;
	word.text = skip_spaces(text + 4);
	word.len = strlen(word.text);
	return vif_parse_number(&word, number) ?: *number >= 1 && *number <= 65535 ? 0 : -EINVAL;
}

/* Whoever opened it has been where the ports are: a network namespace may be somebody's prison. */
int nnfs_ports_store(struct file *file, struct vif *vif, char *text)
{
	int number;
	u8 protocol;

	if (parse(text, &protocol, &number))
		return vif_fail(vif_net_of_vif(vif), -EINVAL,
				"ports: '%s' is no port: write tcp NUMBER or udp NUMBER, 1 to 65535",
				text);
	if (!nnfs_open_of(file)->here)
		return vif_fail(vif_net_of_vif(vif), -EPERM,
				"ports: the file has to be opened in the network namespace of the VIF");
	return vif_stack_bind(vif, protocol, number);
}
