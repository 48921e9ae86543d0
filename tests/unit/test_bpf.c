#include "gate/util/str.h"
#include "unit/parsing.h"

#define STARTED "Benchmark 'crypto-encrypt' started.\n"
#define ITER(n, drift, hits)                                                   \
	"Iter   " n " (" drift "us): hits    " hits "M/s (  " hits             \
	"M/prod), drops    0.000M/s, total operations    " hits "M/s\n"
#define SUMMARY(hits)                                                          \
	"Summary: hits    " hits " \xc2\xb1 0.228M/s (  " hits                 \
	"M/prod), drops    0.000 \xc2\xb1 0.000M/s, total operations    " hits \
	" \xc2\xb1 0.228M/s\n"

static void expect_row(const struct parsed *p, const char *row, size_t nth,
		       enum gate_unit unit, double value, double resolution)
{
	const struct gate_sample *s = row_at(p, "bpf", row, nth);

	cr_expect_eq(s->status, GATE_SAMPLE_OK, "%s", row);
	cr_expect_eq(s->unit, unit, "%s", row);
	cr_expect_eq(s->better, gate_unit_better(unit), "%s", row);
	cr_expect_eq(s->value, value, "%s is %.17g", row, s->value);
	cr_expect_eq(s->resolution, resolution, "%s by %.17g", row,
		     s->resolution);
}

/* One line, and all that comes of it. */
static struct parsed parse_named(const char *line)
{
	struct gate_str log = {0};
	struct parsed p;

	gate_str_puts(&log, "Benchmark 'x' started.\n");
	gate_str_puts(&log, line);
	p = parse_text("bpf", gate_str_text(&log));
	gate_str_done(&log);
	return p;
}

Test(bpf, takes_iterations_and_leaves_the_warm_up_out)
{
	struct parsed p = parse_fixture("bpf_crypto_decrypt_clean_before.log");
	static const double hits[] = {5105000, 5224000, 4630000, 5148000,
				      5198000, 5167000, 5186000};
	const struct gate_sample *s;
	size_t i;

	cr_assert_eq(p.set->n, 7);
	for (i = 0; i < 7; i++) {
		s = &p.set->items[i].s;
		cr_expect_str_eq(s->row, "crypto-decrypt/hits");
		cr_expect_eq(s->value, hits[i]);
		cr_expect_eq(s->unit, GATE_UNIT_OP_PER_S);
		cr_expect_eq(s->resolution, 1000);
		cr_expect_eq(s->iter, (int32_t)i);
		cr_expect_eq(s->warmup, i == 0);
		cr_expect_eq(s->line, 6 + i);
	}
	cr_expect_str_eq(remark(&p, "bpf.summary"), "");
	parsed_done(&p);
}

Test(bpf, reads_through_quoted_printable)
{
	struct parsed p =
		parse_fixture("bpf_crypto_decrypt_quoted_printable.log");

	cr_expect_eq(p.set->n, 7);
	expect_row(&p, "crypto-decrypt/hits", 6, GATE_UNIT_OP_PER_S, 5186000,
		   1000);
	cr_expect_str_eq(remark(&p, "bpf.summary"), "");
	parsed_done(&p);
}

Test(bpf, fails_a_benchmark_that_did_nothing)
{
	struct parsed p = parse_fixture("bpf_crypto_decrypt_all_zero_p4.log");

	cr_expect_eq(p.set->n, 3);
	cr_expect_eq(p.stats.complete, 0);
	cr_expect_eq(count_status(&p, "bpf", GATE_SAMPLE_FAILED), 3);
	cr_expect_str_eq(p.set->items[1].s.row, "crypto-decrypt/hits");
	parsed_done(&p);
	p = parse_named("Summary: throughput    0.000 \xc2\xb1 0.000 M ops/s "
			"(  0.000M ops/prod), latency      inf ns/op\n");
	cr_expect_eq(p.set->n, 1);
	cr_expect_eq(row_at(&p, "bpf", "x/throughput", 0)->status,
		     GATE_SAMPLE_FAILED);
	parsed_done(&p);
}

