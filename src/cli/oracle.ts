import "../builtins.js";
import { relative } from "node:path";
import { didYouMean, EXIT, registry, UsageError } from "../core/index.js";
import { readSolvedHarborTasks } from "../datasets/index.js";
import {
  type CheckedStimulus,
  findSpecs,
  isSurvivor,
  type LeftOut,
  listCommands,
  loadSpec,
  type OracleProgress,
  type OracleTask,
  oracleTasks,
  runOracle,
  type StateVerdict,
  type StimulusCheck,
  type StimulusPlace,
  type TriedOmission,
  toDataset,
} from "../evals/index.js";
import { type BoxOptions, requireEngine, requireImageIsolation, resolveBoxSettings } from "../exec/index.js";
import { formatPlural, replaceControlCharacters, type TableColumn, toOneLine } from "../report/index.js";
import { type EvalProject, openEvalProject } from "./eval-project.js";
import { createInterrupt } from "./interrupt.js";
import { StatusLine } from "./progress.js";
import { createScreenLayout } from "./screen.js";
import { printNote, writeResult } from "./streams.js";
import { requireTrust, type TrustFlags } from "./trust.js";
import { isolateUserCode } from "./user-code.js";

export interface OracleFlags extends TrustFlags {
  /** Eval files, folders and patterns. Default: those of the config file, else of the working folder. */
  readonly evals: readonly string[];
  /** `harbor:DIR`: task folders with a solution, instead of eval files. */
  readonly dataset?: string;
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
  readonly isolation?: string;
  readonly allowHosts?: readonly string[];
  readonly allowPaths?: readonly string[];
  readonly boxLimits?: Readonly<Record<string, number>>;
}

const OUTPUTS = ["table", "json"];

/** `assay oracle`: checks graders against golden patches. Starts no agent. */
export async function executeOracle(flags: OracleFlags): Promise<number> {
  const { output = "table", strict = false } = flags;
  if (!OUTPUTS.includes(output))
    throw new UsageError(`Unknown output format "${output}". Use --output table or --output json.`);
  const { checks, stopCode } = await isolateUserCode(() => checkAllStimuli(flags));
  await writeResult(renderOracle(checks, output));
  return stopCode ?? chooseOracleExitCode(checks, strict);
}

async function checkAllStimuli(flags: OracleFlags): Promise<{ checks: StimulusCheck[]; stopCode: number | null }> {
  const project = await openEvalProject(flags);
  const box = selectBoxOptions(flags, project.config);
  const loaded =
    flags.dataset === undefined
      ? await loadOracleTasks(flags.evals, project)
      : await loadTaskFolders(flags.dataset, flags.evals, box);
  const tasks = selectTasks(loaded, flags.stimuli);
  announceCommands(tasks, { ...flags, isolation: box.isolation });
  const line = flags.quiet === true ? null : new StatusLine(process.stderr);
  const startedAt = performance.now();
  const interrupt = createInterrupt(() => line?.clear());
  try {
    const checks = await runOracle(tasks, {
      ...(flags.maxOmissions === undefined ? {} : { maxOmissions: flags.maxOmissions }),
      ...(flags.workers === undefined ? {} : { workers: flags.workers }),
      registry,
      box,
      signal: interrupt.signal,
      onProgress: (progress) => line?.show(() => describeOracleProgress(progress), performance.now() - startedAt),
    });
    return { checks, stopCode: interrupt.exitCode };
  } finally {
    line?.clear();
    interrupt.release();
  }
}

/** A flag replaces the key of the config file. */
function selectBoxOptions(flags: OracleFlags, config: EvalProject["config"]): BoxOptions {
  return {
    isolation: flags.isolation ?? config.isolation,
    allowHosts: flags.allowHosts ?? config.allowHosts,
    allowPaths: flags.allowPaths ?? config.allowPaths,
    limits: flags.boxLimits ?? config.boxLimits,
  };
}

