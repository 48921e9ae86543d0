#include "reporters/reporter.h"

#include <stddef.h>
#include <string.h>

const struct gate_reporter *const gate_reporters[] = {
	&gate_reporter_text,
	&gate_reporter_markdown,
	&gate_reporter_junit,
	&gate_reporter_json,
	NULL,
};

const struct gate_reporter *gate_reporter_find(const char *name)
{
	size_t i;

	for (i = 0; gate_reporters[i]; i++)
		if (!strcmp(gate_reporters[i]->name, name))
			break;
	return gate_reporters[i];
}