Test(bpf, reads_operations_as_throughput)
{
	struct parsed p = parse_fixture("bpf_lpm_trie_noop.log");

	cr_expect_eq(p.set->n, 9);
	expect_row(&p, "lpm-trie-noop/throughput", 0, GATE_UNIT_OP_PER_S,
		   74567000, 1000);
	cr_expect(row_at(&p, "bpf", "lpm-trie-noop/throughput", 0)->warmup);
	expect_row(&p, "lpm-trie-noop/throughput", 6, GATE_UNIT_OP_PER_S,
		   74610000, 1000);
	expect_row(&p, "lpm-trie-baseline/throughput", 1, GATE_UNIT_OP_PER_S,
		   36330000, 1000);
	cr_expect_str_eq(remark(&p, "bpf.summary"), "");
	cr_expect_not_null(strstr(remark(&p, "parse.incomplete"), "Iter   2"));
	parsed_done(&p);
}

Test(bpf, reports_a_summary_that_is_not_the_mean)
{
	struct parsed p =
		parse_text("bpf", STARTED ITER("0", " 1.000", "9.000")
					  ITER("1", " 1.000", "5.000")
						  ITER("2", "-1.000", "5.200")
							  SUMMARY("5.200"));

	/* 5.2 is the mean of the last one alone: a longer warm-up. */
	cr_expect_str_eq(remark(&p, "bpf.summary"), "");
	cr_expect(p.set->items[1].s.warmup);
	cr_expect_not(p.set->items[2].s.warmup);
	parsed_done(&p);
	p = parse_text("bpf", STARTED ITER("0", " 1.000", "9.000")
				      ITER("1", " 1.000", "5.000")
					      ITER("2", "-1.000", "5.200")
						      SUMMARY("5.103"));
	cr_expect_not_null(strstr(remark(&p, "bpf.summary"),
				  "the summary of crypto-encrypt is not the "
				  "mean of its iterations"));
	cr_expect_not(p.set->items[1].s.warmup);
	parsed_done(&p);
}

/* The iterations are divided by the time that passed, the summary is not. */
Test(bpf, allows_for_the_drift_of_an_iteration)
{
	struct parsed p = parse_text(
		"bpf", STARTED ITER("0", "     1.000", "70.000")
			       ITER("1", "100000.000", "70.000")
				       ITER("2", "100000.000", "70.000")
					       SUMMARY("77.000"));

	cr_expect_str_eq(remark(&p, "bpf.summary"), "");
	parsed_done(&p);
}

Test(bpf, uses_the_summary_where_iterations_are_missing)
{
	struct parsed p = parse_text("bpf", STARTED SUMMARY("5.092"));

	cr_expect_eq(p.set->n, 1);
	expect_row(&p, "crypto-encrypt/hits", 0, GATE_UNIT_OP_PER_S, 5092000,
		   1000);
	cr_expect_eq(p.set->items[0].s.iter, -1);
	parsed_done(&p);
	p = parse_text("bpf", SUMMARY("5.092"));
	cr_expect_eq(row_at(&p, "bpf", "?/hits", 0)->status,
		     GATE_SAMPLE_ORPHAN);
	parsed_done(&p);
}

Test(bpf, keeps_the_iterations_of_a_run_that_ended_early)
{
	struct parsed p = parse_text(
		"bpf", STARTED ITER("0", " 1.000", "9.000")
			       ITER("1", " 1.000", "5.000") STARTED ITER(
				       "0", " 1.000", "8.000") "Iter   1 (12");

	cr_expect_eq(p.set->n, 3);
	expect_row(&p, "crypto-encrypt/hits", 1, GATE_UNIT_OP_PER_S, 5000000,
		   1000);
	cr_expect(p.set->items[2].s.warmup);
	parsed_done(&p);
}

Test(bpf, reports_drops_once)
{
	struct parsed p = parse_named(
		"Iter   0 (  1.000us): hits 1.000M/s (1.000M/prod), drops "
		"2.500M/s\n"
		"Iter   1 (  1.000us): hits 1.000M/s (1.000M/prod), drops "
		"0.250M/s\n"
		"Iter   2 (  1.000us): hits 1.000M/s (1.000M/prod), drops "
		"0.500M/s\n");

	cr_expect_eq(p.set->n, 3);
	cr_expect_not_null(strstr(remark(&p, "bpf.drops"),
				  "x dropped operations: 250000 a second"));
	cr_expect_eq(p.diags.n, 1);
	parsed_done(&p);
}