/** The test cases of all eval files, with the contents of their environments. */
async function loadOracleTasks(evals: readonly string[], { config, environments }: EvalProject): Promise<OracleTask[]> {
  const tasks: OracleTask[] = [];
  for (const file of await findSpecs(evals.length > 0 ? evals : (config.evals?.paths ?? ["."]))) {
    const spec = await loadSpec(file, { registry, environments });
    for (const note of spec.notes) printNote(`${file}: ${note}`);
    tasks.push(...oracleTasks(spec, await toDataset(spec, registry)));
  }
  return tasks;
}

const FOLDER_DATASET = "harbor:";

/** Task folders of Harbor. Without an engine for their containers, nothing is begun. */
async function loadTaskFolders(dataset: string, evals: readonly string[], box: BoxOptions): Promise<OracleTask[]> {
  if (!dataset.startsWith(FOLDER_DATASET))
    throw new UsageError(
      `The oracle cannot check the dataset ${dataset}: only task folders have a solution to run, --dataset harbor:DIR.`,
    );
  if (evals.length > 0)
    throw new UsageError("--eval and --dataset cannot be combined: run assay oracle once for each.");
  const solved = await readSolvedHarborTasks(dataset.slice(FOLDER_DATASET.length));
  const settings = resolveBoxSettings(box);
  for (const { example } of solved) requireImageIsolation(example.environment ?? {}, settings);
  if (settings !== null) await requireEngine(settings);
  return solved.map(({ file, example, solution }) => ({
    place: { eval: dataset, stimulus: String(example.id), file, line: 1, column: 1 },
    example,
    goldenPatch: solution,
  }));
}

const WITHOUT_BOX = "Runs with your permissions, in temporary folders";

/** Without a box, they run with the user's permissions. */
function announceCommands(tasks: readonly OracleTask[], flags: TrustFlags & { isolation?: string | undefined }): void {
  const scripts = tasks.filter(({ goldenPatch }) => goldenPatch !== null && "command" in goldenPatch).length;
  if (scripts > 0)
    printNote(`Runs in containers: solution/solve.sh and tests/test.sh of ${formatPlural(scripts, "task")}`);
  const commands = new Set(tasks.flatMap(({ example }) => listCommands(example)));
  if (commands.size === 0) return;
  for (const file of new Set(tasks.map(({ place }) => place.file)))
    requireTrust(file, `it runs commands: ${[...commands].join("; ")}`, flags);
  const places: Readonly<Record<string, string>> = { box: "Runs in boxes", none: WITHOUT_BOX };
  const where = places[flags.isolation ?? "none"] ?? "Runs in containers";
  printNote(`${where}: ${[...commands].join("; ")}`);
}

function selectTasks(tasks: readonly OracleTask[], names: readonly string[]): readonly OracleTask[] {
  if (names.length === 0) return tasks;
  const known = new Set(tasks.map(({ place }) => place.stimulus));
  const unknown = names.find((name) => !known.has(name));
  if (unknown !== undefined) throw new UsageError(`Unknown test case "${unknown}".${didYouMean(unknown, known)}`);
  return tasks.filter(({ place }) => names.includes(place.stimulus));
}

/** `14/54 states · 1/3 test cases · 2 missing lines that no grader noticed` */
function describeOracleProgress({ done, planned, finished, stimuli, survived }: OracleProgress): string {
  const parts = [`${done}/${planned} states`, `${finished}/${stimuli} test cases`];
  return [...parts, ...(survived === 0 ? [] : [formatSurvivorCount(survived)])].join(" · ");
}

function formatSurvivorCount(count: number): string {
  return `${formatPlural(count, "missing line")} that no grader noticed`;
}

const MAX_TEXT_LENGTH = 200;

/** 1 if graders are wrong, or if they miss a line and `strict` is set; 3 if that is unknown. */
function chooseOracleExitCode(checks: readonly StimulusCheck[], strict: boolean): number {
  if (checks.some((check) => check.status === "unchecked" && check.cause === "interrupted")) return EXIT.interrupted;
  if (checks.some(({ status }) => status === "unsound")) return EXIT.gateFailed;
  const isUnknown = checks.some((check) => check.status === "unchecked" && check.cause === "error");
  if (isUnknown || !checks.some(isCheckedStimulus)) return EXIT.infrastructure;
  return strict && listSurvivors(checks).length > 0 ? EXIT.gateFailed : EXIT.fine;
}

