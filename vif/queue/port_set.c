// SPDX-License-Identifier: GPL-2.0
/*
 * What is set of a port and its VIFs. Under the lock, and what is changed may also be
 * that by which packets pass without it (stock.h): that is closed first.
 */
#include "port_set.h"

#include "port_priv.h"

void vif_port_set_frame(struct vif_port *port, u32 len, u32 bytes)
{
	spin_lock_bh(&port->lock);
	port->pool.frame_len = len;
	port->pool.frame_bytes = bytes;
	spin_unlock_bh(&port->lock);
}

/* What waits already has been charged for. */
void vif_port_set_link_layer(struct vif_port *port,
			     const struct vif_link_layer *layer)
{
	vif_stock_close(&port->stock);
	spin_lock_bh(&port->lock);
	__vif_stock_close(&port->stock);
	WRITE_ONCE(port->layer.has_overhead, layer->has_overhead);
	WRITE_ONCE(port->layer.overhead, layer->overhead);
	WRITE_ONCE(port->layer.mpu, layer->mpu);
	WRITE_ONCE(port->layer.framing, layer->framing);
	__vif_port_arm(port);
	spin_unlock_bh(&port->lock);
}

/* Whoever sends to us is told how much, from now on; not without memory. */
static void have_windows(struct vif_port *port)
{
	struct vif_windows *windows;

	if (port->root->dir != VIF_INGRESS || READ_ONCE(port->pool.windows))
		return;
	windows = vif_windows_alloc();
	spin_lock_bh(&port->lock);
	if (!port->pool.windows) {
		WRITE_ONCE(port->pool.windows, windows);
		windows = NULL;
	}
	spin_unlock_bh(&port->lock);
	vif_windows_free(windows);
}

void vif_port_set_clock(struct vif_port *port, struct vif_side *side, u64 rate,
			u64 burst, u32 longest)
{
	if (rate != VSCHED_RATE_MAX)
		have_windows(port);
	vif_stock_close(&port->stock);
	spin_lock_bh(&port->lock);
	__vif_stock_close(&port->stock);
	vsched_node_set_clock(&port->tree, &side->node, rate, burst, longest,
			      ktime_get_ns());
	__vif_port_arm(port);
	spin_unlock_bh(&port->lock);
}

void vif_port_set_minimum(struct vif_port *port, struct vif_side *side, u64 rate,
			  u64 burst)
{
	spin_lock_bh(&port->lock);
	vsched_node_set_minimum(&side->node, side->floor, rate, burst,
				ktime_get_ns());
	spin_unlock_bh(&port->lock);
}

void vif_port_set_share(struct vif_port *port, struct vif_side *side,
			enum vif_share which, unsigned int weight,
			unsigned int priority)
{
	spin_lock_bh(&port->lock);
	if (which == VIF_SHARE_LOCAL)
		vsched_node_set_own_share(&side->node, weight, priority);
	else
		vsched_node_set_share(&side->node, weight, priority,
				      ktime_get_ns());
	spin_unlock_bh(&port->lock);
}

void vif_port_set_fair(struct vif_port *port, struct vif_side *side,
		       struct vsched_fair *fair)
{
	spin_lock_bh(&port->lock);
	vsched_node_set_fair(&side->node, fair);
	spin_unlock_bh(&port->lock);
}

void vif_port_set_parent(struct vif_port *port, struct vif_side *side,
			 struct vif_side *parent)
{
	vif_stock_close(&port->stock);
	spin_lock_bh(&port->lock);
	/* what has passed by now is counted where it has: all of it, before the move */
	__vif_stock_fold(&port->stock);
	__vif_stock_close(&port->stock);
	vsched_node_move(&port->tree, &side->node, &parent->node, ktime_get_ns());
	__vif_port_arm(port);
	spin_unlock_bh(&port->lock);
}

void vif_port_set_config(struct vif_port *port, struct vif_side *side,
			 const struct p_queue_config *config)
{
	struct vsched_path path;

	spin_lock_bh(&port->lock);
	side->config = *config;
	vsched_path_get(&side->node, &path);
	if (side->queue)
		p_queue_adapt(&side->queue->params, &side->config, port->pool.frame_bytes, &path);
	spin_unlock_bh(&port->lock);
}
