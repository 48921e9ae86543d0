/* gate list: what this gate has built in. */
#include <stdio.h>
#include <string.h>

#include "gate/cli.h"
#include "gate/parse.h"
#include "gate/runners/runner.h"
#include "reporters/reporter.h"

static const struct gate_cli_option options[] = {
	{NULL, GATE_CLI_FLAG, NULL, NULL},
};

static void list_parsers(void)
{
	size_t i;

	for (i = 0; gate_parsers[i]; i++)
		printf("%-10s %s\n", gate_parsers[i]->name,
		       gate_parsers[i]->description);
}

static void list_runners(void)
{
	size_t i;

	for (i = 0; gate_runners[i]; i++)
		printf("%-10s %s\n", gate_runners[i]->name,
		       gate_runners[i]->description);
}

static void list_reporters(void)
{
	size_t i;

	for (i = 0; gate_reporters[i]; i++)
		printf("%-10s %s\n", gate_reporters[i]->name,
		       gate_reporters[i]->description);
}

static int run(const struct gate_cli *cli, struct gate_error *err)
{
	if (!strcmp(cli->words[0], "parsers"))
		list_parsers();
	else if (!strcmp(cli->words[0], "runners"))
		list_runners();
	else if (!strcmp(cli->words[0], "reporters"))
		list_reporters();
	else
		return gate_error_set(err, GATE_EUSAGE,
				      "\"%s\" cannot be listed; there are "
				      "parsers, runners and reporters",
				      cli->words[0]);
	return GATE_OK;
}

const struct gate_cli_command gate_cmd_list = {
	.name = "list",
	.summary = "what is built in",
	.usage = "  gate list parsers|runners|reporters",
	.options = options,
	.min_words = 1,
	.max_words = 1,
	.run = run,
};