Test(bpf, joins_what_a_mailer_wrapped)
{
	struct parsed p = parse_text(
		"bpf", "> Benchmark 'crypto-encrypt' started.\n"
		       "> Iter   0 (  1.000us): hits    5.105M/s (  "
		       "5.105M/prod), drops\n"
		       "> 0.000M/s, total operations    5.105M/s\n"
		       "> Iter   1 (-17.295us): hits    5.224M/s (\n"
		       "> 5.224M/prod), drops 0.000M/s,\n"
		       "> total operations\n"
		       "> 5.224M/s\n"
		       "> Summary: hits    5.224 \xc2\xb1 0.000M/s (  "
		       "5.224M/prod), drops    0.000 \xc2\xb1\n"
		       "> 0.000M/s, total operations    5.224 \xc2\xb1 "
		       "0.000M/s\n");

	cr_expect_eq(p.set->n, 2);
	expect_row(&p, "crypto-encrypt/hits", 1, GATE_UNIT_OP_PER_S, 5224000,
		   1000);
	cr_expect_eq(p.set->items[1].s.line, 4);
	cr_expect_eq(p.stats.unparsed, 0);
	cr_expect_str_eq(remark(&p, "bpf.summary"), "");
	parsed_done(&p);
}

Test(bpf, reads_local_storage)
{
	struct parsed p = parse_named("Iter   1 (  1.000us): hits   20.013M/s "
				      "important_hits    2.001M/s\n");

	cr_expect_eq(p.set->n, 2);
	expect_row(&p, "x/throughput", 0, GATE_UNIT_OP_PER_S, 20013000, 1000);
	expect_row(&p, "x/important_hits", 0, GATE_UNIT_OP_PER_S, 2001000,
		   1000);
	parsed_done(&p);
	p = parse_named("Summary: hits throughput   20.013 \xc2\xb1 0.818 M "
			"ops/s, hits latency   49.967 ns/op, important_hits "
			"throughput    2.001 \xc2\xb1 0.082 M ops/s\n");
	cr_expect_eq(p.set->n, 3);
	expect_row(&p, "x/latency", 0, GATE_UNIT_NS_PER_OP, 49.967, 0.001);
	parsed_done(&p);
}

Test(bpf, reads_memory)
{
	struct parsed p = parse_named(
		"Iter   1 (  1.000us): per-prod-op  115.90k/s, memory usage    "
		"2.50MiB\n");

	expect_row(&p, "x/throughput", 0, GATE_UNIT_OP_PER_S, 115900, 10);
	expect_row(&p, "x/memory", 0, GATE_UNIT_B, 2621440, 10485.76);
	parsed_done(&p);
	p = parse_named("Summary: per-prod-op  115.90 \xc2\xb1    0.04k/s, "
			"memory usage    2.50 \xc2\xb1    0.12MiB, peak memory "
			"usage    2.75MiB\n");
	cr_expect_eq(p.set->n, 3);
	expect_row(&p, "x/peak_memory", 0, GATE_UNIT_B, 2883584, 10485.76);
	parsed_done(&p);
}

Test(bpf, reads_creations)
{
	struct parsed p = parse_named(
		"Iter   1 (  1.000us): creates   30.456k/s ( 30.456k/prod), "
		"6.08 kmallocs/create\n"
		"Summary: creates   30.456 \xc2\xb1 0.507k/s ( 30.456k/prod), "
		"6.08 kmallocs/create\n");

	cr_expect_eq(p.set->n, 1);
	expect_row(&p, "x/throughput", 0, GATE_UNIT_OP_PER_S, 30456, 1);
	parsed_done(&p);
}

Test(bpf, reads_false_hits_as_a_share)
{
	struct parsed p = parse_named(
		"Iter   1 (  1.000us): 12 false hits of 400 total operations. "
		"Percentage = 3.00 %\n"
		"Iter   2 (  1.000us): 0 false hits of 500 total operations. "
		"Percentage = 0.00 %\n");

	expect_row(&p, "x/false_hits", 0, GATE_UNIT_ONE, 0.03, 0.0025);
	expect_row(&p, "x/false_hits", 1, GATE_UNIT_ONE, 0, 0.002);
	parsed_done(&p);
}

Test(bpf, reads_grace_periods)
{
	struct parsed p = parse_named(
		"Iter 1\t avg tasks_trace grace period latency\t1234.500000 "
		"ns\n"
		"Iter 1\t avg ticks per tasks_trace grace period\t0.500000\n");

	cr_expect_eq(p.set->n, 1);
	expect_row(&p, "x/latency", 0, GATE_UNIT_NS_PER_OP, 1234.5, 1e-6);
	parsed_done(&p);
	p = parse_named("SUMMARY tasks_trace grace period latency\tavg 12.345 "
			"us\tstddev 0.400 us\n"
			"SUMMARY ticks per tasks_trace grace period\tavg "
			"0.500\tstddev 0.100\n");
	cr_expect_eq(p.set->n, 1);
	expect_row(&p, "x/latency", 0, GATE_UNIT_NS_PER_OP, 12345, 1);
	cr_expect_eq(p.stats.unparsed, 0);
	parsed_done(&p);
}

