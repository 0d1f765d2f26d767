import { relative } from "node:path";
import { AssayError, EXIT, getErrorMessage, type RunVerdict, registry, UsageError } from "../core/index.js";
import { findConfig, loadConfig } from "./config-file.js";
import { type EvalsOutlet, JsonOutlet, TextOutlet } from "./evals-outlet.js";
import { findEvalModules, searchFolder } from "./find-eval-modules.js";
import { isStopCode } from "./interrupt.js";
import { isEvalModule } from "./load-module.js";
import type { RunOutlet } from "./report.js";
import { describesRun, type RunFlags } from "./run-flags.js";
import { printNote } from "./streams.js";

/** Makes one run, and passes its report on. */
export type RunOne = (flags: RunFlags, outlet?: RunOutlet) => Promise<number>;

/** Runs eval files one after the other; a single run if there are none. */
export async function executeEvals(paths: readonly string[], flags: RunFlags, run: RunOne): Promise<number> {
  const files = await listEvalFiles(paths, flags);
  return files === null ? run(flags) : runEvals(files, flags, run);
}

/** The files to run, the config of the project first if it describes a run; null for a run without eval files. */
async function listEvalFiles(paths: readonly string[], flags: RunFlags): Promise<string[] | null> {
  if (paths.length > 0) {
    requireNoOther(flags);
    return findEvalModules(paths);
  }
  if (flags.config !== undefined) return isEvalModule(flags.config) ? [flags.config] : null;
  const found = searchFolder(".");
  if (found.length === 0) return null;
  const config = findConfig(process.cwd());
  const isRun = config !== undefined && describesRun(await loadConfig(config, flags));
  return isRun ? [relative(process.cwd(), config), ...found] : found;
}

function requireNoOther({ config, resume }: RunFlags): void {
  const other = config !== undefined ? "--config" : resume !== undefined ? "--resume" : undefined;
  if (other !== undefined) throw new UsageError(`${other} cannot be combined with eval files. Remove one of them.`);
}

async function runEvals(files: readonly string[], flags: RunFlags, run: RunOne): Promise<number> {
  const outlet = createOutlet(files, flags);
  let worst: number = EXIT.fine;
  const failed: string[] = [];
  for (const [index, file] of files.entries()) {
    outlet.begin(file);
    const code = await runOne(outlet, () => run({ output: "summary", ...flags, config: file }, outlet));
    await outlet.end(code);
    worst = Math.max(worst, code);
    if (code !== EXIT.fine) failed.push(file);
    if (!isStopCode(code)) continue;
    const left = files.slice(index + 1);
    if (left.length > 0) printNote(`Not run: ${left.join(", ")}`);
    break;
  }
  await outlet.finishAll();
  if (files.length > 1 && flags.github !== undefined && flags.dryRun !== true)
    await tellGithub({ exitCode: worst, words: describeEvals(files, failed, worst) });
  return worst;
}

function describeEvals(files: readonly string[], failed: readonly string[], worst: number): string {
  if (isStopCode(worst)) return "interrupted";
  if (failed.length === 0) return `${files.length} evals, none failed`;
  return `${failed.length} of ${files.length} evals failed: ${failed.join(", ")}`;
}

/** Each eval has set the outputs of the step to its own; these are for all of them. */
async function tellGithub(verdict: RunVerdict): Promise<void> {
  const { writeGithubOutputs } = await import("./github.js");
  writeGithubOutputs({ runDir: null, verdict }, { env: process.env, onNote: printNote });
}

/** An eval that cannot run does not keep the others from running. */
async function runOne(outlet: EvalsOutlet, run: () => Promise<number>): Promise<number> {
  try {
    return await run();
  } catch (error) {
    await outlet.fail(getErrorMessage(error));
    return error instanceof AssayError ? error.exitCode : EXIT.infrastructure;
  }
}

function createOutlet(
  files: readonly string[],
  { output = "summary", dryRun, junit, markdown }: RunFlags,
): EvalsOutlet {
  const file = junit !== undefined ? "--junit" : markdown !== undefined ? "--markdown" : undefined;
  if (files.length > 1 && file !== undefined)
    throw new UsageError(
      `${file} writes one file for one run, but there are ${files.length} evals. Name one eval file.`,
    );
  if (output === "json") return new JsonOutlet();
  if (files.length > 1 && ["html", "junit"].includes(output) && dryRun !== true)
    throw new UsageError(
      `--output ${output} is one file for one run, but there are ${files.length} evals. Name one eval file, or use assay report RUN --output ${output}.`,
    );
  registry.get("reporter", output);
  return new TextOutlet({ hasTotals: output === "summary" && dryRun !== true });
}
