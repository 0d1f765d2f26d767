import type { Command } from "commander";
import type { RemoveFlags, TagFlags } from "../edit-runs.js";
import { parseCountFlag } from "../flag-values.js";
import type { SetExitCode } from "../program.js";
import type { QuarantineFlags } from "../quarantine.js";
import { DEFAULT_RUNS_DIR } from "../run-config.js";
import type { RunsFlags } from "../runs.js";

const EXAMPLES = `
Every command that takes a run takes its folder, its id (date and time are enough if they belong to one run), 'latest',
a tag or its title. If several runs have the tag or title, the newest is used.

Examples:
  assay runs                                     the newest 20 runs
  assay runs gsm8k large                         runs with these words in their title, tags, datasets, systems or id
  assay runs --tag nightly --since 7d
  assay runs --dataset gsm8k --system large --status complete -n 100
  assay runs --output json | jq '.runs[0].id'
  assay runs tag latest nightly
  assay runs rename latest "prompt without examples"
  assay runs quarantine latest q17 --reason "the answer key is wrong"
  assay runs rm 20261115-213334-gsm8k`;

const QUARANTINE_EXAMPLES = `
No row is deleted. 'report', 'compare', 'show' and the page leave the trials out of their figures, and say how many there
are and why. 'query' and exports as CSV or Parquet still contain them.

Examples:
  assay runs quarantine latest                                     what is put aside, and why
  assay runs quarantine latest q17 --reason "the answer key is wrong"
  assay runs quarantine latest 'q17#2' q18 --system large --reason "the service was down"
  assay runs quarantine latest q17 --undo`;

const TAG_EXAMPLES = `
Examples:
  assay runs tag latest nightly
  assay runs tag 20261115-213334-gsm8k good shipped
  assay runs tag latest good --remove`;

const RENAME_EXAMPLES = `
Examples:
  assay runs rename latest "prompt without examples"
  assay show "prompt without examples"`;

const REMOVE_EXAMPLES = `
Examples:
  assay runs rm 20261115-213334-gsm8k
  assay runs rm "first try" latest --yes`;

export function addRunsCommand(program: Command, done: SetExitCode): void {
  const runs = program
    .command("runs")
    .description("list stored runs; tag, rename or delete them; put trials aside")
    .argument("[words...]", "only runs with all of these words in their id, title, tags, datasets or systems")
    .option("--tag <name>", "only runs with this tag")
    .option("--system <name>", "only runs of this system")
    .option("--dataset <name>", "only runs on this dataset")
    .option("--status <name>", "only runs with this status: running, complete, incomplete, damaged")
    .option("--since <when>", "only runs started since this date (2026-11-01) or within this time (12h, 7d, 4w)")
    .option("-n, --limit <count>", "list at most this many runs", parseCountFlag, 20)
    .option("--output <name>", "print table or json", "table")
    .option("--runs-dir <dir>", "read run folders from here", DEFAULT_RUNS_DIR)
    // Flags after 'tag', 'rename', 'quarantine' or 'rm' belong to those.
    .enablePositionalOptions()
    .addHelpText("after", EXAMPLES)
    .action(async (words: string[], options: RunsFlags) => {
      const { executeRuns } = await import("../runs.js");
      done(await executeRuns(words, options));
    });
  addRunsTag(runs, done);
  addRunsRename(runs, done);
  addRunsQuarantine(runs, done);
  addRunsRemove(runs, done);
}

function addRunsTag(runs: Command, done: SetExitCode): void {
  addEditFlags(runs.command("tag"))
    .description("give a run tags, or take them from it")
    .argument("<run>", "a run folder or id, 'latest', a tag or a title")
    .argument("<tags...>", "letters, digits, dots, underscores and hyphens")
    .option("--remove", "take the tags from the run")
    .addHelpText("after", TAG_EXAMPLES)
    .action(async (run: string, tags: string[], options: TagFlags) => {
      const { executeTag } = await import("../edit-runs.js");
      done(await executeTag(run, tags, options));
    });
}