/* 7.2: insertions time themselves, and freeing a whole trie is slow. */
Test(bpf, reads_tries_in_thousands_and_milliseconds)
{
	struct parsed p = parse_named(
		"Iter   1 (  1.000us): hits    0.740K/s (  0.740K/prod)\n");

	expect_row(&p, "x/throughput", 0, GATE_UNIT_OP_PER_S, 740, 1);
	parsed_done(&p);
	p = parse_named("Summary: throughput    0.740 \xc2\xb1 0.008 K ops/s "
			"(  0.740K ops/prod), latency    1.351 ms/op\n");
	expect_row(&p, "x/throughput", 0, GATE_UNIT_OP_PER_S, 740, 1);
	expect_row(&p, "x/latency", 0, GATE_UNIT_NS_PER_OP, 1351000, 1000);
	parsed_done(&p);
}

Test(bpf, reads_sockmap)
{
	struct parsed p = parse_named(
		"Iter   1 (  1.000us): Send Speed  100.500 MB/s (  12.000 "
		"calls/s), BPF Speed   99.500 MB/s, Rcv Speed   98.500 MB/s (  "
		"13.000 calls/s)\n");

	cr_expect_eq(p.set->n, 3);
	expect_row(&p, "x/direction=send/throughput", 0, GATE_UNIT_B_PER_S,
		   100500000, 1000);
	expect_row(&p, "x/direction=bpf/throughput", 0, GATE_UNIT_B_PER_S,
		   99500000, 1000);
	expect_row(&p, "x/direction=receive/throughput", 0, GATE_UNIT_B_PER_S,
		   98500000, 1000);
	parsed_done(&p);
	p = parse_named("Summary: total trans      597 MB \xc2\xb1 99.500 "
			"MB/s\n");
	cr_expect_eq(p.set->n, 1);
	expect_row(&p, "x/direction=bpf/throughput", 0, GATE_UNIT_B_PER_S,
		   99500000, 1000);
	parsed_done(&p);
}

Test(bpf, reads_timed_scenarios_in_both_forms)
{
	struct parsed p = parse_text(
		"bpf", "tcp-v4-ch: median 84.02 ns/op, stddev 0.45, p99 85.10 "
		       "(250 samples)\n"
		       "RESULT scenario=tcp-v4-ch samples=250 median=84.02 "
		       "stddev=0.45 cv=0.54 min=83.00 p99=85.10 max=90.00\n");

	cr_expect_eq(p.set->n, 2);
	expect_row(&p, "tcp-v4-ch/latency", 0, GATE_UNIT_NS_PER_OP, 84.02,
		   0.01);
	expect_row(&p, "tcp-v4-ch/latency", 1, GATE_UNIT_NS_PER_OP, 84.02,
		   0.01);
	parsed_done(&p);
}

Test(bpf, reads_map_benchmarks_a_processor)
{
	struct parsed p = parse_text(
		"bpf", "0:hash_map_full_perf 302508 events per sec\n"
		       "Benchmark 'bpf-hashmap-lookup' started.\n"
		       "cpu01: lookup 45.123M \xc2\xb1 0.321M events/sec "
		       "(approximated from 32 samples of ~22ms)\n");

	cr_expect_eq(p.set->n, 2);
	expect_row(&p, "hash_map_full_perf/cpu=0/throughput", 0,
		   GATE_UNIT_OP_PER_S, 302508, 1);
	expect_row(&p, "bpf-hashmap-lookup/cpu=1/throughput", 0,
		   GATE_UNIT_OP_PER_S, 45123000, 1000);
	parsed_done(&p);
}

/* --- run_bench_*.sh ------------------------------------------------------- */

Test(bpf, keeps_headings_and_parameters_of_scripts_in_the_name)
{
	struct parsed p = parse_fixture("bpf_local_storage_run_bench.log");

	cr_expect_eq(p.set->n, 7);
	expect_row(&p,
		   "local_storage cache sequential get/section=Local Storage/"
		   "num_maps=10/throughput",
		   0, GATE_UNIT_OP_PER_S, 20013000, 1000);
	expect_row(&p,
		   "local_storage cache interleaved get/section=Local Storage/"
		   "num_maps=10/latency",
		   0, GATE_UNIT_NS_PER_OP, 43.198, 0.001);
	cr_expect_eq(row_at(&p, "bpf",
			    "local_storage cache sequential get/section=Local "
			    "Storage/num_maps=100",
			    0)
			     ->status,
		     GATE_SAMPLE_INCOMPLETE);
	parsed_done(&p);
}

