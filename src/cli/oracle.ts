import "../builtins.js";
import { relative } from "node:path";
import { EXIT, UsageError } from "../core/errors.js";
import { registry } from "../core/registry.js";
import { didYouMean } from "../core/suggest.js";
import {
  type CheckedStimulus,
  commandsOf,
  isSurvivor,
  type LeftOut,
  type OracleProgress,
  type OracleTask,
  oracleTasks,
  runOracle,
  type StateVerdict,
  type StimulusCheck,
  type StimulusPlace,
  type TriedOmission,
} from "../evals/oracle/index.js";
import { datasetOf, findSpecs, loadSpec } from "../evals/spec/index.js";
import { plural } from "../report/format.js";
import { type Column, markdownTable, oneLine } from "../report/markdown.js";
import { printable } from "../report/printable.js";
import { type EvalProject, openProject } from "./eval-project.js";
import { guarded } from "./guard.js";
import { interruptible } from "./interrupt.js";
import { StatusLine } from "./status-line.js";
import { say, writeResult } from "./streams.js";
import { requireTrust, type TrustFlags } from "./trust.js";

export interface OracleFlags extends TrustFlags {
  /** Eval files, folders and patterns. Default: those of the config file, else of the working folder. */
  readonly evals: readonly string[];
  /** Names of test cases to check. Default: all. */
  readonly stimuli: readonly string[];
  readonly plugins: readonly string[];
  readonly config?: string;
  readonly maxOmissions?: number;
  readonly workers?: number;
  readonly strict?: boolean;
  /** `table` or `json`. */
  readonly output?: string;
  readonly quiet?: boolean;
}

const OUTPUTS = ["table", "json"];

/** `assay oracle`: checks graders against golden patches. Starts no agent. */
export async function oracleCommand(flags: OracleFlags): Promise<number> {
  const { output = "table", strict = false } = flags;
  if (!OUTPUTS.includes(output))
    throw new UsageError(`Unknown output format "${output}". Use --output table or --output json.`);
  const { checks, stopCode } = await guarded(() => checkAll(flags));
  await writeResult(renderOracle(checks, output));
  return stopCode ?? exitCodeOf(checks, strict);
}

async function checkAll(flags: OracleFlags): Promise<{ checks: StimulusCheck[]; stopCode: number | null }> {
  const project = await openProject(flags);
  const tasks = chosen(await tasksOf(flags.evals, project), flags.stimuli);
  sayCommands(tasks, flags);
  const line = flags.quiet === true ? null : new StatusLine(process.stderr);
  const startedAt = performance.now();
  const interrupt = interruptible(() => line?.clear());
  try {
    const checks = await runOracle(tasks, {
      ...(flags.maxOmissions === undefined ? {} : { maxOmissions: flags.maxOmissions }),
      ...(flags.workers === undefined ? {} : { workers: flags.workers }),
      registry,
      signal: interrupt.signal,
      onProgress: (progress) => line?.show(() => describeOracle(progress), performance.now() - startedAt),
    });
    return { checks, stopCode: interrupt.exitCode };
  } finally {
    line?.clear();
    interrupt.release();
  }
}

/** The test cases of all eval files, with the contents of their environments. */
async function tasksOf(evals: readonly string[], { config, environments }: EvalProject): Promise<OracleTask[]> {
  const tasks: OracleTask[] = [];
  for (const file of await findSpecs(evals.length > 0 ? evals : (config.evals?.paths ?? ["."]))) {
    const spec = await loadSpec(file, { registry, environments });
    for (const note of spec.notes) say(`${file}: ${note}`);
    tasks.push(...oracleTasks(spec, await datasetOf(spec, registry)));
  }
  return tasks;
}

/** They run with the user's permissions. */
function sayCommands(tasks: readonly OracleTask[], flags: OracleFlags): void {
  const commands = new Set(tasks.flatMap(({ example }) => commandsOf(example)));
  if (commands.size === 0) return;
  for (const file of new Set(tasks.map(({ place }) => place.file)))
    requireTrust(file, `it runs commands: ${[...commands].join("; ")}`, flags);
  say(`Runs with your permissions, in temporary folders: ${[...commands].join("; ")}`);
}

