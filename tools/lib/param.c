// SPDX-License-Identifier: GPL-2.0
#include "param.h"

#include <stdio.h>
#include <string.h>

#define BLANKS		" \t\n\v\f\r"

#define PARAM(ID, name, kind, restrains, initial, syntax, right) \
	{ #name, syntax, right, initial },
const struct param params[PARAM_COUNT] = {
	VIF_PARAM_LIST(PARAM)
	[PARAM_OWNER] = { .name = "owner", .syntax = "UID:GID (numbers)" },
	[PARAM_MODE] = { .name = "mode", .syntax = "octal permission bits, for example 755" },
	[PARAM_PROGRAM] = { .name = "program", .initial = "none",
		.syntax = "[egress|ingress] none | LENGTH,CODE JT JF K,... | /FILE" },
	[PARAM_AUTOREMOVE] = { .name = "autoremove", .syntax = "0 | 1",
		.initial = "0" },
};
#undef PARAM

const struct param *param_find(const char *name)
{
	for (size_t i = 0; i < PARAM_COUNT; i++)
		if (!strcmp(params[i].name, name))
			return &params[i];
	return NULL;
}

enum param_id param_id(const struct param *param)
{
	return param - params;
}

bool param_has_directions(const struct param *param)
{
	return param_id(param) < PARAM_DIRECTED;
}

bool param_is_share(const struct param *param)
{
	return param == &params[PARAM_MINIMUM] || param == &params[PARAM_WEIGHT] ||
	       param == &params[PARAM_PRIORITY];
}

bool param_has_share(char *const value[PARAM_DIRECTED])
{
	for (enum param_id id = 0; id < PARAM_DIRECTED; id++)
		if (value[id] && param_is_share(&params[id]))
			return true;
	return false;
}

char *param_squeeze(const char *text)
{
	char *copy = strdup(text), *to = copy;
	size_t len;

	if (!copy)
		return NULL;
	for (text += strspn(text, BLANKS); *text; text += strspn(text, BLANKS)) {
		len = strcspn(text, BLANKS);
		if (to != copy)
			*to++ = ' ';
		memcpy(to, text, len);
		to += len;
		text += len;
	}
	*to = '\0';
	return copy;
}

/* "0755" and "755" are the same. */
static char *normal_mode(char *text)
{
	char *rest = text + strspn(text, "0");

	if (!*rest && rest > text)
		rest--;
	memmove(text, rest, strlen(rest) + 1);
	return text;
}

/*
 * As in the file, one line for each direction, unless both are equal. The kernel accepts no line
 * feed in a value, so a user cannot add lines.
 */
static char *normal_program(const char *text)
{
	char *normal = strdup(text), *egress, *ingress, *save;

	if (!normal)
		return NULL;
	egress = strtok_r(normal, "\n", &save);
	ingress = egress ? strtok_r(NULL, "\n", &save) : NULL;
	if (!ingress || strncmp(egress, "egress ", strlen("egress ")) ||
	    strncmp(ingress, "ingress ", strlen("ingress ")))
		return normal;
	egress += strlen("egress ");
	ingress += strlen("ingress ");
	if (!strcmp(egress, ingress))
		memmove(normal, egress, strlen(egress) + 1);
	else
		egress[strlen(egress)] = '\n';
	return normal;
}

char *param_print(enum param_id id, const struct vif_params params[VIF_DIRS])
{
	char value[VIF_DIRS][VIF_PRINT_MAX], *text;

	for (int dir = 0; dir < VIF_DIRS; dir++)
		vif_param_print((enum vif_param_id)id, &params[dir], value[dir]);
	if (vif_param_dirs((enum vif_param_id)id) == VIF_INGRESS ||
	    !strcmp(value[VIF_EGRESS], value[VIF_INGRESS]))
		return strdup(value[VIF_EGRESS]);
	return asprintf(&text, "egress %s ingress %s", value[VIF_EGRESS],
			value[VIF_INGRESS]) < 0 ? NULL : text;
}

int param_parse(enum param_id id, const char *text, struct vif_params params[VIF_DIRS])
{
	unsigned int dirs;
	struct vif_word bad;

	params[VIF_EGRESS] = params[VIF_INGRESS] = vif_params_initial;
	return vif_param_parse((enum vif_param_id)id, text, params, &dirs, &bad);
}

char *param_normal(const struct param *param, const char *value)
{
	struct vif_params parsed[VIF_DIRS];
	char *text;

	if (param_has_directions(param) && !param_parse(param_id(param), value, parsed))
		return param_print(param_id(param), parsed);
	if (param == &params[PARAM_PROGRAM])
		return normal_program(value);
	text = param_squeeze(value);
	return text && param == &params[PARAM_MODE] ? normal_mode(text) : text;
}
