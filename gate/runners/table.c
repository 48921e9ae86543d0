#include <stddef.h>
#include <string.h>

#include "gate/runners/runner.h"

const struct gate_runner *const gate_runners[] = {
	&gate_runner_qemu, &gate_runner_local, &gate_runner_replay, NULL};

const struct gate_runner *gate_runner_find(const char *name)
{
	size_t i;

	for (i = 0; gate_runners[i]; i++)
		if (strcmp(gate_runners[i]->name, name) == 0)
			return gate_runners[i];
	return NULL;
}
