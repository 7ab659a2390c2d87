// SPDX-License-Identifier: GPL-2.0
/* Tables of what procfs/parse.c accepts, and of what it does not. */
#include <linux/errno.h>
#include <linux/limits.h>
#include <linux/string.h>
#include <stdio.h>

#include "../../procfs/parse.h"
#include "../../sched/clock.h"
#include "check.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static struct nnfs_word word_of(const char *text)
{
	return (struct nnfs_word){ .text = text, .len = strlen(text) };
}

static const struct {
	const char *text;
	int err;
	u64 value;
	const char *printed;
} rates[] = {
	{ "max", 0, VSCHED_RATE_MAX, "max" },
	{ "MAX", 0, VSCHED_RATE_MAX, "max" },
	{ "8000", 0, 1000, "8kbit" },
	{ "8k", 0, 1000, "8kbit" },
	{ "8kbit", 0, 1000, "8kbit" },
	{ "8Kbit", 0, 1000, "8kbit" },
	{ "8008bit", 0, 1001, "8008bit" },
	{ "8007", 0, 1000, "8kbit" },
	{ "7999", -ERANGE, 0, NULL },
	{ "0", -ERANGE, 0, NULL },
	{ "1.5mbit", 0, 187500, "1500kbit" },
	{ "256k", 0, 32000, "256kbit" },
	{ "256ki", 0, 32768, "262144bit" },
	{ "256kibit", 0, 32768, "262144bit" },
	{ "256kbps", 0, 256000, "2048kbit" },
	{ "256KiBps", 0, 262144, "2097152bit" },
	{ "1m", 0, 125000, "1mbit" },
	{ "1mi", 0, 131072, "1048576bit" },
	{ "1g", 0, 125000000, "1gbit" },
	{ "0.1t", 0, VSCHED_RATE_LIMIT, "100gbit" },
	{ "100gbit", 0, VSCHED_RATE_LIMIT, "100gbit" },
	{ "100.000000001gbit", -ERANGE, 0, NULL },
	{ "12.5gbps", 0, VSCHED_RATE_LIMIT, "100gbit" },
	{ "100000000001", -ERANGE, 0, NULL },
	{ "1t", -ERANGE, 0, NULL },
	{ "18446744073709551615t", -ERANGE, 0, NULL },
	{ "18446744073709551616", -ERANGE, 0, NULL },
	{ "99999999999999999999999", -ERANGE, 0, NULL },
	{ "18446744073709551609", -ERANGE, 0, NULL },
	{ "1.0000000005gbit", 0, 125000000, "1gbit" },
	{ "1.9999999999gbit", 0, 249999999, "1999999992bit" },
	{ "", -EINVAL, 0, NULL },
	{ "k", -EINVAL, 0, NULL },
	{ "-1", -EINVAL, 0, NULL },
	{ "+1m", -EINVAL, 0, NULL },
	{ "1.", -EINVAL, 0, NULL },
	{ "1.k", -EINVAL, 0, NULL },
	{ ".5m", -EINVAL, 0, NULL },
	{ "1.5.5m", -EINVAL, 0, NULL },
	{ "1kk", -EINVAL, 0, NULL },
	{ "1kib", -EINVAL, 0, NULL },
	{ "1i", -EINVAL, 0, NULL },
	{ "1p", -EINVAL, 0, NULL },
	{ "1kbits", -EINVAL, 0, NULL },
	{ "0x100000", -EINVAL, 0, NULL },
	{ "1e6", -EINVAL, 0, NULL },
	{ "maximum", -EINVAL, 0, NULL },
	{ "ma", -EINVAL, 0, NULL },
};

static void test_rates(void)
{
	char printed[NNFS_PRINT_MAX];
	size_t i;

	for (i = 0; i < COUNT(rates); i++) {
		struct nnfs_word word = word_of(rates[i].text);
		u64 value = 0;
		int err = nnfs_parse_rate(&word, &value);

		lab_check(err == rates[i].err, "rate '%s': error %d",
			  rates[i].text, err);
		if (err)
			continue;
		lab_check(value == rates[i].value, "rate '%s': %llu",
			  rates[i].text, value);
		nnfs_print_rate(printed, value);
		lab_check(!strcmp(printed, rates[i].printed),
			  "rate '%s' is printed as %s", rates[i].text, printed);
	}
	lab_ok("%zu rates", COUNT(rates));
}

