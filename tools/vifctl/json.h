/* SPDX-License-Identifier: GPL-2.0 */
/* Writing JSON to standard output. */
#ifndef VIFCTL_JSON_H
#define VIFCTL_JSON_H

#include <stdbool.h>

/* What is printed fits the schema of this version: another one has lost or changed a key. */
#define JSON_SCHEMA_VERSION	2

struct json {
	bool pretty;
	unsigned int depth;
	bool filled;		/* something stands before in the same brackets */
};

/* @key is NULL in an array and at the top. */
void json_open(struct json *json, const char *key, char bracket);
void json_close(struct json *json, char bracket);

/* null for a NULL @value */
void json_string(struct json *json, const char *key, const char *value);

/* "dev" and "path" of a VIF */
void json_path(struct json *json, const char *path);

void json_number(struct json *json, const char *key, unsigned long long value);

/* A number that only names something is a string: readers of JSON have 53 bits of a number. */
void json_id(struct json *json, const char *key, unsigned long long value);
void json_null(struct json *json, const char *key);

/* "schema_version" of an object that nothing is around but an array */
void json_version(struct json *json);

#endif
