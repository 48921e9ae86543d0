/*
 * result.json itself, for other programs.
 */
#include "reporters/reporter.h"

#include <stdlib.h>

static void render(const struct gate_result *r,
		   const struct gate_report_opts *opts, struct gate_str *out)
{
	char *text = gate_result_json(r);

	(void)opts;
	gate_str_puts(out, text);
	free(text);
}

const struct gate_reporter gate_reporter_json = {
	.name = "json",
	.description = "the result as data (gate-result/1)",
	.render = render,
};