static const struct {
	const char *text;
	int err;
	u64 value;
	bool is_time;
	const char *printed;
} bursts[] = {
	{ "auto", 0, 0, false, "auto" },
	{ "1", 0, 1, false, "1b" },
	{ "1b", 0, 1, false, "1b" },
	{ "1k", 0, 1024, false, "1kb" },
	{ "1kb", 0, 1024, false, "1kb" },
	{ "8kbit", 0, 1024, false, "1kb" },
	{ "8mbit", 0, 1048576, false, "1mb" },
	{ "8gbit", 0, 1073741824, false, "1gb" },
	{ "1.5m", 0, 1572864, false, "1536kb" },
	{ "4gb", 0, NNFS_BURST_MAX_BYTES, false, "4gb" },
	{ "4294967296", 0, NNFS_BURST_MAX_BYTES, false, "4gb" },
	{ "4294967297", -ERANGE, 0, false, NULL },
	{ "0", -ERANGE, 0, false, NULL },
	{ "0ms", -ERANGE, 0, false, NULL },
	{ "0.5ns", -ERANGE, 0, false, NULL },
	{ "1ns", 0, 1, true, "1ns" },
	{ "1us", 0, 1000, true, "1us" },
	{ "1MS", 0, 1000000, true, "1ms" },
	{ "1msec", 0, 1000000, true, "1ms" },
	{ "1msecs", 0, 1000000, true, "1ms" },
	{ "1.5ms", 0, 1500000, true, "1500us" },
	{ "10s", 0, NNFS_BURST_MAX_NS, true, "10s" },
	{ "10000000000ns", 0, NNFS_BURST_MAX_NS, true, "10s" },
	{ "10.000000001s", -ERANGE, 0, true, NULL },
	{ "1sec", 0, 1000000000, true, "1s" },
	{ "1min", -EINVAL, 0, true, NULL },
	{ "1tb", -EINVAL, 0, true, NULL },
	{ "s", -EINVAL, 0, false, NULL },
	{ "", -EINVAL, 0, false, NULL },
	{ "1 ", -EINVAL, 0, false, NULL },
	{ "18446744073709551615s", -ERANGE, 0, true, NULL },
};

static void test_bursts(void)
{
	char printed[NNFS_PRINT_MAX];
	size_t i;

	for (i = 0; i < COUNT(bursts); i++) {
		struct nnfs_word word = word_of(bursts[i].text);
		bool is_time = false;
		u64 value = 0;
		int err = nnfs_parse_burst(&word, &value, &is_time);

		lab_check(err == bursts[i].err, "burst '%s': error %d",
			  bursts[i].text, err);
		if (err)
			continue;
		lab_check(value == bursts[i].value &&
			  is_time == bursts[i].is_time, "burst '%s': %llu",
			  bursts[i].text, value);
		nnfs_print_burst(printed, value, is_time);
		lab_check(!strcmp(printed, bursts[i].printed),
			  "burst '%s' is printed as %s", bursts[i].text,
			  printed);
	}
	lab_ok("%zu bursts", COUNT(bursts));
}

static const struct {
	const char *text;
	int err;
	const char *egress;
	const char *ingress;
	const char *bad;
} settings[] = {
	{ "1m", 0, "1m", "1m", NULL },
	{ " 1m\n", 0, "1m", "1m", NULL },
	{ "egress 1m", 0, "1m", NULL, NULL },
	{ "INGRESS 1m\n", 0, NULL, "1m", NULL },
	{ "egress 1m\ningress 2m\n", 0, "1m", "2m", NULL },
	{ "ingress\t2m egress 1m", 0, "1m", "2m", NULL },
	{ "", -ENODATA, NULL, NULL, "" },
	{ " \n", -ENODATA, NULL, NULL, "" },
	{ "egress", -ENODATA, NULL, NULL, "egress" },
	{ "egress 1m ingress", -ENODATA, NULL, NULL, "ingress" },
	{ "egress 1m egress 2m", -EEXIST, NULL, NULL, "egress" },
	{ "1m 2m", -EEXIST, NULL, NULL, "2m" },
	{ "1m egress 2m", -EEXIST, NULL, NULL, "egress" },
	{ "egress ingress", 0, "ingress", NULL, NULL },
	{ "egres 1m", -EEXIST, NULL, NULL, "1m" },
};

