#include "gate/cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gate/util/mem.h"
#include "gate/util/num.h"
#include "gate/util/str.h"

static const struct gate_cli_option common[] = {
	{"--help", GATE_CLI_FLAG, NULL, "show this and exit"},
	{"--version", GATE_CLI_FLAG, NULL, "show the version and exit"},
	{"--quiet", GATE_CLI_FLAG, NULL, "-q: only results and errors"},
	{"--verbose", GATE_CLI_FLAG, NULL, "-v: every row and step"},
	{"--color", GATE_CLI_VALUE, "auto|always|never",
	 "colours in the text report"},
	{"--no-progress", GATE_CLI_FLAG, NULL, "no progress on standard error"},
	{NULL, GATE_CLI_FLAG, NULL, NULL},
};

static const struct gate_cli_option *
find_option(const struct gate_cli_option *options, const char *name)
{
	for (; options->name; options++)
		if (!strcmp(options->name, name))
			return options;
	return NULL;
}

static int unknown_option(const struct gate_cli *cli, const char *name,
			  struct gate_error *err)
{
	const char *names[64] = {0}, *near;
	size_t n = 0, i;

	for (i = 0; common[i].name; i++)
		names[n++] = common[i].name;
	for (i = 0; cli->command->options[i].name && n < 63; i++)
		names[n++] = cli->command->options[i].name;
	near = gate_str_nearest(name, names);
	return gate_error_set(
		err, GATE_EUSAGE, "unknown option %s%s%s%s; see gate %s --help",
		name, near ? "; did you mean " : "", near ? near : "",
		near ? "?" : "", cli->command->name);
}

static int take_color(struct gate_cli *cli, const char *value,
		      struct gate_error *err)
{
	static const char *const names[] = {"auto", "always", "never"};
	size_t i;

	for (i = 0; i < 3; i++)
		if (!strcmp(value, names[i])) {
			cli->color = (enum gate_color)i;
			return GATE_OK;
		}
	return gate_error_set(err, GATE_EUSAGE,
			      "--color is \"%s\", but must be auto, always or "
			      "never",
			      value);
}

static int take(struct gate_cli *cli, const struct gate_cli_option *o,
		const char *value, struct gate_error *err)
{
	if (!strcmp(o->name, "--help"))
		cli->help = true;
	else if (!strcmp(o->name, "--version"))
		cli->version = true;
	else if (!strcmp(o->name, "--quiet"))
		cli->quiet = true;
	else if (!strcmp(o->name, "--verbose"))
		cli->verbose = true;
	else if (!strcmp(o->name, "--no-progress"))
		cli->no_progress = true;
	else if (value && !strcmp(o->name, "--color"))
		return take_color(cli, value, err);
	else
		GATE_PUSH(cli->given, cli->n_given, cli->cap_given,
			  (struct gate_cli_given){o, value});
	return GATE_OK;
}

static bool is_option(const char *word)
{
	return word[0] == '-' && word[1] != '\0';
}

/* The option at argv[*i]; moves *i to its last word. */
static int parse_option(struct gate_cli *cli, int argc, char **argv, int *i,
			struct gate_error *err)
{
	const char *word = argv[*i], *equals = strchr(word, '=');
	const struct gate_cli_option *o;
	char *name;
	int rc = GATE_OK;

	if (!strcmp(word, "-q"))
		name = gate_strdup("--quiet");
	else if (!strcmp(word, "-v"))
		name = gate_strdup("--verbose");
	else if (!strcmp(word, "-h"))
		name = gate_strdup("--help");
	else
		name = equals ? gate_strndup(word, (size_t)(equals - word))
			      : gate_strdup(word);
	o = find_option(common, name);
	if (!o)
		o = find_option(cli->command->options, name);
	if (!o) {
		rc = unknown_option(cli, name, err);
	} else if (o->kind == GATE_CLI_FLAG) {
		rc = equals ? gate_error_set(err, GATE_EUSAGE,
					     "%s takes no value", name)
			    : take(cli, o, NULL, err);
	} else if (equals) {
		rc = take(cli, o, equals + 1, err);
	} else if (*i + 1 >= argc ||
		   (is_option(argv[*i + 1]) && o->kind == GATE_CLI_MANY)) {
		rc = gate_error_set(err, GATE_EUSAGE, "%s needs %s", name,
				    o->value);
	} else {
		rc = take(cli, o, argv[++*i], err);
		while (!rc && o->kind == GATE_CLI_MANY && *i + 1 < argc &&
		       !is_option(argv[*i + 1]))
			rc = take(cli, o, argv[++*i], err);
	}
	free(name);
	return rc;
}

static int find_command(struct gate_cli *cli, const char *name,
			struct gate_error *err)
{
	const char *names[64] = {0}, *near;
	size_t i;

