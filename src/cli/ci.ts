import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";
import { EXIT, RunFolderError, type RunVerdict, UsageError } from "../core/index.js";
import { formatCommentMarker, formatHeadline } from "../report/index.js";
import { findRun, readManifest } from "../store/index.js";
import { isForkPullRequest, publishToGithub, readGithubEvent } from "./github.js";
import { printNote } from "./streams.js";

export interface CiFlags {
  baseline?: string;
  run?: string;
  failOnRegression?: boolean;
  minDifference?: number;
  maxDrop?: number;
  until?: string;
  margin?: number;
  runsDir: string;
}

const COMMANDS = ["run", "eval", "memory"];
const DEFAULT_TITLE = "assay";

/** `assay ci`: measure, compare with the baseline, and report both as one. */
export async function executeCi(command: readonly string[], flags: CiFlags): Promise<number> {
  checkCiFlags(command, flags);
  const isFork = isForkPullRequest(readGithubEvent(process.env), process.env);
  if (isFork) printNote("This pull request comes from a fork: its code is not run, only stored runs are compared.");
  const measured =
    isFork || flags.run !== undefined
      ? null
      : await runStep([...withRunsDir(command, flags), ...listUntilFlags(flags), "--quiet"]);
  const run = flags.run ?? (measured?.outputs.get("run") || null);
  if (run === null && measured !== null && flags.baseline !== undefined && measured.exitCode === EXIT.fine)
    printNote("There are several evals, so none is compared with the baseline. Name one eval file to compare it.");
  // A run that stopped when it was decided has compared itself.
  const isCompared = measured !== null && listUntilFlags(flags).length > 0;
  const compared = run === null || isCompared ? null : await compareWithBaseline(run, flags);
  const steps = [measured, compared].filter((step) => step !== null);
  const verdict = combineVerdicts(steps, isFork);
  const title = findTitle(run, flags);
  await publishToGithub(
    {
      title,
      runDir: run,
      verdict,
      // Each step has printed its own.
      problems: steps.length === 0 ? [verdict.words] : [],
      markdown: renderCiReport(title, verdict, steps),
    },
    { env: process.env, onNote: printNote },
  );
  return verdict.exitCode;
}

function checkCiFlags(command: readonly string[], flags: CiFlags): void {
  const { run, baseline, failOnRegression, maxDrop } = flags;
  const [name = "run"] = command;
  if (!COMMANDS.includes(name) && !name.startsWith("-"))
    throw new UsageError(`assay ci runs ${COMMANDS.join(", ")}, got "${name}". Pass it after --.`);
  if (run !== undefined && command.length > 0)
    throw new UsageError("--run compares a stored run, so nothing else is run. Remove it, or what follows --.");
  if (baseline === undefined && (failOnRegression === true || maxDrop !== undefined))
    throw new UsageError("--fail-on-regression and --max-drop need a run to compare with. Add --baseline.");
  checkUntilFlags(name, flags);
}

/** Between equal systems, only a margin can be decided early. */
function checkUntilFlags(command: string, { until, margin, ...flags }: CiFlags): void {
  if (until === undefined) {
    if (margin === undefined) return;
    throw new UsageError("--margin needs --until decided. Add it, or remove --margin.");
  }
  if (until.trim().toLowerCase() !== "decided")
    throw new UsageError(`assay ci takes --until decided, got --until ${until}. Ask other questions with assay run.`);
  if (margin === undefined)
    throw new UsageError("--until decided needs the loss of quality that you accept, such as --margin 0.05.");
  if (flags.baseline === undefined) throw new UsageError("--until needs a run to compare with. Add --baseline.");
  if (command !== "run" && !command.startsWith("-"))
    throw new UsageError(`--until is for assay run, not for assay ${command}. Remove it.`);
  const { run, failOnRegression, minDifference, maxDrop } = flags;
  const others = {
    "--run": run,
    "--fail-on-regression": failOnRegression,
    "--min-difference": minDifference,
    "--max-drop": maxDrop,
  };
  const [other] = Object.entries(others).find(([, value]) => value !== undefined) ?? [];
  if (other !== undefined) throw new UsageError(`--until decides by --margin, so it takes no ${other}. Remove it.`);
}

/** The first run of a project has no baseline: it runs every task, and can become one. */
function listUntilFlags({ until, margin, baseline, runsDir }: CiFlags): string[] {
  if (until === undefined || baseline === undefined || !hasRun(baseline, runsDir)) return [];
  return ["--until", "decided", "--margin", String(margin), "--against", baseline];
}

function withRunsDir(command: readonly string[], { runsDir }: CiFlags): string[] {
  const words = command[0] === undefined || command[0].startsWith("-") ? ["run", ...command] : [...command];
  return [...words, "--runs-dir", runsDir];
}

