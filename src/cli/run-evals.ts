import { relative } from "node:path";
import { AssayError, EXIT, getErrorMessage, registry, UsageError } from "../core/index.js";
import { findConfig, loadConfig } from "./config-file.js";
import { type EvalsOutlet, JsonOutlet, TextOutlet } from "./evals-outlet.js";
import { findEvalModules, searchFolder } from "./find-eval-modules.js";
import { isStopCode } from "./interrupt.js";
import { isEvalModule } from "./load-module.js";
import { checkPublishFlags, publishReports } from "./publish.js";
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
  checkPublishFlags(flags);
  const outlet = createOutlet(files, flags);
  const publication = await openPublication(files, flags);
  let worst: number = EXIT.fine;
  for (const [index, file] of files.entries()) {
    outlet.begin(file);
    const shown: RunOutlet = {
      write: (report) => outlet.write(report),
      finish: (result, messages) => outlet.finish(result, messages),
      ...(publication && { publish: (report) => publication.add(report) }),
    };
    const code = await runOne(
      () => run({ output: "summary", ...flags, config: file }, shown),
      async (message, exitCode) => {
        await outlet.fail(message);
        publication?.fail(file, { exitCode, words: message });
      },
    );
    await outlet.end(code);
    worst = Math.max(worst, code);
    if (!isStopCode(code)) continue;
    const left = files.slice(index + 1);
    if (left.length > 0) printNote(`Not run: ${left.join(", ")}`);
    break;
  }
  await outlet.finishAll();
  if (publication !== null) await publishReports(flags, publication.finish(worst));
  return worst;
}

/** Null if nothing is written besides stdout, or each eval writes its own because there is only one. */
async function openPublication(files: readonly string[], { junit, markdown, github, dryRun }: RunFlags) {
  if (files.length < 2 || dryRun === true) return null;
  if (junit === undefined && markdown === undefined && github === undefined) return null;
  const { EvalsPublication } = await import("./publish-evals.js");
  return new EvalsPublication(files);
}

/** An eval that cannot run does not keep the others from running. */
async function runOne(
  run: () => Promise<number>,
  fail: (message: string, exitCode: number) => Promise<void>,
): Promise<number> {
  try {
    return await run();
  } catch (error) {
    const exitCode = error instanceof AssayError ? error.exitCode : EXIT.infrastructure;
    await fail(getErrorMessage(error), exitCode);
    return exitCode;
  }
}

function createOutlet(files: readonly string[], { output = "summary", dryRun }: RunFlags): EvalsOutlet {
  if (output === "json") return new JsonOutlet();
  if (files.length > 1 && ["html", "junit"].includes(output) && dryRun !== true)
    throw new UsageError(
      `--output ${output} is one file for one run, but there are ${files.length} evals. Name one eval file, or use assay report RUN --output ${output}.`,
    );
  registry.get("reporter", output);
  return new TextOutlet({ hasTotals: output === "summary" && dryRun !== true });
}
