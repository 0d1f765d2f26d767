import { basename } from "node:path";
import type { EvalResult, EvalRow, ReportOptions } from "../core/index.js";
import { TrialFiles } from "./dashboard/trial-files.js";
import {
  formatDollars,
  formatPlural,
  formatSeconds,
  formatShare,
  getMeasured,
  replaceControlCharacters,
} from "./format.js";
import { toOneLine } from "./markdown.js";
import { createPaint, type Paint } from "./style.js";

/** Failed trials that are quoted; the others are counted. */
const MAX_QUOTED = 5;

/** What stands before a quoted text. */
const QUOTE_INDENT = "        expected  ".length;

/** One line for each system, the trials that failed with what was expected and received, and the gates that failed. */
export async function renderSummary(
  result: EvalResult,
  { gates = [], hasColors = false, width }: ReportOptions = {},
): Promise<string> {
  const paint = createPaint(hasColors);
  const failedGates = gates.filter(({ passed }) => !passed);
  const isFine = failedGates.length === 0 && result.rows.some(({ outcome }) => outcome !== "skipped");
  const mark = isFine ? "✓" : "✗";
  const [title, seconds] = [toOneLine(result.config.title), formatSeconds(result.timing.wallSeconds)];
  const systems = Object.keys(result.summary);
  const [only] = systems;
  const head =
    systems.length === 1 && only !== undefined
      ? [`${mark} ${title}  ${describeSystem(result, only)} · ${seconds}`]
      : [`${mark} ${title}  ${seconds}`, ...systems.map((name) => `    ${name}  ${describeSystem(result, name)}`)];
  const lines = [
    ...head,
    ...(await quoteFailures(result, Math.max(20, (width ?? 180) - QUOTE_INDENT))),
    ...failedGates.map(({ words }) => `    ✗ ${words}`),
    ...result.notes.map((note) => `    ${note}`),
    ...(result.runDir === null ? [] : [`    ${result.runDir}`]),
  ];
  return lines.map((line) => `${paintLine(replaceControlCharacters(line.replaceAll("\n", " ")), paint)}\n`).join("");
}

/** Colors the mark at the beginning, and what is there to be copied. */
function paintLine(line: string, paint: Paint): string {
  const [, indent = "", mark = "", rest = ""] = /^(\s*)([✓✗]?)(.*)$/s.exec(line) ?? [];
  if (mark !== "") return `${indent}${paint(mark, mark === "✓" ? "good" : "bad")}${rest}`;
  return `${indent}${rest.replace(/^(?:expected|received|scores|error) +/, (label) => paint(label, "faint"))}`;
}

/** `2 of 3 passed · 66.7 % [20.8 %, 93.9 %] · 1 error · $0.0012` */
function describeSystem({ rows, summary }: EvalResult, system: string): string {
  const own = rows.filter((row) => row.system === system);
  const count = (outcome: EvalRow["outcome"]) => own.filter((row) => row.outcome === outcome).length;
  const values = summary[system] ?? {};
  const [rate, low, high] = ["pass_rate", "pass_rate_ci_low", "pass_rate_ci_high"].map((key) =>
    getMeasured(values, key),
  );
  const range = low == null || high == null ? "" : ` [${formatShare(low)}, ${formatShare(high)}]`;
  const costs = own.flatMap(({ costUsd }) => costUsd ?? []);
  return [
    `${count("pass")} of ${own.length} passed`,
    ...(rate == null ? [] : [`${formatShare(rate)}${range}`]),
    ...(count("error") > 0 ? [formatPlural(count("error"), "error")] : []),
    ...(count("unscored") > 0 ? [`${count("unscored")} not scored`] : []),
    ...(count("skipped") > 0 ? [`${count("skipped")} not run`] : []),
    ...(costs.length === 0 ? [] : [formatDollars(costs.reduce((sum, cost) => sum + cost, 0))]),
  ].join(" · ");
}

async function quoteFailures({ rows, runDir, config }: EvalResult, room: number): Promise<string[]> {
  const failed = rows.filter(({ outcome }) => outcome === "fail" || outcome === "error" || outcome === "unscored");
  const files = new TrialFiles();
  const quoted: string[] = [];
  for (const row of failed.slice(0, MAX_QUOTED))
    quoted.push(...(await quoteTrial(row, { files, runDir, config, room })));
  const left = failed.length - MAX_QUOTED;
  if (left <= 0 || runDir === null) return quoted;
  return [...quoted, `    ${formatPlural(left, "more trial")} failed: assay show ${basename(runDir)}`];
}

interface QuoteContext extends Pick<EvalResult, "runDir" | "config"> {
  files: TrialFiles;
  /** Characters of a quoted text. */
  room: number;
}

async function quoteTrial(row: EvalRow, { files, runDir, config, room }: QuoteContext): Promise<string[]> {
  const quote = (text: string) => shorten(text, room);
  const example = runDir === null ? null : await files.readExample(runDir, row);
  const stored = runDir === null ? null : await files.readOutput(runDir, row);
  const asked = quote(example?.question ?? example?.context ?? String(row.exampleId));
  const expected = example?.answer ?? example?.answers?.join(" | ");
  const received = stored?.output.response ?? stored?.output.context;
  const trial = config.trials > 1 ? ` · trial ${row.trial + 1}` : "";
  const scores = Object.entries(row.scores).map(([field, score]) => `${field} ${Number(score.toFixed(3))}`);
  const problem =
    row.outcome === "fail" ? undefined : [...row.attempts.map(({ message }) => message), ...row.notes].at(-1);
  return [
    `    ✗ ${row.system} · ${asked}${trial}`,
    ...(problem === undefined ? [] : [`        error     ${quote(problem)}`]),
    ...(problem !== undefined || expected === undefined ? [] : [`        expected  ${quote(expected)}`]),
    ...(problem !== undefined || received === undefined ? [] : [`        received  ${quote(received)}`]),
    ...(scores.length === 0 ? [] : [`        scores    ${scores.join(", ")}`]),
  ];
}

/** On one line. */
function shorten(text: string, room: number): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length <= room ? line : `${line.slice(0, room - 1)}…`;
}