function renderOracle(checks: readonly StimulusCheck[], output: string): string {
  if (output === "json") return `${JSON.stringify(toOracleJson(checks), null, 2)}\n`;
  const lists = [...formatOracleLists(checks), formatBulletList(listOracleFacts(checks))].map(replaceControlCharacters);
  return `${[formatOracleTable(checks), ...lists].filter((section) => section !== "").join("\n\n")}\n`;
}

function toOracleJson(checks: readonly StimulusCheck[]): Record<string, unknown> {
  const count = (status: StimulusCheck["status"]) => checks.filter((check) => check.status === status).length;
  return {
    schema: "assay.oracle/1",
    sound: count("sound"),
    unsound: count("unsound"),
    unchecked: count("unchecked"),
    survivors: listSurvivors(checks).length,
    stimuli: checks,
  };
}

function isCheckedStimulus(check: StimulusCheck): check is CheckedStimulus {
  return check.status !== "unchecked";
}

interface UncaughtOmission {
  readonly check: CheckedStimulus;
  readonly omission: TriedOmission;
}

function listUncaught(
  checks: readonly StimulusCheck[],
  isMeant: (omission: TriedOmission) => boolean,
): UncaughtOmission[] {
  return checks.filter(isCheckedStimulus).flatMap((check) => {
    const { uncaught = [] } = check.omissions ?? {};
    return uncaught.filter(isMeant).map((omission) => ({ check, omission }));
  });
}

function listSurvivors(checks: readonly StimulusCheck[]): UncaughtOmission[] {
  return listUncaught(checks, isSurvivor);
}

const ORACLE_TEXT =
  "The untouched state must fail and the golden state must pass; a line survives if no grader notices that it is missing.";

function formatOracleTable(checks: readonly StimulusCheck[]): string {
  const counted = (key: "tried" | "caught" | "survived" | "harmless") => ({
    align: "right" as const,
    cell: (check: StimulusCheck) =>
      isCheckedStimulus(check) && check.omissions !== null ? String(check.omissions[key]) : "–",
  });
  const columns: TableColumn<StimulusCheck>[] = [
    ...(new Set(checks.map((check) => check.file)).size > 1
      ? [{ title: "eval", cell: (check: StimulusCheck) => check.eval }]
      : []),
    { title: "test case", cell: ({ stimulus }) => stimulus },
    { title: "untouched", cell: (check) => formatStateCell(check, "untouched", "fail") },
    { title: "golden", cell: (check) => formatStateCell(check, "golden", "pass") },
    { title: "lines tried", ...counted("tried") },
    { title: "caught", ...counted("caught") },
    { title: "survived", ...counted("survived") },
    { title: "harmless-looking", ...counted("harmless") },
  ];
  const layout = createScreenLayout();
  return `${layout.text(ORACLE_TEXT)}\n\n${layout.table(columns, checks)}`;
}

function formatStateCell(check: StimulusCheck, state: "untouched" | "golden", wanted: StateVerdict["outcome"]): string {
  if (!isCheckedStimulus(check)) return "not checked";
  const { outcome } = check[state];
  return outcome === wanted ? outcome : `${outcome} ✗`;
}

function formatOracleLists(checks: readonly StimulusCheck[]): string[] {
  const harmless = listUncaught(checks, ({ outcome, looksHarmless }) => outcome === "survived" && looksHarmless);
  const failed = listUncaught(checks, ({ outcome }) => outcome === "error");
  return [
    formatTitledList("Wrong", checks.filter(isCheckedStimulus).flatMap(listProblems)),
    formatTitledList("Lines that no grader notices", listSurvivors(checks).map(describeOmission)),
    formatTitledList(
      "Harmless-looking lines that no grader notices",
      harmless.map(({ check, omission }) => formatOmissionTitle(check, omission)),
    ),
    formatTitledList(
      "Lines that could not be tried",
      failed.map(({ check, omission }) => `${formatOmissionTitle(check, omission)}: ${shortenText(omission.reason)}`),
    ),
  ];
}

