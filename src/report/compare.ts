import { basename } from "node:path";
import type { Comparison, RunComparison, RunName } from "../metrics/compare/index.js";
import type { GateWords } from "./compare-gate.js";
import { comparisonFacts, headline, metricTable, type TaskList, taskLists } from "./compare-parts.js";
import { oneLine } from "./markdown.js";

/** How a list of tasks is shown. */
type ListStyle = (list: TaskList) => string;

/** The comparison of two runs for a terminal. */
export function compareText(compared: RunComparison): string {
  return rendered(compared, plainList);
}

/** The same for a comment on a pull request: long lists are folded, and what gates say, which has no other way there, is first. */
export function compareMarkdown(compared: RunComparison, gates: readonly GateWords[] = []): string {
  const warnings = gates.flatMap(({ warning }) => (warning === null ? [] : [`**⚠ ${oneLine(warning)}**\n\n`]));
  const failures = gates.flatMap((gate) => gate.failures.map((failure) => `**✕ ${oneLine(failure)}**\n\n`));
  return `${[...warnings, ...failures].join("")}${rendered(compared, foldedList)}`;
}

function rendered({ a, b, comparisons, notes }: RunComparison, listed: ListStyle): string {
  const title = `# ${runTitle(a)} → ${runTitle(b)}`;
  const sections = comparisons.map((comparison) => section(comparison, listed));
  const remarks = notes.length === 0 ? [] : [bullets(notes)];
  return `${[title, ...sections, ...remarks].join("\n\n")}\n`;
}

function section(comparison: Comparison, listed: ListStyle): string {
  const { systemA, systemB } = comparison;
  const parts = [
    `## A: ${oneLine(systemA)}, B: ${oneLine(systemB)}`,
    headline(comparison),
    metricTable(comparison),
    bullets(comparisonFacts(comparison)),
    ...taskLists(comparison).map(listed),
  ];
  return parts.join("\n\n");
}

function runTitle({ run, title }: RunName): string {
  return oneLine(run === null ? title : basename(run));
}

function bullets(lines: readonly string[]): string {
  return lines.map((line) => `- ${oneLine(line)}`).join("\n");
}

function plainList({ title, entries, more }: TaskList): string {
  return `${title}\n\n${bullets(withRest(entries, more))}`;
}

function foldedList({ title, entries, more }: TaskList): string {
  const lines = withRest(entries, more).map((entry) => entry.replaceAll("&", "&amp;").replaceAll("<", "&lt;"));
  return `<details>\n<summary>${title}</summary>\n\n${bullets(lines)}\n\n</details>`;
}

function withRest(entries: readonly string[], more: number): string[] {
  return more === 0 ? [...entries] : [...entries, `and ${more} more, all of which are in --output json`];
}
