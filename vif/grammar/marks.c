// SPDX-License-Identifier: GPL-2.0
/* Values written to packets, as kinds of parameters: a number or some of its bits, and "force". */
#include "marks.h"

#include "env.h"

static void vif_marks_append(char *buf, const char *text)
{
	size_t len = strlen(buf);

	snprintf(buf + len, VIF_PRINT_MAX - len, "%s%s", len ? " " : "", text);
}

#define ALL_BITS	0xffffffffU

/* Parse a decimal number, or a hexadecimal one after 0x. */
static int vif_parse_u32(struct vif_word word, u32 *value)
{
	const bool is_hex = word.len > 2 && !strncmp(word.text, "0x", 2);
	u64 number = 0;
	size_t i;

	if (!word.len || (!is_hex && word.len > 1 && *word.text == '0'))
		return -EINVAL;
	for (i = is_hex ? 2 : 0; i < word.len; i++) {
		unsigned char digit = word.text[i];

		if (is_hex ? !isxdigit(digit) : !isdigit(digit))
			return -EINVAL;
		number = number * (is_hex ? 16 : 10) +
			 (isdigit(digit) ? digit - '0' : tolower(digit) - 'a' + 10);
		if (number > ALL_BITS)
			return -ERANGE;
	}
	*value = number;
	return 0;
}

/* Up to 15 both are the same number. */
static void vif_append_u32(char *buf, u32 value)
{
	size_t len = strlen(buf);

	snprintf(buf + len, VIF_PRINT_MAX - len, value > 15 ? "0x%x" : "%u", value);
}

/* @parse: parses the word before "force" */
static int vif_parse_forced(const struct vif_word *words, void *value,
			    int (*parse)(struct vif_word word, struct vif_mark *mark))
{
	struct vif_word rest = *words, word, force;
	struct vif_mark *mark = value;

	*mark = (struct vif_mark) { };
	vif_word_next(&rest, &word);
	if (vif_word_next(&rest, &force)) {
		if (!vif_word_is(&force, "force"))
			return -EINVAL;
		mark->force = 1;
	}
	if (vif_word_is(&word, "none"))
		return 0;
	mark->bits.mask = ALL_BITS;
	return parse(word, mark);
}

static void vif_print_forced(const void *value, char *buf,
			     void (*print)(const struct vif_mark *mark, char *buf))
{
	const struct vif_mark *mark = value;

	*buf = '\0';
	if (mark->bits.mask)
		print(mark, buf);
	else
		vif_marks_append(buf, "none");
	if (mark->force)
		vif_marks_append(buf, "force");
}

/* Class selectors, assured forwarding (RFC 2474, 2597), and what has a name besides. */
static void vif_print_codepoint(const struct vif_mark *mark, char *buf)
{
	u32 dscp = mark->bits.value, class = dscp >> 3, drop = dscp >> 1 & 3;

	if (!(dscp & 7))
		snprintf(buf, VIF_PRINT_MAX, "cs%u", class);
	else if (!(dscp & 1) && class >= 1 && class <= 4)
		snprintf(buf, VIF_PRINT_MAX, "af%u%u", class, drop);
	else if (dscp == 1)
		vif_marks_append(buf, "le");
	else if (dscp == 44)
		vif_marks_append(buf, "va");
	else if (dscp == 46)
		vif_marks_append(buf, "ef");
	else
		vif_append_u32(buf, dscp);
}

static int vif_parse_codepoint(struct vif_word word, struct vif_mark *mark)
{
	u32 *dscp = &mark->bits.value;
	char name[VIF_PRINT_MAX];

	for (*dscp = 0; *dscp <= VIF_DSCP_MAX; ++*dscp) {
		*name = '\0';
		vif_print_codepoint(mark, name);
		if (vif_word_is(&word, name))
			return 0;
	}
	return vif_parse_u32(word, dscp) ?: *dscp > VIF_DSCP_MAX ? -ERANGE : 0;
}

static int vif_parse_dscp(const struct vif_word *words, void *value)
{
	return vif_parse_forced(words, value, vif_parse_codepoint);
}

static void vif_print_dscp(const void *value, char *buf)
{
	vif_print_forced(value, buf, vif_print_codepoint);
}

const struct vif_param_kind vif_dscp_kind = {
	.what		= "DSCP",
	.words		= 2,
	.sent_only	= true,
	.parse		= vif_parse_dscp,
	.print		= vif_print_dscp,
	.accepted	= "a whole number from 0 to 63, or one of cs0 to cs7, af11 to af43, ef, va and le, optionally followed by force, which overrides VIFs below, or none; egress only",
};

/* Refuse a mask without bits, and a value with bits outside of its mask. */
static int vif_parse_mark_bits(struct vif_word word, struct vif_mark *mark)
{
	const char *slash = memchr(word.text, '/', word.len);
	struct vif_word mask = { };
	int err;

	if (slash) {
		mask = (struct vif_word) { slash + 1, word.text + word.len - slash - 1 };
		word.len = slash - word.text;
	}
	err = vif_parse_u32(word, &mark->bits.value);
	if (!err && slash)
		err = vif_parse_u32(mask, &mark->bits.mask);
	if (err)
		return err;
	return !mark->bits.mask || (mark->bits.value & ~mark->bits.mask) ? -ERANGE : 0;
}

static void vif_print_mark_bits(const struct vif_mark *mark, char *buf)
{
	vif_append_u32(buf, mark->bits.value);
	if (mark->bits.mask == ALL_BITS)
		return;
	snprintf(buf + strlen(buf), VIF_PRINT_MAX - strlen(buf), "/");
	vif_append_u32(buf, mark->bits.mask);
}

static int vif_parse_mark(const struct vif_word *words, void *value)
{
	return vif_parse_forced(words, value, vif_parse_mark_bits);
}

static void vif_print_mark(const void *value, char *buf)
{
	vif_print_forced(value, buf, vif_print_mark_bits);
}

const struct vif_param_kind vif_mark_kind = {
	.what		= "mark",
	.words		= 2,
	.sent_only	= true,
	.parse		= vif_parse_mark,
	.print		= vif_print_mark,
	.accepted	= "VALUE, or VALUE/MASK with no bit outside of the mask (7, 0x10/0xf0), each of 32 bits, optionally followed by force, which overrides VIFs below, or none; egress only",
};

/*
 * The priority of control traffic, which is exempt among the kernel's own packets: no VIF may set
 * it.
 */
static int vif_parse_whole(struct vif_word word, struct vif_mark *mark)
{
	return vif_parse_u32(word, &mark->bits.value) ?:
	       mark->bits.value == VIF_SKB_PRIORITY_CONTROL ? -ERANGE : 0;
}

static int vif_parse_skb_priority(const struct vif_word *words, void *value)
{
	return vif_parse_forced(words, value, vif_parse_whole);
}

const struct vif_param_kind vif_skb_priority_kind = {
	.what		= "priority of packets",
	.words		= 2,
	.sent_only	= true,
	.parse		= vif_parse_skb_priority,
	.print		= vif_print_mark,
	.accepted	= "a whole number of 32 bits (6, 0x10020) but not 7 (control traffic without a limit), optionally followed by force, which overrides VIFs below, or none; egress only",
};
