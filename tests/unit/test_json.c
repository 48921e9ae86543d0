#include <criterion/criterion.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gate/util/json.h"
#include "gate/util/str.h"

static int parse(const char *text, struct gate_json *j, struct gate_error *err)
{
	return gate_json_parse("f.json", text, strlen(text), GATE_ECONFIG, j,
			       err);
}

Test(json, says_line_and_column_of_a_syntax_error)
{
	struct gate_json j;
	struct gate_error err;

	cr_assert_eq(parse("{\n  \"a\": 1,\n  \"b\": oops\n}", &j, &err),
		     GATE_ECONFIG);
	cr_assert_str_eq(err.message, "f.json:3:8: not JSON from here on");
	cr_assert_eq(parse("{\"a\": [1, 2", &j, &err), GATE_ECONFIG);
	cr_assert(strstr(err.message, "ends too early"), "%s", err.message);
}

Test(json, keeps_positions_behind_comments)
{
	static const char text[] = "// one\n/* two\n three */ {\n"
				   "  \"url\": \"http://x/*y*/\", // kept\n"
				   "  \"typo\": 1 }";
	static const char *const keys[] = {"url", "type", NULL};
	struct gate_json j;
	struct gate_error err;
	const char *url = NULL;

	cr_assert_eq(parse(text, &j, &err), 0, "%s", err.message);
	cr_assert_eq(gate_json_string(&j, j.root, "url", &url, &err), 0);
	cr_assert_str_eq(url, "http://x/*y*/");
	cr_assert_eq(gate_json_keys(&j, j.root, keys, &err), GATE_ECONFIG);
	cr_assert_str_eq(err.message, "f.json:5:3: unknown key \"typo\"; did "
				      "you mean \"type\"?");
	gate_json_done(&j);
}

Test(json, finds_values_deep_inside)
{
	static const char text[] =
		"{\"a\": [], \"b\": {}, \"c\": [[1, 2], {\"d\": \"x\\\"y\",\n"
		" \"e\": [true, -5]}]}";
	struct gate_json j;
	struct gate_error err;
	const cJSON *e;

	cr_assert_eq(parse(text, &j, &err), 0);
	e = cJSON_GetObjectItem(j.root, "c")->child->next->child->next;
	gate_json_error(&j, e->child->next, GATE_ESYNTAX, &err, "here");
	cr_assert_str_eq(err.message, "f.json:2:14: here");
	gate_json_done(&j);
}

Test(json, refuses_what_would_be_silently_lost_or_deep)
{
	struct gate_json j;
	struct gate_error err;
	char deep[200];

	cr_assert_eq(parse("{\"a\": 1, \"b\": {\"c\": 1, \"c\": 2}}", &j, &err),
		     GATE_ECONFIG);
	cr_assert(strstr(err.message, "\"c\" stands twice"), "%s", err.message);
	memset(deep, '[', sizeof deep);
	cr_assert_eq(
		gate_json_parse("f", deep, sizeof deep, GATE_ESYNTAX, &j, &err),
		GATE_ESYNTAX);
	cr_assert(strstr(err.message, "nested deeper"));
	cr_assert_eq(gate_json_parse("f", "{}\0x", 4, GATE_ESYNTAX, &j, &err),
		     GATE_ESYNTAX);
	cr_assert_eq(parse("{\"a\": \"sh\\u0000x\"}", &j, &err), GATE_ECONFIG);
	cr_assert(strstr(err.message, "u0000"), "%s", err.message);
	cr_assert_eq(parse("{} x", &j, &err), GATE_ECONFIG);
	cr_assert_eq(parse("", &j, &err), GATE_ECONFIG);
}

Test(json, getters_name_the_key_and_what_it_is)
{
	struct gate_json j;
	struct gate_error err;
	unsigned u = 5;
	double d;
	bool b;

	cr_assert_eq(parse("{\"n\": \"x\", \"u\": 1.5, \"big\": 99}", &j, &err),
		     0);
	cr_assert_eq(gate_json_number(&j, j.root, "n", 0, 1, &d, &err),
		     GATE_ECONFIG);
	cr_assert(strstr(err.message, "\"n\" must be a number, not a string"));
	cr_assert_eq(gate_json_uint(&j, j.root, "u", 0, 9, &u, &err),
		     GATE_ECONFIG);
	cr_assert(strstr(err.message, "whole number"));
	cr_assert_eq(gate_json_uint(&j, j.root, "big", 0, 9, &u, &err),
		     GATE_ECONFIG);
	cr_assert(strstr(err.message, "between 0 and 9"));
	cr_assert_eq(gate_json_bool(&j, j.root, "absent", &b, &err), 0);
	cr_assert_eq(u, 5);
	gate_json_done(&j);
}

Test(json, prints_hostile_strings_as_valid_json)
{
	cJSON *o = cJSON_CreateObject(), *back;
	char *text;

	cJSON_AddStringToObject(o, "s",
				"a\"b\\c\n\x01\xff\xc3\xa9\xed\xa0\x80");
	gate_json_add_number(o, "nan", (double)NAN);
	gate_json_add_number(o, "third", 1.0 / 3);
	text = gate_json_print(o, false);
	cr_assert_str_eq(text, "{\"s\":\"a\\\"b\\\\c\\n\\u0001\xef\xbf\xbd"
			       "\xc3\xa9\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"
			       "\",\"nan\":null,\"third\":0.3333333333333333}");
	back = cJSON_Parse(text);
	cr_assert_not_null(back);
	cJSON_Delete(back);
	free(text);
	cJSON_Delete(o);
}
