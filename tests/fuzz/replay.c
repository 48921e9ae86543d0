/*
 * Runs a fuzz target over the files and folders named on the command line, for
 * compilers without libFuzzer: what fuzzing once found stays tested.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gate/util/fs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replay_file(const char *path)
{
	struct gate_error err;
	uint8_t *exact;
	char *text;
	size_t len;

	if (gate_fs_read(path, 1 << 26, &text, &len, &err)) {
		fprintf(stderr, "%s\n", err.message);
		return 1;
	}
	/* Without the NUL behind it, so that sanitizers see an overrun. */
	exact = malloc(len ? len : 1);
	if (exact) {
		memcpy(exact, text, len);
		LLVMFuzzerTestOneInput(exact, len);
	}
	free(exact);
	free(text);
	return 0;
}

static int replay(const char *path)
{
	struct dirent *entry;
	DIR *dir = opendir(path);
	char *inside;
	int failed = 0;

	if (!dir)
		return replay_file(path);
	while ((entry = readdir(dir)) != NULL) {
		if (entry->d_name[0] == '.')
			continue;
		inside = gate_fs_join(path, entry->d_name);
		failed |= replay(inside);
		free(inside);
	}
	closedir(dir);
	return failed;
}

int main(int argc, char **argv)
{
	int i, failed = 0;

	for (i = 1; i < argc; i++)
		failed |= replay(argv[i]);
	return failed;
}
