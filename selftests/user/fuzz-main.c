// SPDX-License-Identifier: GPL-2.0
/*
 * Runs a fuzzer where there is no clang, and so no libFuzzer: inputs of its corpus, first as they are,
 * then changed at random. It knows nothing of which code has run. Its options are libFuzzer's:
 *
 *	fuzz-NAME [-max_total_time=SECONDS] [-max_len=BYTES] [-seed=NUMBER] [FOLDER|FILE]...
 *
 * An input that ends the program stays behind as crash-NAME: the program given that file repeats it.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define INPUTS_MAX	4096
#define ROUND		256	/* inputs between two looks at the clock */

int LLVMFuzzerInitialize(int *argc, char ***argv) __attribute__((weak));
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
const char *__asan_default_options(void);
void __sanitizer_set_death_callback(void (*f)(void));

static struct input {
	uint8_t *data;
	size_t size;
} inputs[INPUTS_MAX];

static size_t count, max_len = 4096;
static uint64_t state = 1;
static char crash[256];
static const uint8_t *current;
static size_t current_size;

/* xorshift64 */
static uint64_t draw(uint64_t below)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state % below;
}

/* What assert(3) does is a death, too. */
const char *__asan_default_options(void)
{
	return "handle_abort=1";
}

static void keep_crash(void)
{
	int fd = open(crash, O_WRONLY | O_CREAT | O_TRUNC, 0644);

	if (fd < 0 || write(fd, current, current_size) < 0)
		return;
	fprintf(stderr, "the input is %s\n", crash);
}

static void try(const uint8_t *data, size_t size)
{
	/* of its own size, so that a read beyond the end is seen */
	uint8_t *copy = malloc(size ?: 1);

	memcpy(copy, data, size);
	current = copy;
	current_size = size;
	LLVMFuzzerTestOneInput(copy, size);
	free(copy);
}

static void add_file(const char *path)
{
	struct stat st;
	int fd = open(path, O_RDONLY);
	struct input *input = &inputs[count];

	if (fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode) && count < INPUTS_MAX) {
		input->data = malloc(st.st_size + 1);
		input->size = read(fd, input->data, st.st_size);
		count++;
	}
	if (fd >= 0)
		close(fd);
}

static void add(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *entry;
	char file[4096];

	if (!dir)
		add_file(path);
	while (dir && (entry = readdir(dir))) {
		snprintf(file, sizeof(file), "%s/%s", path, entry->d_name);
		add_file(file);
	}
	if (dir)
		closedir(dir);
}

/* One change. Return: the new size. */
static size_t change(uint8_t *data, size_t size)
{
	static const uint8_t odd[] = { 0, 1, 0x7f, 0x80, 0xff, '\n', ' ', '/', '"', '\\', '-', '=', '9' };
	const size_t at = size ? draw(size) : 0, to = size ? draw(size) : 0;
	const struct input *other = &inputs[draw(count)];
	size_t bytes;

	switch (draw(7)) {
	case 0:
		if (size)
			data[at] ^= 1 << draw(8);
		return size;
	case 1:
		if (size)
			data[at] = odd[draw(sizeof(odd))];
		return size;
	case 2:
		return at;
	case 3:
		if (size >= max_len)
			return size;
		memmove(data + at + 1, data + at, size - at);
		data[at] = draw(2) ? draw(256) : odd[draw(sizeof(odd))];
		return size + 1;
	case 4:
		if (!size)
			return size;
		memmove(data + at, data + at + 1, size - at - 1);
		return size - 1;
	case 5:
		bytes = size - (at > to ? at : to);
		memmove(data + to, data + at, bytes);
		return size;
	default:
		bytes = other->size < max_len - at ? other->size : max_len - at;
		memcpy(data + at, other->data, bytes);
		return at + bytes > size ? at + bytes : size;
	}
}

static size_t change_some(uint8_t *data)
{
	const struct input *from = &inputs[draw(count)];
	size_t size = from->size < max_len ? from->size : max_len;

	memcpy(data, from->data, size);
	for (uint64_t n = 1 + draw(8); n; n--)
		size = change(data, size);
	return size;
}

int main(int argc, char **argv)
{
	long seconds = 0;
	const time_t begin = time(NULL);
	unsigned long runs = 0;
	uint8_t *data;

	for (int i = 1; i < argc; i++)
		if (sscanf(argv[i], "-max_total_time=%ld", &seconds) != 1 &&
		    sscanf(argv[i], "-max_len=%zu", &max_len) != 1 &&
		    sscanf(argv[i], "-seed=%lu", &state) != 1 && argv[i][0] != '-')
			add(argv[i]);
	snprintf(crash, sizeof(crash), "crash-%s", strrchr(argv[0], '/') ? strrchr(argv[0], '/') + 1 : argv[0]);
	__sanitizer_set_death_callback(keep_crash);
	if (LLVMFuzzerInitialize)
		LLVMFuzzerInitialize(&argc, &argv);
	for (size_t i = 0; i < count; i++, runs++)
		try(inputs[i].data, inputs[i].size);
	if (!count) {
		try((const uint8_t *)"", 0);
		inputs[count++].data = malloc(1);
	}
	data = malloc(max_len + 1);
	while (time(NULL) - begin < seconds)
		for (int i = 0; i < ROUND; i++, runs++)
			try(data, change_some(data));
	free(data);
	for (size_t i = 0; i < count; i++)
		free(inputs[i].data);
	printf("stat::number_of_executed_units: %lu\n", runs);
	return 0;
}
