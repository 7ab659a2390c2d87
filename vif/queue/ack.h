/* SPDX-License-Identifier: GPL-2.0 */
/*
 * TCP acknowledgements without data, and which of them a later acknowledgement covers. This code
 * knows no sk_buffs.
 */
#ifndef NETNICE_VIF_ACK_H
#define NETNICE_VIF_ACK_H

#include <linux/types.h>

/* A packet with the longest IPv6 and TCP headers that vif_ack_parse() accepts. */
#define VIF_ACK_MOST	100U

/**
 * struct vif_ack - a plain acknowledgement, in the host's byte order
 * @address: source and destination; IPv4 uses one word of each four
 * @ports: both
 * @seq: its own sequence number
 * @ack: what it acknowledges
 * @ecn: the bits of ECN in the TCP header, and the byte of DSCP and ECN in the IP header
 * @version: of IP
 * @has_times: it has TCP timestamps
 * @sent: the timestamp of its sender
 * @echoed: the timestamp that it echoes
 */
struct vif_ack {
	u32 address[8];
	u32 ports;
	u32 seq;
	u32 ack;
	u32 ecn;
	u8 version;
	bool has_times;
	u32 sent;
	u32 echoed;
};

/**
 * vif_ack_parse() - is a packet a plain acknowledgement?
 * @bytes: the packet from its IP header on; any bytes
 * @len: number of bytes; a longer packet than VIF_ACK_MOST is not parsed
 * @ack: result, if it is one
 *
 * A plain acknowledgement has no data, no options of IP, no options of TCP other than timestamps
 * and padding, and no flags other than ACK and those of ECN. It is no fragment.
 * Return: true if it is one.
 */
bool vif_ack_parse(const u8 *bytes, u32 len, struct vif_ack *ack);

/**
 * vif_ack_covers() - does a later acknowledgement make an earlier one useless?
 * @later: the later one
 * @earlier: the earlier one
 *
 * It must be of the same connection and acknowledge more. Duplicates, and changes of ECN's bits,
 * have a meaning of their own. The receiver must accept the later one: it ignores a segment with an
 * older sequence number (a keepalive probe) or an older timestamp.
 * Return: whether the earlier one can be dropped.
 */
bool vif_ack_covers(const struct vif_ack *later, const struct vif_ack *earlier);

#endif
