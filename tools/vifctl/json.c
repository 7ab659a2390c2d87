// SPDX-License-Identifier: GPL-2.0
/*
 * JSON, as far as vifctl needs it. Names of VIFs and commands are bytes, but JSON must be UTF-8: an
 * invalid byte becomes U+FFFD.
 */
#include "json.h"

#include <stdio.h>
#include <string.h>

#include "path.h"

/* Bytes of the UTF-8 sequence at @s, 0 if it is none (RFC 3629). */
static size_t utf8_length(const unsigned char *s)
{
	size_t len = *s < 0xc2 ? 0 : *s < 0xe0 ? 2 : *s < 0xf0 ? 3 :
		     *s < 0xf5 ? 4 : 0;

	for (size_t i = 1; i < len; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	/* overlong, surrogate, above U+10FFFF */
	if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
	    (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))
		return 0;
	return len;
}

static unsigned int decode(const unsigned char *s, size_t len)
{
	unsigned int c = *s & (0x7f >> len);

	for (size_t i = 1; i < len; i++)
		c = c << 6 | (s[i] & 0x3f);
	return c;
}

/* Characters of the BMP that control a terminal, or turn or hide the following text. */
static bool is_steering(unsigned int c)
{
	return c < 0xa0 || c == 0xad || (c >= 0x200b && c <= 0x200f) ||
	       (c >= 0x2028 && c <= 0x202e) || (c >= 0x2060 && c <= 0x206f) ||
	       c == 0xfeff;
}

/* Return: the bytes used. */
static size_t put_utf8(const unsigned char *s)
{
	size_t len = utf8_length(s);
	unsigned int c = len ? decode(s, len) : 0;

	if (!len) {
		fputs("\\ufffd", stdout);
		return 1;
	}
	if (is_steering(c))
		printf("\\u%04x", c);
	else
		fwrite(s, 1, len, stdout);
	return len;
}

/* How many bytes stand for themselves: names, numbers and keys are mostly such. */
static size_t plain_length(const unsigned char *s)
{
	size_t len = 0;

	while (s[len] >= 0x20 && s[len] < 0x7f && s[len] != '"' &&
	       s[len] != '\\')
		len++;
	return len;
}

static void put_quoted(const char *text)
{
	const unsigned char *s = (const unsigned char *)text;
	size_t len;

	putchar('"');
	for (; *s; s += len) {
		len = plain_length(s);
		if (len) {
			fwrite(s, 1, len, stdout);
		} else if (*s >= 0x80) {
			len = put_utf8(s);
		} else {
			len = 1;
			printf(*s == '"' || *s == '\\' ? "\\%c" : "\\u%04x", *s);
		}
	}
	putchar('"');
}

static void new_line(const struct json *json)
{
	if (!json->pretty)
		return;
	putchar('\n');
	for (unsigned int i = 0; i < json->depth; i++)
		fputs("    ", stdout);
}

static void begin(struct json *json, const char *key)
{
	if (json->filled)
		putchar(',');
	if (json->depth)
		new_line(json);
	json->filled = true;
	if (!key)
		return;
	put_quoted(key);
	fputs(json->pretty ? ": " : ":", stdout);
}

void json_open(struct json *json, const char *key, char bracket)
{
	begin(json, key);
	putchar(bracket);
	json->depth++;
	json->filled = false;
}

void json_close(struct json *json, char bracket)
{
	json->depth--;
	if (json->filled)
		new_line(json);
	putchar(bracket);
	json->filled = true;
	if (!json->depth)
		putchar('\n');
}

void json_string(struct json *json, const char *key, const char *value)
{
	begin(json, key);
	if (value)
		put_quoted(value);
	else
		fputs("null", stdout);
}

void json_path(struct json *json, const char *path)
{
	char dev[IF_NAMESIZE];

	path_device(path, dev);
	json_string(json, "dev", dev);
	json_string(json, "path", path);
}

void json_number(struct json *json, const char *key, unsigned long long value)
{
	char digits[20], *at = digits + sizeof(digits);

	begin(json, key);
	/* printf() takes most of the time where there are 10,000 VIFs */
	do
		*--at = '0' + value % 10;
	while (value /= 10);
	fwrite(at, 1, digits + sizeof(digits) - at, stdout);
}

void json_id(struct json *json, const char *key, unsigned long long value)
{
	char text[24];

	snprintf(text, sizeof(text), "%llu", value);
	json_string(json, key, text);
}

void json_null(struct json *json, const char *key)
{
	json_string(json, key, NULL);
}

void json_version(struct json *json)
{
	json_number(json, "schema_version", JSON_SCHEMA_VERSION);
}