	for (i = 0; gate_commands[i]; i++) {
		if (!strcmp(gate_commands[i]->name, name)) {
			cli->command = gate_commands[i];
			return GATE_OK;
		}
		if (i < 63)
			names[i] = gate_commands[i]->name;
	}
	near = gate_str_nearest(name, names);
	return gate_error_set(err, GATE_EUSAGE,
			      "unknown command \"%s\"%s%s%s; see gate --help",
			      name, near ? "; did you mean \"" : "",
			      near ? near : "", near ? "\"?" : "");
}

static int check_words(const struct gate_cli *cli, struct gate_error *err)
{
	const struct gate_cli_command *c = cli->command;

	if (cli->help || cli->version)
		return GATE_OK;
	if (cli->n_words > c->max_words)
		return gate_error_set(err, GATE_EUSAGE,
				      "\"%s\" is one word too many; see gate "
				      "%s --help",
				      cli->words[c->max_words], c->name);
	if (cli->n_words < c->min_words)
		return gate_error_set(err, GATE_EUSAGE,
				      "gate %s needs more words; see gate %s "
				      "--help",
				      c->name, c->name);
	return GATE_OK;
}

int gate_cli_parse(int argc, char **argv, struct gate_cli *cli,
		   struct gate_error *err)
{
	bool words_only = false;
	int rc, i;

	*cli = (struct gate_cli){0};
	if (argc < 2 || !strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") ||
	    !strcmp(argv[1], "help")) {
		cli->help = true;
		return argc < 2 ? gate_error_set(err, GATE_EUSAGE,
						 "no command; see gate --help")
				: GATE_OK;
	}
	if (!strcmp(argv[1], "--version")) {
		cli->version = true;
		return GATE_OK;
	}
	rc = find_command(cli, argv[1], err);
	for (i = 2; i < argc && !rc; i++) {
		if (!words_only && !strcmp(argv[i], "--"))
			words_only = true;
		else if (!words_only && is_option(argv[i]))
			rc = parse_option(cli, argc, argv, &i, err);
		else
			GATE_PUSH(cli->words, cli->n_words, cli->cap_words,
				  argv[i]);
	}
	return rc ? rc : check_words(cli, err);
}

void gate_cli_done(struct gate_cli *cli)
{
	free(cli->words);
	free(cli->given);
	*cli = (struct gate_cli){0};
}

bool gate_cli_has(const struct gate_cli *cli, const char *option)
{
	size_t i;

	for (i = 0; i < cli->n_given; i++)
		if (!strcmp(cli->given[i].option->name, option))
			return true;
	return false;
}

const char *gate_cli_value(const struct gate_cli *cli, const char *option,
			   const char *otherwise)
{
	size_t i;

	for (i = cli->n_given; i-- > 0;)
		if (!strcmp(cli->given[i].option->name, option))
			return cli->given[i].value;
	return otherwise;
}

const char **gate_cli_values(const struct gate_cli *cli, const char *option,
			     size_t *n)
{
	const char **values = NULL;
	size_t cap = 0, i;

	*n = 0;
	for (i = 0; i < cli->n_given; i++)
		if (!strcmp(cli->given[i].option->name, option))
			GATE_PUSH(values, *n, cap, cli->given[i].value);
	return values;
}

int gate_cli_uint(const struct gate_cli *cli, const char *option, unsigned min,
		  unsigned max, unsigned *ret, struct gate_error *err)
{
	const char *s = gate_cli_value(cli, option, NULL);
	uint64_t v;

	if (!s)
		return GATE_OK;
	if (!gate_num_u64(s, strlen(s), &v) || v < min || v > max)
		return gate_error_set(err, GATE_EUSAGE,
				      "%s is \"%s\", but must be a whole "
				      "number between %u and %u",
				      option, s, min, max);
	*ret = (unsigned)v;
	return GATE_OK;
}

static void print_options(const struct gate_cli_option *o)
{
	char left[64];

	for (; o->name; o++) {
		snprintf(left, sizeof left, "%s%s%s%s", o->name,
			 o->value ? " " : "", o->value ? o->value : "",
			 o->kind == GATE_CLI_MANY ? "..." : "");
		if (strlen(left) > 26)
			printf("  %s\n  %26s  %s\n", left, "", o->help);
		else
			printf("  %-26s  %s\n", left, o->help);
	}
}

void gate_cli_help(const struct gate_cli *cli)
{
	size_t i;

	if (cli->command) {
		printf("gate %s: %s\n\nusage:\n%s\n\n", cli->command->name,
		       cli->command->summary, cli->command->usage);
		if (cli->command->options[0].name) {
			puts("options:");
			print_options(cli->command->options);
			putchar('\n');
		}
		puts("for every command:");
		print_options(common);
		return;
	}
	puts("gate: does this commit make kernel crypto slower, and how sure "
	     "are we?\n\nusage: gate COMMAND ...; gate COMMAND --help "
	     "says more\n");
	for (i = 0; gate_commands[i]; i++)
		printf("  %-10s %s\n", gate_commands[i]->name,
		       gate_commands[i]->summary);
	puts("\nexit codes: 0 no regression, 1 regression, 2 wrong usage or "
	     "configuration,\n3 inconclusive, 4 could not measure");
}