function addRunsRename(runs: Command, done: SetExitCode): void {
  addEditFlags(runs.command("rename"))
    .description("give a run another title; its id stays")
    .argument("<run>", "a run folder or id, 'latest', a tag or a title")
    .argument("<title>", "the new title, in quotes")
    .addHelpText("after", RENAME_EXAMPLES)
    .action(async (run: string, title: string, options: { runsDir: string }) => {
      const { executeRename } = await import("../edit-runs.js");
      done(await executeRename(run, title, options));
    });
}

function addRunsQuarantine(runs: Command, done: SetExitCode): void {
  addEditFlags(runs.command("quarantine"))
    .description("put trials aside with a reason, so that no figure counts them; lists them if no trial is named")
    .argument("<run>", "a run folder or id, 'latest', a tag or a title")
    .argument("[trials...]", "example ids for all of their trials, or ID#N for trial N, counted from 0")
    .option("--reason <text>", "why they must not count; reports show it")
    .option("--system <name>", "only trials of this system")
    .option("--dataset <name>", "only trials on this dataset")
    .option("--undo", "count the trials again")
    .addHelpText("after", QUARANTINE_EXAMPLES)
    .action(async (run: string, trials: string[], options: QuarantineFlags) => {
      const { executeQuarantine } = await import("../quarantine.js");
      done(await executeQuarantine(run, trials, options));
    });
}

function addRunsRemove(runs: Command, done: SetExitCode): void {
  addEditFlags(runs.command("rm"))
    .description("delete run folders, after asking")
    .argument("<runs...>", "run folders or ids, 'latest', tags or titles that only one run has")
    .option("-y, --yes", "do not ask")
    .addHelpText("after", REMOVE_EXAMPLES)
    .action(async (names: string[], options: RemoveFlags) => {
      const { executeRemove } = await import("../edit-runs.js");
      done(await executeRemove(names, options));
    });
}

const BASELINE_EXAMPLES = `
The baseline is the run with the tag 'baseline'. Setting it takes the tag from the run that had it.

Examples:
  assay baseline set latest
  assay compare baseline latest --fail-on-regression
  assay baseline                                 which run it is
  assay baseline save evals/baseline             a folder to commit, for CI
  assay baseline clear`;

const SAVE_EXAMPLES = `
Examples:
  assay baseline save evals/baseline                then: assay compare evals/baseline latest
  assay baseline save evals/baseline nightly`;

export function addBaselineCommand(program: Command, done: SetExitCode): void {
  const baseline = program
    .command("baseline")
    .description("show, set or clear the run that others are compared with")
    .option("--runs-dir <dir>", "read run folders from here", DEFAULT_RUNS_DIR)
    .enablePositionalOptions()
    .allowExcessArguments(false)
    .addHelpText("after", BASELINE_EXAMPLES)
    .action(async (options: { runsDir: string }) => {
      const { showBaseline } = await import("../edit-runs.js");
      done(await showBaseline(options));
    });
  addEditFlags(baseline.command("set"))
    .description("make a run the baseline")
    .argument("<run>", "a run folder or id, 'latest', a tag or a title")
    .action(async (run: string, options: { runsDir: string }) => {
      const { executeTag, BASELINE_TAG } = await import("../edit-runs.js");
      done(await executeTag(run, [BASELINE_TAG], options));
    });
  addEditFlags(baseline.command("save"))
    .description("copy a run without its outputs to a folder, to commit it or upload it as an artifact")
    .argument("<folder>", "a new folder, or one that holds a saved baseline")
    .argument("[run]", "a run folder or id, 'latest', a tag or a title", "latest")
    .addHelpText("after", SAVE_EXAMPLES)
    .action(async (folder: string, run: string, options: { runsDir: string }) => {
      const { saveBaseline } = await import("../save-baseline.js");
      done(await saveBaseline(folder, run, options));
    });
  addEditFlags(baseline.command("clear"))
    .description("have no baseline any more; deletes no run")
    .action(async (options: { runsDir: string }) => {
      const { executeClearBaseline } = await import("../edit-runs.js");
      done(await executeClearBaseline(options));
    });
}

function addEditFlags(command: Command): Command {
  return command
    .option("--runs-dir <dir>", "the folder that holds the run folders", DEFAULT_RUNS_DIR)
    .option("--verbose", "print stack traces with errors")
    .allowExcessArguments(false);
}
