// SPDX-License-Identifier: GPL-2.0
/* Tables of what vif/grammar accepts, and of what it does not. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "../../vif/grammar/params.h"
#include "../../vif/grammar/path.h"
#include "check.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* One value, without a direction. */
static int parse(enum vif_param_id id, const char *text, struct vif_params *params)
{
	const struct vif_word word = vif_word_of(text);

	return vif_param[id].kind->parse(&word, (char *)params + vif_param[id].offset);
}

static const struct {
	const char *text;
	int err;
	u64 value;
	const char *printed;
} rates[] = {
	{ "max", 0, VIF_RATE_MAX, "max" },
	{ "MAX", 0, VIF_RATE_MAX, "max" },
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
	{ "2MB/s", 0, 2000000, "16mbit" },
	{ "2mB/s", 0, 2000000, "16mbit" },
	{ "64KiB/s", 0, 65536, "524288bit" },
	{ "1.5kB/s", 0, 1500, "12kbit" },
	{ "2000B/s", 0, 2000, "16kbit" },
	{ "10Mbit/s", 0, 1250000, "10mbit" },
	{ "8000bit/s", 0, 1000, "8kbit" },
	{ "1MiBit/S", 0, 131072, "1048576bit" },
	{ "1GB/s", 0, 1000000000, "8gbit" },
	{ "1TB/s", -ERANGE, 0, NULL },
	{ "2MB", -EINVAL, 0, NULL },
	{ "2Mb/s", -EINVAL, 0, NULL },
	{ "2M/s", -EINVAL, 0, NULL },
	{ "2/s", -EINVAL, 0, NULL },
	{ "2MB/", -EINVAL, 0, NULL },
	{ "2MB/sec", -EINVAL, 0, NULL },
	{ "2Mbps/s", -EINVAL, 0, NULL },
	{ "10%", -EINVAL, 0, NULL },
	{ "1m", 0, 125000, "1mbit" },
	{ "1mi", 0, 131072, "1048576bit" },
	{ "1g", 0, 125000000, "1gbit" },
	{ "0.4t", 0, VIF_RATE_LIMIT, "400gbit" },
	{ "400gbit", 0, VIF_RATE_LIMIT, "400gbit" },
	{ "400.000000001gbit", -ERANGE, 0, NULL },
	{ "50gbps", 0, VIF_RATE_LIMIT, "400gbit" },
	{ "400000000001", -ERANGE, 0, NULL },
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
	char printed[VIF_PRINT_MAX];
	struct vif_params params;
	size_t i;

	for (i = 0; i < COUNT(rates); i++) {
		int err = parse(VIF_PARAM_BANDWIDTH, rates[i].text, &params);

		lab_check(err == rates[i].err, "rate '%s': error %d",
			  rates[i].text, err);
		if (err)
			continue;
		lab_check(params.bandwidth == rates[i].value, "rate '%s': %llu",
			  rates[i].text, params.bandwidth);
		vif_param_print(VIF_PARAM_BANDWIDTH, &params, printed);
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
	{ "1k", 0, 1000, false, "1000b" },
	{ "1KB", 0, 1000, false, "1000b" },
	{ "1ki", 0, 1024, false, "1KiB" },
	{ "1kib", 0, 1024, false, "1KiB" },
	{ "8kbit", 0, 1000, false, "1000b" },
	{ "8KiBit", 0, 1024, false, "1KiB" },
	{ "8mbit", 0, 1000000, false, "1MB" },
	{ "8gbit", 0, 1000000000, false, "1GB" },
	{ "0.001t", 0, 1000000000, false, "1GB" },
	{ "1024kb", 0, 1024000, false, "1000KiB" },
	{ "1.5m", 0, 1500000, false, "1500000b" },
	{ "1.5MiB", 0, 1572864, false, "1536KiB" },
	{ "4gb", 0, 4000000000ULL, false, "4GB" },
	{ "4gib", 0, VIF_BURST_MAX_BYTES, false, "4GiB" },
	{ "4294967296", 0, VIF_BURST_MAX_BYTES, false, "4GiB" },
	{ "1i", -EINVAL, 0, false, NULL },
	{ "1kibi", -EINVAL, 0, false, NULL },
	{ "1bb", -EINVAL, 0, false, NULL },
	{ "18446744073709551615t", -ERANGE, 0, false, NULL },
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
	{ "3600s", 0, VIF_BURST_MAX_NS, true, "3600s" },
	{ "3600000000000ns", 0, VIF_BURST_MAX_NS, true, "3600s" },
	{ "3600.000000001s", -ERANGE, 0, true, NULL },
	{ "1sec", 0, 1000000000, true, "1s" },
	{ "1min", -EINVAL, 0, true, NULL },
	{ "1tb", -ERANGE, 0, false, NULL },
	{ "s", -EINVAL, 0, false, NULL },
	{ "", -EINVAL, 0, false, NULL },
	{ "1 ", -EINVAL, 0, false, NULL },
	{ "18446744073709551615s", -ERANGE, 0, true, NULL },
};

static void test_bursts(void)
{
	char printed[VIF_PRINT_MAX];
	struct vif_params params;
	size_t i;

	for (i = 0; i < COUNT(bursts); i++) {
		const u64 bytes = bursts[i].is_time ? 0 : bursts[i].value;
		const u64 ns = bursts[i].is_time ? bursts[i].value : 0;
		int err = parse(VIF_PARAM_BURST, bursts[i].text, &params);

		lab_check(err == bursts[i].err, "burst '%s': error %d",
			  bursts[i].text, err);
		if (err)
			continue;
		lab_check(params.burst.bytes == bytes && params.burst.ns == ns,
			  "burst '%s': %llu bytes, %llu ns", bursts[i].text,
			  params.burst.bytes, params.burst.ns);
		vif_param_print(VIF_PARAM_BURST, &params, printed);
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
	{ "1m", 0, "1mbit", "1mbit", NULL },
	{ " 1m\n", 0, "1mbit", "1mbit", NULL },
	{ "egress 1m", 0, "1mbit", NULL, NULL },
	{ "INGRESS 1m\n", 0, NULL, "1mbit", NULL },
	{ "egress 1m\ningress 2m\n", 0, "1mbit", "2mbit", NULL },
	{ "ingress\t2m egress 1m", 0, "1mbit", "2mbit", NULL },
	{ "", -ENODATA, NULL, NULL, "" },
	{ " \n", -ENODATA, NULL, NULL, "" },
	{ "egress", -ENODATA, NULL, NULL, "egress" },
	{ "egress 1m ingress", -ENODATA, NULL, NULL, "ingress" },
	{ "egress 1m egress 2m", -EEXIST, NULL, NULL, "egress" },
	{ "1m 2m", -EEXIST, NULL, NULL, "2m" },
	{ "1m egress 2m", -EEXIST, NULL, NULL, "egress" },
	{ "egress ingress", -EINVAL, NULL, NULL, "ingress" },
	{ "egress 1m ingress 0", -ERANGE, NULL, NULL, "0" },
	{ "egres 1m", -EEXIST, NULL, NULL, "1m" },
};

static bool same(const struct vif_params *params, bool given, const char *text)
{
	char printed[VIF_PRINT_MAX];

	vif_param_print(VIF_PARAM_BANDWIDTH, params, printed);
	return given == !!text && !strcmp(printed, text ?: "max");
}

static void test_settings(void)
{
	struct vif_params params[VIF_DIRS];
	struct vif_word bad;
	unsigned int dirs;
	size_t i;

	for (i = 0; i < COUNT(settings); i++) {
		const char *text = settings[i].text;
		int err;

		params[VIF_EGRESS] = params[VIF_INGRESS] = vif_params_initial;
		err = vif_param_parse(VIF_PARAM_BANDWIDTH, text, params, &dirs, &bad);
		lab_check(err == settings[i].err, "'%s': error %d", text, err);
		lab_check(!err || vif_word_is(&bad, settings[i].bad),
			  "'%s': '%.*s' is to blame", text, (int)bad.len, bad.text);
		lab_check(err || (same(&params[VIF_EGRESS], dirs & 1, settings[i].egress) &&
				  same(&params[VIF_INGRESS], dirs & 2, settings[i].ingress)),
			  "'%s' is split at the wrong places", text);
	}
	lab_ok("%zu settings", COUNT(settings));
}

/* The table's words for what a new VIF has are what it has. */
static void test_initial(void)
{
#define INITIAL(ID, name, kind, restrains, initial, syntax, right) initial,
	static const char *const initial[VIF_PARAMS] = { VIF_PARAM_LIST(INITIAL) };
	char printed[VIF_PRINT_MAX];
	struct vif_params params;
	int i;

	for (i = 0; i < VIF_PARAMS; i++) {
		memset(&params, 0xff, sizeof(params));
		lab_check(!parse(i, initial[i], &params) &&
			  !memcmp((char *)&params + vif_param[i].offset,
				  (char *)&vif_params_initial + vif_param[i].offset,
				  vif_param[i].size),
			  "initial %s is not %s", vif_param[i].name, initial[i]);
		vif_param_print(i, &params, printed);
		lab_check(!strcmp(printed, initial[i]), "initial %s is printed as %s",
			  vif_param[i].name, printed);
	}
	lab_ok("%d initial values", VIF_PARAMS);
}

/* netlink has all of a parameter, each part once. */
static void test_fields(void)
{
	char seen[sizeof(struct vif_params)] = "";
	const struct vif_param *param;
	size_t i, byte;

	for (i = 0; i < VIF_FIELDS; i++)
		for (byte = 0; byte < vif_field[i].size; byte++)
			lab_check(!seen[vif_field[i].offset + byte]++,
				  "attribute %d has what another one has", vif_field[i].attr);
	for (param = vif_param; param < vif_param + VIF_PARAMS; param++)
		for (byte = 0; byte < param->size; byte++)
			lab_check(seen[param->offset + byte],
				  "byte %zu of %s is in no attribute", byte, param->name);
	lab_ok("%d attributes", VIF_FIELDS);
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

static const struct {
	enum vif_param_id id;
	const char *text;
	int err;
	const char *printed;
} marks[] = {
	{ VIF_PARAM_DSCP, "0", 0, "cs0" },
	{ VIF_PARAM_DSCP, "CS7 FORCE", 0, "cs7 force" },
	{ VIF_PARAM_DSCP, "34", 0, "af41" },
	{ VIF_PARAM_DSCP, "af43", 0, "af43" },
	{ VIF_PARAM_DSCP, "44", 0, "va" },
	{ VIF_PARAM_DSCP, "1", 0, "le" },
	{ VIF_PARAM_DSCP, "42", 0, "0x2a" },
	{ VIF_PARAM_DSCP, "af44", -EINVAL, NULL },
	{ VIF_PARAM_DSCP, "64", -ERANGE, NULL },
	{ VIF_PARAM_DSCP, "none force", 0, "none force" },
	{ VIF_PARAM_DSCP, "none none", -EINVAL, NULL },
	{ VIF_PARAM_DSCP, "ingress ef", -EINVAL, NULL },
	{ VIF_PARAM_MARK, "0x00/0xFFFFFFFF", 0, "0" },
	{ VIF_PARAM_MARK, "4294967295", 0, "0xffffffff" },
	{ VIF_PARAM_MARK, "16/0x30 force", 0, "0x10/0x30 force" },
	{ VIF_PARAM_MARK, "4294967296", -ERANGE, NULL },
	{ VIF_PARAM_MARK, "1/2", -ERANGE, NULL },
	{ VIF_PARAM_MARK, "0/0", -ERANGE, NULL },
	{ VIF_PARAM_MARK, "01", -EINVAL, NULL },
	{ VIF_PARAM_MARK, "/1", -EINVAL, NULL },
	{ VIF_PARAM_SKB_PRIORITY, "0x10020", 0, "0x10020" },
	{ VIF_PARAM_SKB_PRIORITY, "1/1", -EINVAL, NULL },
	{ VIF_PARAM_SKB_PRIORITY, "0x7", -ERANGE, NULL },
	{ VIF_PARAM_SKB_PRIORITY, "7 force", -ERANGE, NULL },
	{ VIF_PARAM_SKB_PRIORITY, "8", 0, "8" },
	{ VIF_PARAM_GROUP, "65535", 0, "65535" },
	{ VIF_PARAM_GROUP, "None", 0, "none" },
	{ VIF_PARAM_GROUP, "0", -ERANGE, NULL },
	{ VIF_PARAM_GROUP, "65536", -ERANGE, NULL },
	{ VIF_PARAM_GROUP, "home", -EINVAL, NULL },
	{ VIF_PARAM_QUOTA, "10g then 256k", 0, "10GB then 256kbit left 10GB" },
	{ VIF_PARAM_QUOTA, "10GiB THEN Stop LEFT 1", 0, "10GiB then stop left 1b" },
	{ VIF_PARAM_QUOTA, "0 then stop", 0, "0b then stop left 0b" },
	{ VIF_PARAM_QUOTA, "1125899906842623 then 99999999992bit left 1125899906842621", 0,
	  "1125899906842623b then 99999999992bit left 1125899906842621b" },
	{ VIF_PARAM_QUOTA, "1024tib then stop", 0, "1024TiB then stop left 1024TiB" },
	{ VIF_PARAM_QUOTA, "1025TiB then stop", -ERANGE, NULL },
	{ VIF_PARAM_QUOTA, "1g then stop left 1001m", -ERANGE, NULL },
	{ VIF_PARAM_QUOTA, "1g then 1bit", -ERANGE, NULL },
	{ VIF_PARAM_QUOTA, "10g", -EINVAL, NULL },
	{ VIF_PARAM_QUOTA, "10g then", -EINVAL, NULL },
	{ VIF_PARAM_QUOTA, "10g then max", -EINVAL, NULL },
	{ VIF_PARAM_QUOTA, "10g then stop left", -EINVAL, NULL },
	{ VIF_PARAM_QUOTA, "none", 0, "none" },
};

static void test_marks(void)
{
	char printed[VIF_PRINT_MAX];
	struct vif_params params;
	size_t i;

	for (i = 0; i < COUNT(marks); i++) {
		int err = parse(marks[i].id, marks[i].text, &params);

		lab_check(err == marks[i].err, "'%s': error %d", marks[i].text, err);
		if (err)
			continue;
		vif_param_print(marks[i].id, &params, printed);
		lab_check(!strcmp(printed, marks[i].printed), "'%s' is printed as %s",
			  marks[i].text, printed);
	}
	lab_ok("%zu marks and quotas", COUNT(marks));
}

static void test_numbers(void)
{
	size_t i;

	for (i = 0; i < COUNT(numbers); i++) {
		const struct vif_word word = vif_word_of(numbers[i].text);
		int value = 0, err = vif_parse_number(&word, &value);

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
		int err = vif_path_join(paths[i].base, paths[i].path, joined,
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
	test_initial();
	test_fields();
	test_marks();
	test_numbers();
	test_paths();
	lab_plan();
	return 0;
}
