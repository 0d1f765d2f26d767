import { relative } from "node:path";
import { EXIT } from "../core/errors.js";
import {
  type CheckedStimulus,
  isSurvivor,
  type LeftOut,
  type StateVerdict,
  type StimulusCheck,
  type StimulusPlace,
  type TriedOmission,
} from "../evals/oracle/index.js";
import { plural } from "../report/format.js";
import { type Column, markdownTable, oneLine } from "../report/markdown.js";
import { printable } from "../report/printable.js";

const LONGEST_TEXT = 200;

/** 1 when graders are wrong, or miss a line and `strict` asks for it; 3 when that is not known. */
export function exitCodeOf(checks: readonly StimulusCheck[], strict: boolean): number {
  if (checks.some((check) => check.status === "unchecked" && check.cause === "interrupted")) return EXIT.interrupted;
  if (checks.some(({ status }) => status === "unsound")) return EXIT.gateFailed;
  const isUnknown = checks.some((check) => check.status === "unchecked" && check.cause === "error");
  if (isUnknown || !checks.some(isChecked)) return EXIT.infrastructure;
  return strict && survivorsOf(checks).length > 0 ? EXIT.gateFailed : EXIT.fine;
}

/** What the oracle found, as tables and lists or as JSON. */
export function renderOracle(checks: readonly StimulusCheck[], output: string): string {
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

/** An omission of a stimulus. */
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
    { title: "stimulus", cell: ({ stimulus }) => stimulus },
    { title: "untouched", cell: (check) => stateCell(check, "untouched", "fail") },
    { title: "golden", cell: (check) => stateCell(check, "golden", "pass") },
    { title: "lines tried", ...counted("tried") },
    { title: "caught", ...counted("caught") },
    { title: "survived", ...counted("survived") },
    { title: "harmless-looking", ...counted("harmless") },
  ];
  return `The untouched state must fail and the golden one pass; a line that survives is one no grader notices.\n\n${markdownTable(columns, checks)}`;
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
    ...(untouched.outcome === "error" ? [`${place}: nobody can tell of the untouched state: ${said(untouched)}`] : []),
    ...(golden.outcome === "fail" ? [`${place}: the graders fail the golden state: ${said(golden)}`] : []),
    ...(golden.outcome === "error" ? [`${place}: nobody can tell of the golden state: ${said(golden)}`] : []),
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
    `sound: ${sound} of ${checked.length} stimuli that were checked; ${plural(survivors, "survivor")}`,
    ...withoutPatch(checks),
    ...checks.flatMap(notesOn),
  ];
}

/** Together, as a file may have many of them. */
function withoutPatch(checks: readonly StimulusCheck[]): string[] {
  const names = checks
    .filter((check) => !isChecked(check) && check.cause === "no-patch")
    .map(({ stimulus }) => stimulus);
  return names.length === 0 ? [] : [`without a golden patch, and not checked: ${names.join(", ")}`];
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
    `${stimulus}: not asked, as no agent was started: ${leftOut.map(({ grader, why }) => `${grader} (${why})`).join(", ")}`,
  ];
}