function chosen(tasks: readonly OracleTask[], names: readonly string[]): readonly OracleTask[] {
  if (names.length === 0) return tasks;
  const known = new Set(tasks.map(({ place }) => place.stimulus));
  const unknown = names.find((name) => !known.has(name));
  if (unknown !== undefined) throw new UsageError(`Unknown test case "${unknown}".${didYouMean(unknown, known)}`);
  return tasks.filter(({ place }) => names.includes(place.stimulus));
}

/** `14/54 states · 1/3 test cases · 2 survivors` */
function describeOracle({ done, planned, finished, stimuli, survived }: OracleProgress): string {
  const parts = [`${done}/${planned} states`, `${finished}/${stimuli} test cases`];
  return [...parts, ...(survived === 0 ? [] : [plural(survived, "survivor")])].join(" · ");
}

const LONGEST_TEXT = 200;

/** 1 if graders are wrong, or if they miss a line and `strict` is set; 3 if that is unknown. */
function exitCodeOf(checks: readonly StimulusCheck[], strict: boolean): number {
  if (checks.some((check) => check.status === "unchecked" && check.cause === "interrupted")) return EXIT.interrupted;
  if (checks.some(({ status }) => status === "unsound")) return EXIT.gateFailed;
  const isUnknown = checks.some((check) => check.status === "unchecked" && check.cause === "error");
  if (isUnknown || !checks.some(isChecked)) return EXIT.infrastructure;
  return strict && survivorsOf(checks).length > 0 ? EXIT.gateFailed : EXIT.fine;
}

function renderOracle(checks: readonly StimulusCheck[], output: string): string {
  if (output === "json") return `${JSON.stringify(jsonOf(checks), null, 2)}\n`;
  const sections = [tableOf(checks), ...listsOf(checks), listOf(factsOf(checks))];
  return printable(`${sections.filter((section) => section !== "").join("\n\n")}\n`);
}

function jsonOf(checks: readonly StimulusCheck[]): Record<string, unknown> {
  const count = (status: StimulusCheck["status"]) => checks.filter((check) => check.status === status).length;
  return {
    schema: "assay.oracle/1",
    sound: count("sound"),
    unsound: count("unsound"),
    unchecked: count("unchecked"),
    survivors: survivorsOf(checks).length,
    stimuli: checks,
  };
}

function isChecked(check: StimulusCheck): check is CheckedStimulus {
  return check.status !== "unchecked";
}

interface Missed {
  readonly check: CheckedStimulus;
  readonly omission: TriedOmission;
}

function uncaughtOf(checks: readonly StimulusCheck[], isMeant: (omission: TriedOmission) => boolean): Missed[] {
  return checks.filter(isChecked).flatMap((check) => {
    const { uncaught = [] } = check.omissions ?? {};
    return uncaught.filter(isMeant).map((omission) => ({ check, omission }));
  });
}

function survivorsOf(checks: readonly StimulusCheck[]): Missed[] {
  return uncaughtOf(checks, isSurvivor);
}

function tableOf(checks: readonly StimulusCheck[]): string {
  const counted = (key: "tried" | "caught" | "survived" | "harmless") => ({
    align: "right" as const,
    cell: (check: StimulusCheck) => (isChecked(check) && check.omissions !== null ? String(check.omissions[key]) : "–"),
  });
  const columns: Column<StimulusCheck>[] = [
    ...(new Set(checks.map((check) => check.file)).size > 1
      ? [{ title: "eval", cell: (check: StimulusCheck) => check.eval }]
      : []),
    { title: "test case", cell: ({ stimulus }) => stimulus },
    { title: "untouched", cell: (check) => stateCell(check, "untouched", "fail") },
    { title: "golden", cell: (check) => stateCell(check, "golden", "pass") },
    { title: "lines tried", ...counted("tried") },
    { title: "caught", ...counted("caught") },
    { title: "survived", ...counted("survived") },
    { title: "harmless-looking", ...counted("harmless") },
  ];
  return `The untouched state must fail and the golden state must pass; a line survives if no grader notices that it is missing.\n\n${markdownTable(columns, checks)}`;
}

function stateCell(check: StimulusCheck, state: "untouched" | "golden", wanted: StateVerdict["outcome"]): string {
  if (!isChecked(check)) return "not checked";
  const { outcome } = check[state];
  return outcome === wanted ? outcome : `${outcome} ✗`;
}

