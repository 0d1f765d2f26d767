import type { Command } from "commander";
import { EXAMPLE_MODELS, omitUndefined } from "../../core/index.js";
import { collectValues, parseNumberFlag, parseOnce } from "../flag-values.js";
import type { MigrateRequest } from "../migrate.js";
import type { SetExitCode } from "../program.js";
import { DEFAULT_CACHE_DIR } from "../run-config.js";
import { INPUT_SETTINGS, listCommonFlags, SHARED_RUN_SETTINGS, UNTIL_SETTINGS } from "../run-settings.js";
import { addSettings, type JudgeFlags, splitJudgeFlags } from "../shared-flags.js";

const { datasets, replay, map, skipBadRows, cacheDir, unsafeLocalExec } = INPUT_SETTINGS;
const { batch, batchDeadline, batchLate, batchNoWait } = INPUT_SETTINGS;
const { model: _, proxy: __, name: ___, api: ____, ...SHARED } = SHARED_RUN_SETTINGS;
const { until, population, confidence } = UNTIL_SETTINGS;
const SETTINGS = {
  datasets,
  replay: { ...replay, help: "use outputs of the old model recorded in a JSONL file, instead of --from" },
  map,
  skipBadRows,
  cacheDir,
  unsafeLocalExec,
  batch,
  batchDeadline,
  batchLate,
  batchNoWait,
  ...SHARED,
  output: { ...SHARED.output, help: "print table, json, markdown or html (default: table)" },
  until: {
    ...until,
    help: "decided: look after every task, and stop each candidate when it is decided; none resumes to the end",
  },
  population,
  confidence,
};

export const COMMON_MIGRATE_FLAGS: readonly string[] = [
  "--from",
  "--to",
  "--margin",
  "--quality",
  "--html",
  "--replay",
  ...listCommonFlags(SETTINGS),
];

const EXAMPLES = `
Verdicts:    non-inferior (the candidate loses less than the margin), inferior (it loses more), undecided (with about how many more examples would decide); see docs/guides/moving-models.md
Exit codes:  0 at least one candidate is non-inferior, 1 all are inferior, 3 undecided or coverage too low

Examples:
  assay migrate --from openai/OLD --to ${EXAMPLE_MODELS.openai} --to ${EXAMPLE_MODELS.anthropicSmall} --dataset prod.jsonl --max-cost 20
  assay migrate --from openai/OLD --to ${EXAMPLE_MODELS.openai} --dataset prod.jsonl --margin 0.05 --trials 3 --html report.html
  assay migrate --from openai/OLD --to ${EXAMPLE_MODELS.openai} --dataset prod.jsonl --until decided --max-cost 20     stop when it is decided
  assay migrate --replay old-outputs.jsonl --to ${EXAMPLE_MODELS.openai} --dataset prod.jsonl     after the old model is gone
  assay migrate --resume        resume the latest unfinished migration
  assay demo migrate            three simulated models, offline`;

type MigrateOptions = Omit<MigrateRequest, "judge" | "cacheDir"> & JudgeFlags & { cacheDir?: string | true };

export function addMigrateCommand(program: Command, done: SetExitCode): void {
  const command = program
    .command("migrate")
    .description("judge whether other models are as good as the present one, and what they cost")
    .option("--from <model>", "the model to move from: from models.yml, or PROVIDER/MODEL", parseOnce)
    .option("--to <model>", "a candidate to move to; repeatable", collectValues)
    .option("--margin <share>", "accept a loss of quality smaller than this (default: 0.02)", parseNumberFlag)
    .option("--quality <metric>", "judge by pass_rate or mean_score (default: pass_rate)")
    .option("--html <file>", "write the report to this file as a web page, with the outputs of examples that flipped");
  addSettings(command, SETTINGS)
    .addHelpText("after", EXAMPLES)
    .allowExcessArguments(false)
    .action(async (options: MigrateOptions) => {
      const { judge, rest } = splitJudgeFlags(options);
      const { cacheDir: dir, ...flags } = rest;
      const { executeMigrate } = await import("../migrate.js");
      const cache = dir === true ? DEFAULT_CACHE_DIR : dir;
      done(await executeMigrate({ ...flags, ...omitUndefined({ judge, cacheDir: cache }) }));
    });
}
