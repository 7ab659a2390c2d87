/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NETNICE_VIF_PORT_SET_H
#define NETNICE_VIF_PORT_SET_H

#include "port.h"

/**
 * vif_port_set_frame() - the device's MTU is new, or what packets cost
 * @port: the port
 * @len: of a full frame
 * @bytes: what it costs
 *
 * Context: process.
 */
void vif_port_set_frame(struct vif_port *port, u32 len, u32 bytes);

/**
 * vif_port_set_link_layer() - packets cost something else from now on
 * @port: the port
 * @layer: is copied
 *
 * Context: process; the tree mutex is held.
 */
void vif_port_set_link_layer(struct vif_port *port,
			     const struct vif_link_layer *layer);

/**
 * vif_port_set_clock() - set a VIF's clock
 * @port: the port
 * @side: the VIF
 * @rate: bytes per second or VSCHED_RATE_MAX
 * @burst: bytes
 * @longest: bytes of a packet that passes whole
 *
 * Context: process.
 */
void vif_port_set_clock(struct vif_port *port, struct vif_side *side, u64 rate,
			u64 burst, u32 longest);

/**
 * vif_port_set_minimum() - set what a VIF gets before its siblings share
 * @port: the port
 * @side: the VIF, not the root; it has memory for it
 * @rate: bytes per second, 0 for none
 * @burst: bytes
 *
 * Context: process.
 */
void vif_port_set_minimum(struct vif_port *port, struct vif_side *side, u64 rate,
			  u64 burst);

/**
 * vif_port_set_share() - set weight and priority
 * @port: the port
 * @side: the VIF
 * @which: its own among its siblings, or those of what is attached to it
 * @weight: 1 to VSCHED_WEIGHT_MAX
 * @priority: below VSCHED_PRIORITIES
 *
 * Context: process.
 */
void vif_port_set_share(struct vif_port *port, struct vif_side *side,
			enum vif_share which, unsigned int weight,
			unsigned int priority);

/**
 * vif_port_set_fair() - prepare a VIF for its first child
 * @port: the port
 * @side: the VIF
 * @fair: zeroed memory; lives as long as @side
 *
 * Context: process.
 */
void vif_port_set_fair(struct vif_port *port, struct vif_side *side,
		       struct vsched_fair *fair);

/**
 * vif_port_set_parent() - have a VIF be drained by another one
 * @port: the port
 * @side: the VIF
 * @parent: which is prepared for children, and not below @side
 *
 * Context: process.
 */
void vif_port_set_parent(struct vif_port *port, struct vif_side *side,
			 struct vif_side *parent);

/**
 * vif_port_set_config() - set limit and AQM
 * @port: the port
 * @side: the VIF
 * @config: is copied
 *
 * Context: process.
 */
void vif_port_set_config(struct vif_port *port, struct vif_side *side,
			 const struct p_queue_config *config);

#endif
