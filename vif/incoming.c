// SPDX-License-Identifier: GPL-2.0
#include "incoming.h"

#include <linux/percpu.h>
#include <linux/sched.h>

#include "compat/hooks.h"

/*
 * struct incoming - what a CPU is receiving
 * @port: the device, NULL for none
 * @task: in whose context: a real-time kernel may interrupt that for another one
 */
struct incoming {
	struct net_device *port;
	struct task_struct *task;
};

static DEFINE_PER_CPU(struct incoming, incoming);

void vif_incoming_receive(struct sk_buff *skb)
{
	struct incoming was = *this_cpu_ptr(&incoming);

	*this_cpu_ptr(&incoming) = (struct incoming) { skb->dev, current };
	vif_skip_ingress_hook(skb);
	skb_reset_redirect(skb);
	netif_receive_skb_core(skb);
	*this_cpu_ptr(&incoming) = was;
}

static struct net_device *receiving(void)
{
	const struct incoming *now = this_cpu_ptr(&incoming);

	return now->task == current ? now->port : NULL;
}

struct net_device *vif_incoming_below(struct net_device *dev)
{
	struct net_device *port = receiving();

	return port && netdev_has_upper_dev_all_rcu(port, dev) ? port : NULL;
}

bool vif_incoming_is(const struct net_device *dev)
{
	return receiving() == dev;
}

/*
 * Who takes it from the device finds it again as it is: only where another device may hand
 * it up it makes a difference.
 */
unsigned int vif_incoming_hook(void *priv, struct sk_buff *skb,
			       const struct nf_hook_state *state)
{
	if (!rcu_access_pointer(skb->dev->rx_handler) ||
	    vif_incoming_below(skb->dev) || !vif_incoming_possible(skb->dev))
		return NF_ACCEPT;
	vif_incoming_receive(skb);
	return NF_STOLEN;
}
