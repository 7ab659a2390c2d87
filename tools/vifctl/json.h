/* SPDX-License-Identifier: GPL-2.0 */
/* JSON on standard output. */
#ifndef VIFCTL_JSON_H
#define VIFCTL_JSON_H

#include <stdbool.h>

/* Version of the schema. It is incremented when a key is removed or changed. */
#define JSON_SCHEMA_VERSION	2

struct json {
	bool pretty;
	unsigned int depth;
	bool filled;		/* the current brackets are not empty */
};

/* @key is NULL in an array and at the top. */
void json_open(struct json *json, const char *key, char bracket);
void json_close(struct json *json, char bracket);

/* Print a string, or null if @value is NULL. */
void json_string(struct json *json, const char *key, const char *value);

/* Print "dev" and "path" of a VIF. */
void json_path(struct json *json, const char *path);

void json_number(struct json *json, const char *key, unsigned long long value);

/* Print a number that is an ID, as a string: many readers of JSON keep 53 bits of a number only. */
void json_id(struct json *json, const char *key, unsigned long long value);
void json_null(struct json *json, const char *key);

/* Print "schema_version", for an object at the top or in the topmost array. */
void json_version(struct json *json);

#endif
