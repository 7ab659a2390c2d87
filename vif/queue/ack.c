// SPDX-License-Identifier: GPL-2.0
#include "ack.h"

#include <linux/string.h>

#define IP4_HEADER	20U
#define IP6_HEADER	40U
#define TCP_HEADER	20U

#define PROTOCOL_TCP	6

/* In the byte of TCP's flags: all flags but those of ECN, and the only flag that may be set. */
#define FLAGS_PLAIN	0x3f
#define FLAG_ACK	0x10

enum {
	OPTION_END = 0,
	OPTION_NOP = 1,
	OPTION_TIMES = 8,
	OPTION_TIMES_BYTES = 10,
};

static u32 vif_ack_u16(const u8 *bytes)
{
	return bytes[0] << 8 | bytes[1];
}

static u32 vif_ack_u32(const u8 *bytes)
{
	return vif_ack_u16(bytes) << 16 | vif_ack_u16(bytes + 2);
}

/* Returns the bytes of the TCP segment; 0 if there is none, or not all of it. */
static u32 vif_ack_parse_ip4(const u8 *ip, u32 len, struct vif_ack *ack)
{
	u32 total;

	/* neither options nor fragments */
	if (len < IP4_HEADER || ip[0] != 0x45 || vif_ack_u16(ip + 6) & 0x3fff ||
	    ip[9] != PROTOCOL_TCP)
		return 0;
	ack->ecn = ip[1];
	ack->address[0] = vif_ack_u32(ip + 12);
	ack->address[4] = vif_ack_u32(ip + 16);
	/* a link may have padded it */
	total = vif_ack_u16(ip + 2);
	return total > IP4_HEADER && total <= len ? total - IP4_HEADER : 0;
}

static u32 vif_ack_parse_ip6(const u8 *ip, u32 len, struct vif_ack *ack)
{
	unsigned int i;
	u32 payload;

	if (len < IP6_HEADER || ip[6] != PROTOCOL_TCP)
		return 0;
	ack->ecn = vif_ack_u16(ip) >> 4 & 0xff;
	for (i = 0; i < 8; i++)
		ack->address[i] = vif_ack_u32(ip + 8 + 4 * i);
	payload = vif_ack_u16(ip + 4);
	return payload <= len - IP6_HEADER ? payload : 0;
}

/* Returns false if there are options that may say something. @len: up to 40 */
static bool vif_ack_parse_options(const u8 *option, u32 len, struct vif_ack *ack)
{
	while (len && *option != OPTION_END) {
		if (*option == OPTION_NOP) {
			option++;
			len--;
			continue;
		}
		if (*option != OPTION_TIMES || len < OPTION_TIMES_BYTES ||
		    option[1] != OPTION_TIMES_BYTES || ack->has_times)
			return false;
		ack->has_times = true;
		ack->sent = vif_ack_u32(option + 2);
		ack->echoed = vif_ack_u32(option + 6);
		option += OPTION_TIMES_BYTES;
		len -= OPTION_TIMES_BYTES;
	}
	return true;
}

/* The header has to be all of the segment. */
static bool vif_ack_parse_tcp(const u8 *tcp, u32 len, struct vif_ack *ack)
{
	if (len < TCP_HEADER || (tcp[12] >> 4) * 4U != len || (tcp[13] & FLAGS_PLAIN) != FLAG_ACK)
		return false;
	ack->ports = vif_ack_u32(tcp);
	ack->seq = vif_ack_u32(tcp + 4);
	ack->ack = vif_ack_u32(tcp + 8);
	ack->ecn |= (tcp[12] & 0xf) << 16 | (tcp[13] & ~FLAGS_PLAIN) << 8;
	return vif_ack_parse_options(tcp + TCP_HEADER, len - TCP_HEADER, ack);
}

bool vif_ack_parse(const u8 *bytes, u32 len, struct vif_ack *ack)
{
	u32 header, segment;

	memset(ack, 0, sizeof(*ack));
	if (!len)
		return false;
	ack->version = bytes[0] >> 4;
	switch (ack->version) {
	case 4:
		header = IP4_HEADER;
		segment = vif_ack_parse_ip4(bytes, len, ack);
		break;
	case 6:
		header = IP6_HEADER;
		segment = vif_ack_parse_ip6(bytes, len, ack);
		break;
	default:
		return false;
	}
	return segment && vif_ack_parse_tcp(bytes + header, segment, ack);
}

bool vif_ack_covers(const struct vif_ack *later, const struct vif_ack *earlier)
{
	if (later->version != earlier->version || later->ports != earlier->ports ||
	    memcmp(later->address, earlier->address, sizeof(later->address)))
		return false;
	if (later->ecn != earlier->ecn || later->has_times != earlier->has_times)
		return false;
	return (s32)(later->ack - earlier->ack) > 0 && (s32)(later->seq - earlier->seq) >= 0 &&
	       (s32)(later->sent - earlier->sent) >= 0 &&
	       (s32)(later->echoed - earlier->echoed) >= 0;
}
