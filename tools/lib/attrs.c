// SPDX-License-Identifier: GPL-2.0
#include "attrs.h"

#include <string.h>

static void keep(struct attrs *attrs, const struct nlattr *attr)
{
	uint16_t type = mnl_attr_get_type(attr);

	if (type < ATTRS_MAX)
		attrs->of[type] = attr;
}

bool attrs_read(struct attrs *attrs, const struct nlmsghdr *message,
		size_t header_bytes)
{
	const struct nlattr *attr;

	*attrs = (struct attrs) { 0 };
	if (mnl_nlmsg_get_payload_len(message) < header_bytes)
		return false;
	mnl_attr_for_each(attr, message, header_bytes)
		keep(attrs, attr);
	return true;
}

void attrs_read_nest(struct attrs *attrs, const struct nlattr *nest)
{
	const struct nlattr *attr;

	*attrs = (struct attrs) { 0 };
	if (nest)
		mnl_attr_for_each_nested(attr, nest)
			keep(attrs, attr);
}

const char *attrs_string(const struct attrs *attrs, int type)
{
	const struct nlattr *attr = attrs->of[type];

	return attr && mnl_attr_validate(attr, MNL_TYPE_NUL_STRING) >= 0 ?
	       mnl_attr_get_str(attr) : NULL;
}

bool attrs_number(const struct attrs *attrs, int type,
		  unsigned long long *value)
{
	const struct nlattr *attr = attrs->of[type];

	if (attr && mnl_attr_validate(attr, MNL_TYPE_U64) >= 0)
		*value = mnl_attr_get_u64(attr);
	else if (attr && mnl_attr_validate(attr, MNL_TYPE_U32) >= 0)
		*value = mnl_attr_get_u32(attr);
	else
		return false;
	return true;
}

unsigned long long attrs_value(const struct attrs *attrs, int type)
{
	unsigned long long value = 0;

	attrs_number(attrs, type, &value);
	return value;
}

static void take_field(struct vif_params *params, const struct vif_field *field,
		       const struct nlattr *attr)
{
	char *member = (char *)params + field->offset;
	uint32_t set = 1;

	if (!attr || mnl_attr_get_payload_len(attr) != field->len)
		return;
	if (field->len) {
		memset(member, 0xff, field->size);
		memcpy(member, mnl_attr_get_payload(attr), field->len);
	} else {
		memcpy(member, &set, sizeof(set));
	}
}

void attrs_params(const struct attrs *side, struct vif_params *params)
{
	*params = vif_params_initial;
	for (size_t i = 0; i < VIF_FIELDS; i++)
		take_field(params, &vif_field[i], side->of[vif_field[i].attr]);
}
