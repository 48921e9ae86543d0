/*
 * The configuration: gate.json as data, checked.
 *
 * It knows every key, its type and range, and nothing of what happens next.
 * Faults are GATE_ECONFIG with file, line, column and the nearest real name.
 */
#ifndef GATE_CONFIG_H
#define GATE_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gate/policy.h"
#include "gate/rename.h"
#include "gate/sample_set.h"
#include "gate/util/error.h"

/* A NULL-terminated argument vector; owned by its struct. */
typedef char **gate_argv;

struct gate_build {
	gate_argv *commands;
	size_t n_commands, cap_commands;
	uint64_t timeout_ms; /* for each command */
};

enum gate_accel { GATE_ACCEL_AUTO, GATE_ACCEL_KVM, GATE_ACCEL_TCG };

struct gate_job {
	char *name;
	char *runner; /* "qemu", "local", "replay" */
	enum gate_clock clock;
	char *bench;  /* "tcrypt", "xor"; NULL with a command of its own */
	char *parser; /* "auto", a name, or a plug-in's absolute path */
	gate_argv parser_command;   /* a program instead; NULL: none */
	uint64_t parser_timeout_ms; /* 0: the default of gate/plugin.h */
	/* tcrypt */
	unsigned *modes;
	size_t n_modes, cap_modes;
	unsigned sec, num_mb; /* num_mb 0: the module's default */
	unsigned klen;        /* 0: not given */
	char *alg;            /* NULL: not given */
	long type, mask;      /* -1: not given */
	/* command */
	gate_argv command;
	/* qemu */
	char *cpu; /* "max" */
	enum gate_accel accel;
	unsigned memory_mb;
	gate_argv load;   /* modules to load besides those of the bench */
	gate_argv append; /* kernel command line words */
	char *image;      /* globs below GATE_BUILD */
	char *modules;
	/* replay */
	char *logs[2];       /* a folder of round logs a side */
	uint64_t timeout_ms; /* for each round */
	bool allow_empty;
	/* The share of a processor below which a round by wall clock is
	 * contaminated; 0: nobody looks. */
	double cpu_share;
};

struct gate_rounds {
	unsigned min, max;           /* wall clock */
	unsigned insn_min, insn_max; /* instruction clock */
	uint64_t budget_ms;
};

struct gate_config {
	char *path; /* where it came from, for messages and reports */
	struct gate_build build;
	struct gate_job *jobs;
	size_t n_jobs, cap_jobs;
	struct gate_rounds rounds;
	struct gate_policy policy;
	struct gate_renames renames;
};

/* An empty configuration with all defaults (what `compare` uses). */
struct gate_config *gate_config_new(void);
void gate_config_free(struct gate_config *c); /* NULL is fine */
/* Parses `len` bytes of `text`; `path` is for messages. Without `need_jobs` a
 * configuration may hold a policy only. */
int gate_config_parse(const char *path, const char *text, size_t len,
		      bool need_jobs, struct gate_config **ret,
		      struct gate_error *err);

#endif