/** Null without a baseline: the first run of a project has none. */
async function compareWithBaseline(run: string, flags: CiFlags): Promise<CiStep | null> {
  const { baseline, runsDir, failOnRegression, minDifference, maxDrop } = flags;
  if (baseline === undefined) return null;
  if (!hasRun(baseline, runsDir)) {
    printNote(
      `There is no baseline ${baseline} yet, so nothing is compared. Make one with: assay baseline save ${baseline}`,
    );
    return null;
  }
  return runStep([
    "compare",
    baseline,
    run,
    "--runs-dir",
    runsDir,
    ...(failOnRegression === true ? ["--fail-on-regression"] : []),
    ...(minDifference === undefined ? [] : ["--min-difference", String(minDifference)]),
    ...(maxDrop === undefined ? [] : ["--max-drop", String(maxDrop)]),
  ]);
}

function hasRun(name: string, runsDir: string): boolean {
  try {
    return existsSync(findRun({ runsDir, name }));
  } catch (error) {
    if (error instanceof RunFolderError) return false;
    throw error;
  }
}

/** The result of one command. */
interface CiStep {
  exitCode: number;
  markdown: string;
  /** Such as `run` and `exit-reason`. */
  outputs: ReadonlyMap<string, string>;
}

/**
 * Runs a command of Assay in a process of its own, which writes its report for a workflow to temporary files. It does not
 * get the token: the code that is measured has no business with it.
 */
async function runStep(args: readonly string[]): Promise<CiStep> {
  const scratch = mkdtempSync(join(tmpdir(), "assay-ci-"));
  const files = { GITHUB_STEP_SUMMARY: join(scratch, "summary.md"), GITHUB_OUTPUT: join(scratch, "outputs") };
  const { GITHUB_TOKEN: _, GH_TOKEN: __, ...env } = process.env;
  try {
    const exitCode = await runCommand([...args, "--github", "summary"], { ...env, ...files });
    return {
      exitCode,
      markdown: readIfPresent(files.GITHUB_STEP_SUMMARY),
      outputs: parseOutputs(readIfPresent(files.GITHUB_OUTPUT)),
    };
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** A signal reaches the child too, which ends cleanly; its exit code is awaited. */
function runCommand(args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const ignore = () => {};
  const [, launcher = ""] = process.argv;
  const child = spawn(process.execPath, [launcher, ...args], { env, stdio: "inherit" });
  const pass = (signal: NodeJS.Signals) => void child.kill(signal);
  process.on("SIGINT", ignore);
  process.on("SIGTERM", pass);
  return new Promise<number>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])));
  }).finally(() => {
    process.off("SIGINT", ignore);
    process.off("SIGTERM", pass);
  });
}

function readIfPresent(file: string): string {
  return existsSync(file) ? readFileSync(file, "utf8") : "";
}

function parseOutputs(text: string): ReadonlyMap<string, string> {
  const found = text.matchAll(/^([\w-]+)<<(end-[\w-]+)\n([\s\S]*?)\n\2$/gm);
  return new Map(Array.from(found, ([, name = "", , value = ""]) => [name, value]));
}

/** The first command that failed decides. */
function combineVerdicts(steps: readonly CiStep[], isFork: boolean): RunVerdict {
  const [first] = steps;
  if (first === undefined)
    return {
      exitCode: EXIT.fine,
      words: isFork ? "not measured, because the pull request comes from a fork" : "nothing was measured",
    };
  const { exitCode, outputs } = steps.find((step) => step.exitCode !== EXIT.fine) ?? steps.at(-1) ?? first;
  return {
    exitCode,
    words: outputs.get("exit-reason") ?? `the command failed with exit code ${exitCode}, see its log`,
  };
}

function findTitle(run: string | null, { runsDir }: CiFlags): string {
  try {
    return run === null ? DEFAULT_TITLE : readManifest(findRun({ runsDir, name: run })).config.title;
  } catch {
    return DEFAULT_TITLE;
  }
}

/** One headline for both, with the reports of the steps below it. */
function renderCiReport(title: string, verdict: RunVerdict, steps: readonly CiStep[]): string {
  const parts = steps.map(({ markdown }) =>
    markdown
      .replace(/^<!-- assay:.*? -->\s*/gm, "")
      .replace(/^###(?= )/gm, "####")
      .trimEnd(),
  );
  const gates = steps.some(({ markdown }) => /^### [✅❌]/mu.test(markdown)) ? 1 : 0;
  return `${[formatCommentMarker(title), formatHeadline(title, verdict, gates), ...parts].filter((part) => part !== "").join("\n\n")}\n`;
}