static bool same(const struct nnfs_word *word, const char *text)
{
	if (!text || !word->text)
		return !text && !word->text;
	return word->len == strlen(text) && !memcmp(word->text, text,
						    word->len);
}

static void test_settings(void)
{
	static const char *const key[] = { "egress", "ingress" };
	struct nnfs_word value[2], bad;
	size_t i;

	for (i = 0; i < COUNT(settings); i++) {
		const char *text = settings[i].text;
		int err = nnfs_split(text, key, 2, 1, value, &bad);

		lab_check(err == settings[i].err, "'%s': error %d", text, err);
		lab_check(!err || same(&bad, settings[i].bad),
			  "'%s': '%.*s' is to blame", text, (int)bad.len,
			  bad.text);
		lab_check(err || (same(&value[0], settings[i].egress) &&
				  same(&value[1], settings[i].ingress)),
			  "'%s' is split at the wrong places", text);
	}
	lab_ok("%zu settings", COUNT(settings));
}

static const struct {
	const char *text;
	int err;
	int value;
} numbers[] = {
	{ "0", 0, 0 },
	{ "1", 0, 1 },
	{ "4194304", 0, 4194304 },
	{ "2147483647", 0, INT_MAX },
	{ "2147483648", -ERANGE, 0 },
	{ "99999999999999999999", -ERANGE, 0 },
	{ "01", -EINVAL, 0 },
	{ "00", -EINVAL, 0 },
	{ "-1", -EINVAL, 0 },
	{ "1a", -EINVAL, 0 },
	{ "", -EINVAL, 0 },
	{ "self", -EINVAL, 0 },
};

static void test_numbers(void)
{
	size_t i;

	for (i = 0; i < COUNT(numbers); i++) {
		struct nnfs_word word = word_of(numbers[i].text);
		int value = 0, err = nnfs_parse_number(&word, &value);

		lab_check(err == numbers[i].err && value == numbers[i].value,
			  "number '%s': error %d, %d", numbers[i].text, err,
			  value);
	}
	lab_ok("%zu numbers", COUNT(numbers));
}

static const struct {
	const char *base;
	const char *path;
	size_t size;
	int err;
	const char *joined;
} paths[] = {
	{ "/a/b", "c", 64, 0, "/a/b/c" },
	{ "/a/b", "../c", 64, 0, "/a/c" },
	{ "/a/b", "../../../c", 64, 0, "/c" },
	{ "/a/b", "..", 64, 0, "/a" },
	{ "/a/b", "../..", 64, 0, "" },
	{ "/a/b", ".", 64, 0, "/a/b" },
	{ "/a/b", "./c/./d/", 64, 0, "/a/b/c/d" },
	{ "/a/b", "//c//d", 64, 0, "/c/d" },
	{ "/a/b", "/", 64, 0, "" },
	{ "/a/b", "", 64, 0, "/a/b" },
	{ "", "..", 64, 0, "" },
	{ "", "c", 64, 0, "/c" },
	{ "/a/b", "...", 64, 0, "/a/b/..." },
	{ "/a/b", ".c", 64, 0, "/a/b/.c" },
	{ "/a/b", "..c", 64, 0, "/a/b/..c" },
	{ "/a/b", "c", 7, 0, "/a/b/c" },
	{ "/a/b", "c", 6, -ENAMETOOLONG, NULL },
	{ "/a/b", "c", 5, -ENAMETOOLONG, NULL },
	{ "/a/b", "c", 4, -ENAMETOOLONG, NULL },
	{ "/a/b", "/c", 3, 0, "/c" },
};

static void test_paths(void)
{
	char joined[64];
	size_t i;

	for (i = 0; i < COUNT(paths); i++) {
		int err = nnfs_join_path(paths[i].base, paths[i].path, joined,
					 paths[i].size);

		lab_check(err == paths[i].err, "%s + %s: error %d",
			  paths[i].base, paths[i].path, err);
		lab_check(err || !strcmp(joined, paths[i].joined),
			  "%s + %s: %s", paths[i].base, paths[i].path, joined);
	}
	lab_ok("%zu paths", COUNT(paths));
}

int main(void)
{
	printf("KTAP version 1\n");
	test_rates();
	test_bursts();
	test_settings();
	test_numbers();
	test_paths();
	lab_plan();
	return 0;
}
