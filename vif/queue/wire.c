// SPDX-License-Identifier: GPL-2.0
#include "wire.h"

#include <linux/kernel.h>
#include <linux/minmax.h>

static u32 vif_wire_sound_header(u32 len, u32 header)
{
	return header <= min(len, VIF_GSO_HEADER_MOST) ? header : 0;
}

bool vif_gso_is_sound(u32 len, u32 header, u32 size)
{
	u64 segments;

	if (!header || header > VIF_GSO_HEADER_MOST || len <= header || !size ||
	    size > VIF_GSO_SIZE_MOST)
		return false;
	segments = (len - header - 1) / size + 1;
	return segments <= VIF_GSO_SEGMENTS_MOST &&
	       len + (segments - 1) * header <= VIF_WIRE_MOST / 2;
}

struct vif_gso vif_gso_by_size(u32 len, u32 header, u32 tag, u32 size)
{
	struct vif_gso gso = { min(len, VIF_WIRE_MOST), 0, tag, 0, 1 };

	gso.header = vif_wire_sound_header(gso.len, header);
	if (!size || gso.len - gso.header <= size)
		return gso;
	gso.size = size;
	gso.segments = min((gso.len - gso.header - 1) / size + 1, VIF_GSO_SEGMENTS_MOST);
	return gso;
}

struct vif_gso vif_gso_by_count(u32 len, u32 header, u32 tag, u32 count)
{
	struct vif_gso gso = { min(len, VIF_WIRE_MOST), 0, tag, 0, 1 };

	gso.header = vif_wire_sound_header(gso.len, header);
	gso.segments = clamp(count, 1U, VIF_GSO_SEGMENTS_MOST);
	gso.size = (gso.len - gso.header) / gso.segments;
	return gso;
}

struct vif_wire vif_gso_wire(const struct vif_gso *gso)
{
	u32 more = (gso->segments - 1) * (gso->header + gso->tag);

	return (struct vif_wire) {
		.bytes = min(gso->len + gso->tag + more, VIF_WIRE_MOST),
		.packets = gso->segments,
	};
}

/* With all segments in one piece there would be nothing to cut, which the core refuses. */
u32 vif_gso_together(const struct vif_gso *gso, u32 most)
{
	u32 fit = (VIF_GSO_SIZE_MOST - gso->header) / max(gso->size, 1U);

	return max(min3(most, fit, gso->segments - 1), 1U);
}

u32 vif_link_layer_bytes(const struct vif_link_layer *layer, u32 bytes, u32 header)
{
	int n;

	bytes = min(bytes, VIF_WIRE_MOST);
	n = bytes;
	if (READ_ONCE(layer->has_overhead))
		n += READ_ONCE(layer->overhead) - (int)min(header, bytes);
	n = max3(n, (int)READ_ONCE(layer->mpu), 1);
	switch (READ_ONCE(layer->framing)) {
	case VIF_FRAMING_ATM:
		n = DIV_ROUND_UP(n, 48) * 53;
		break;
	case VIF_FRAMING_PTM:
		n += DIV_ROUND_UP(n, 64);
		break;
	}
	return min((u32)n, VIF_WIRE_MOST);
}

u32 vif_link_layer_gso_bytes(const struct vif_link_layer *layer, const struct vif_gso *gso,
			     u32 header)
{
	u32 each = gso->header + gso->tag + gso->size, others = gso->segments - 1;
	u32 last = gso->len + gso->tag - others * gso->size;
	u64 bytes;

	header += gso->tag;
	bytes = (u64)others * vif_link_layer_bytes(layer, each, header) +
		vif_link_layer_bytes(layer, last, header);
	return min_t(u64, bytes, VIF_WIRE_MOST);
}