Test(bpf, reads_the_memory_script)
{
	struct parsed p = parse_fixture("bpf_htab_mem_run_bench.log");

	cr_expect_eq(p.set->n, 11);
	expect_row(&p, "overwrite/throughput", 0, GATE_UNIT_OP_PER_S, 115900,
		   10);
	expect_row(&p, "overwrite/memory", 0, GATE_UNIT_B, 2.14 * 1048576,
		   10485.76);
	expect_row(&p, "add_del_on_diff_cpu/peak_memory", 0, GATE_UNIT_B,
		   31.2 * 1048576, 10485.76);
	expect_row(&p, "hash_map_perf kmalloc/cpu=1/throughput", 0,
		   GATE_UNIT_OP_PER_S, 161805, 1);
	parsed_done(&p);
}

Test(bpf, reads_every_form_of_the_scripts)
{
	struct parsed p = parse_text(
		"bpf",
		"preallocated\n============\n"
		"overwrite            per-prod-op: 115.90 \xc2\xb1 0.04k/s, "
		"avg mem: 2.50 \xc2\xb1 0.12MiB, peak mem: 2.75MiB\n"
		"\nBloom filter map\n================\n"
		"\tvalue_size: 8 bytes, # threads: 4, # hashes: 3\n"
		"10,000 entries -\n"
		"\tLookups, total operations:  81.234 \xc2\xb1 0.123M/s (drops "
		"0.000 \xc2\xb1 0.000M/s)\n"
		"\n\nbpf_loop\n========\n\tnr_threads: 2\n"
		"nr_iterations: 10     throughput: 50.250 \xc2\xb1 0.120 M "
		"ops/s, latency: 19.900 ns/op\n"
		"fentry         : 43.120 \xc2\xb1 0.500M/s\n");

	expect_row(&p, "overwrite/section=preallocated/memory", 0, GATE_UNIT_B,
		   2621440, 10485.76);
	expect_row(&p,
		   "Lookups, total operations/section=Bloom filter map/"
		   "value_size=8/threads=4/hashes=3/entries=10000/hits",
		   0, GATE_UNIT_OP_PER_S, 81234000, 1000);
	expect_row(&p,
		   "nr_iterations: 10/section=bpf_loop/nr_threads=2/latency", 0,
		   GATE_UNIT_NS_PER_OP, 19.9, 0.001);
	expect_row(&p, "fentry/section=bpf_loop/nr_threads=2/hits", 0,
		   GATE_UNIT_OP_PER_S, 43120000, 1000);
	cr_expect_eq(p.set->n, 7);
	cr_expect_eq(p.stats.unparsed, 0);
	parsed_done(&p);
}

Test(bpf, takes_nothing_from_prose)
{
	struct parsed p = parse_text(
		"bpf",
		"Summary: this makes things faster\n"
		"Iter was renamed.\nIter 5 of the patch\n"
		"We went from 4.1 to 5.092 \xc2\xb1 0.228M/s\n"
		" - creates  552.474 \xc2\xb1 1.186k/s (552.474k/prod), 2.10 "
		"kmallocs/create\n"
		"the median latency: 12 ns/op (a guess)\n"
		"cpu0: lookup failed\n"
		"12: events per sec\n");

	cr_expect_eq(p.set->n, 0);
	cr_expect_eq(p.stats.unparsed, 0);
	parsed_done(&p);
}

Test(bpf, counts_results_that_it_does_not_understand)
{
	struct parsed p =
		parse_named("Iter   0 (  1.000us): wakeups 12.000M/s\n"
			    "Summary: wakeups 12.000M/s\n");

	cr_expect_eq(p.set->n, 0);
	cr_expect_eq(p.stats.unparsed, 2);
	parsed_done(&p);
}

Test(bpf, is_not_led_astray_by_huge_numbers)
{
	struct parsed p = parse_named(
		"Iter 99999999999 (  1.000us): hits 1.000M/s (1.000M/prod)\n"
		"Iter 2147483647 (  1.000us): hits 1.000M/s (1.000M/prod)\n"
		"Summary: throughput 2.000 \xc2\xb1 0.000 M ops/s (2.000M "
		"ops/prod), latency 1.0 ns/op\n");

	cr_expect_eq(p.set->n, 1);
	cr_expect_eq(p.set->items[0].s.iter, 2147483647);
	parsed_done(&p);
}