function listsOf(checks: readonly StimulusCheck[]): string[] {
  const harmless = uncaughtOf(checks, ({ outcome, looksHarmless }) => outcome === "survived" && looksHarmless);
  const failed = uncaughtOf(checks, ({ outcome }) => outcome === "error");
  return [
    titled("Wrong", checks.filter(isChecked).flatMap(problemsOf)),
    titled("Lines that no grader notices", survivorsOf(checks).map(missedText)),
    titled(
      "Harmless-looking lines that no grader notices",
      harmless.map(({ check, omission }) => titleOf(check, omission)),
    ),
    titled(
      "Lines that could not be tried",
      failed.map(({ check, omission }) => `${titleOf(check, omission)}: ${short(omission.reason)}`),
    ),
  ];
}

function titled(title: string, items: readonly string[]): string {
  return items.length === 0 ? "" : `## ${title}\n\n${listOf(items)}`;
}

function listOf(items: readonly string[]): string {
  return items.map((item) => `- ${oneLine(item)}`).join("\n");
}

function problemsOf(check: CheckedStimulus): string[] {
  const { untouched, golden } = check;
  const place = placeOf(check);
  return [
    ...(untouched.outcome === "pass" ? [`${place}: the graders pass the untouched state: ${said(untouched)}`] : []),
    ...(untouched.outcome === "error" ? [`${place}: the untouched state could not be graded: ${said(untouched)}`] : []),
    ...(golden.outcome === "fail" ? [`${place}: the graders fail the golden state: ${said(golden)}`] : []),
    ...(golden.outcome === "error" ? [`${place}: the golden state could not be graded: ${said(golden)}`] : []),
  ];
}

function said({ reason, evidence }: Pick<StateVerdict, "reason" | "evidence">): string {
  const found = Object.entries(evidence).map(([grader, text]) => `${grader}: ${short(text)}`);
  return [reason, ...found].filter((text) => text !== "").join(" · ");
}

/** `fix-add · add.js:2 (golden.diff:7) left out "return a + b;": passed · run-command: …` */
function missedText({ check, omission }: Missed): string {
  return `${titleOf(check, omission)}: ${said(omission)}`;
}

function titleOf(check: CheckedStimulus, { path, line, patchLine, kind, text }: TriedOmission): string {
  const patch = `${relative(process.cwd(), check.patchFile)}:${patchLine}`;
  return `${check.stimulus} · ${path}:${line} (${patch}) ${kind} ${JSON.stringify(short(text.trim()))}`;
}

function placeOf({ file, line, column, stimulus }: StimulusPlace): string {
  return `${relative(process.cwd(), file)}:${line}:${column}: ${stimulus}`;
}

function short(text: string): string {
  const flat = oneLine(text);
  return flat.length <= LONGEST_TEXT ? flat : `${flat.slice(0, LONGEST_TEXT)}…`;
}

function factsOf(checks: readonly StimulusCheck[]): string[] {
  const survivors = survivorsOf(checks).length;
  const checked = checks.filter(isChecked);
  const sound = checked.filter(({ status }) => status === "sound").length;
  return [
    `sound: ${sound} of ${checked.length} checked test cases; ${plural(survivors, "survivor")}`,
    ...withoutPatch(checks),
    ...checks.flatMap(notesOn),
  ];
}

/** On one line, because a file may have many of them. */
function withoutPatch(checks: readonly StimulusCheck[]): string[] {
  const names = checks
    .filter((check) => !isChecked(check) && check.cause === "no-patch")
    .map(({ stimulus }) => stimulus);
  return names.length === 0 ? [] : [`not checked, without a golden patch: ${names.join(", ")}`];
}

function notesOn(check: StimulusCheck): string[] {
  const { stimulus, leftOut } = check;
  const why = isChecked(check) || check.cause === "no-patch" ? [] : [`${stimulus} cannot be checked: ${check.why}`];
  const notes = isChecked(check) ? check.notes.map((note) => `${stimulus}: ${note}`) : [];
  return [...why, ...notes, ...leftOutText(stimulus, leftOut)];
}

function leftOutText(stimulus: string, leftOut: readonly LeftOut[]): string[] {
  if (leftOut.length === 0) return [];
  return [
    `${stimulus}: skipped graders, because no agent was started: ${leftOut.map(({ grader, why }) => `${grader} (${why})`).join(", ")}`,
  ];
}