function formatTitledList(title: string, items: readonly string[]): string {
  return items.length === 0 ? "" : `## ${title}\n\n${formatBulletList(items)}`;
}

function formatBulletList(items: readonly string[]): string {
  return items.map((item) => `- ${toOneLine(item)}`).join("\n");
}

function listProblems(check: CheckedStimulus): string[] {
  const { untouched, golden } = check;
  const place = formatStimulusPlace(check);
  return [
    ...(untouched.outcome === "pass"
      ? [`${place}: the graders pass the untouched state: ${explainVerdict(untouched)}`]
      : []),
    ...(untouched.outcome === "error"
      ? [`${place}: the untouched state could not be graded: ${explainVerdict(untouched)}`]
      : []),
    ...(golden.outcome === "fail" ? [`${place}: the graders fail the golden state: ${explainVerdict(golden)}`] : []),
    ...(golden.outcome === "error"
      ? [`${place}: the golden state could not be graded: ${explainVerdict(golden)}`]
      : []),
  ];
}

function explainVerdict({ reason, evidence }: Pick<StateVerdict, "reason" | "evidence">): string {
  const found = Object.entries(evidence).map(([grader, text]) => `${grader}: ${shortenText(text)}`);
  return [reason, ...found].filter((text) => text !== "").join(" · ");
}

/** `fix-add · add.js:2 (golden.diff:7) left out "return a + b;": passed · run-command: …` */
function describeOmission({ check, omission }: UncaughtOmission): string {
  return `${formatOmissionTitle(check, omission)}: ${explainVerdict(omission)}`;
}

function formatOmissionTitle(check: CheckedStimulus, { path, line, patchLine, kind, text }: TriedOmission): string {
  const patch = `${relative(process.cwd(), check.patchFile)}:${patchLine}`;
  return `${check.stimulus} · ${path}:${line} (${patch}) ${kind} ${JSON.stringify(shortenText(text.trim()))}`;
}

function formatStimulusPlace({ file, line, column, stimulus }: StimulusPlace): string {
  return `${relative(process.cwd(), file)}:${line}:${column}: ${stimulus}`;
}

function shortenText(text: string): string {
  const flat = toOneLine(text);
  return flat.length <= MAX_TEXT_LENGTH ? flat : `${flat.slice(0, MAX_TEXT_LENGTH)}…`;
}

function listOracleFacts(checks: readonly StimulusCheck[]): string[] {
  const survivors = listSurvivors(checks).length;
  const checked = checks.filter(isCheckedStimulus);
  const sound = checked.filter(({ status }) => status === "sound").length;
  return [
    `sound: ${sound} of ${checked.length} checked test cases; ${formatSurvivorCount(survivors)}`,
    ...describeMissingPatches(checks),
    ...checks.flatMap(listCheckNotes),
  ];
}

/** On one line, because a file may have many of them. */
function describeMissingPatches(checks: readonly StimulusCheck[]): string[] {
  const names = checks
    .filter((check) => !isCheckedStimulus(check) && check.cause === "no-patch")
    .map(({ stimulus }) => stimulus);
  return names.length === 0 ? [] : [`not checked, without a golden patch or solution/solve.sh: ${names.join(", ")}`];
}

function listCheckNotes(check: StimulusCheck): string[] {
  const { stimulus, leftOut } = check;
  const why =
    isCheckedStimulus(check) || check.cause === "no-patch" ? [] : [`${stimulus} cannot be checked: ${check.why}`];
  const notes = isCheckedStimulus(check) ? check.notes.map((note) => `${stimulus}: ${note}`) : [];
  return [...why, ...notes, ...describeSkippedGraders(stimulus, leftOut)];
}

function describeSkippedGraders(stimulus: string, leftOut: readonly LeftOut[]): string[] {
  if (leftOut.length === 0) return [];
  return [
    `${stimulus}: skipped graders, because no agent was started: ${leftOut.map(({ grader, why }) => `${grader} (${why})`).join(", ")}`,
  ];
}
