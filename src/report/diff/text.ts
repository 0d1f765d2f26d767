import { basename } from "node:path";
import type { TimelineEntry } from "../dashboard/steps.js";
import { STEP_KIND_WORDS } from "../dashboard/steps.js";
import { formatDollars, formatPlural, formatSeconds } from "../format.js";
import type { Layout } from "../layout.js";
import { type TableColumn, type Tone, toOneLine } from "../markdown.js";
import { formatTrialName } from "../show-trial.js";
import { formatThousands } from "../timeline.js";
import { type DiffLine, type DiffSide, type DiffSign, hideWorkspace, type TrialDiff } from "./trial-diff.js";

const SIGNS: Readonly<Record<DiffSign, string>> = { same: "=", words: "~", changed: "≠", a: "A", b: "B" };
const TONES: Readonly<Record<DiffSign, Tone | null>> = {
  same: "faint",
  words: null,
  changed: "warning",
  a: "bad",
  b: "good",
};

/** Lines before the divergence that show where it is. */
const LINES_BEFORE = 3;
const MAX_LINES_AFTER = 40;
const MAX_TEXT = 160;

export interface TrialDiffOptions {
  readonly layout: Layout;
  /** Shows every line, and whole texts. */
  readonly isFull?: boolean;
}

/**
 * Renders two aligned trials: what each cost, where they part, and the steps around it.
 * @example
 * renderTrialDiff(diffTrials(a, b), { layout: createLayout() });
 */
export function renderTrialDiff(diff: TrialDiff, { layout, isFull = false }: TrialDiffOptions): string {
  const { a, b, lines, divergence } = diff;
  const shown = chooseLines(diff, isFull);
  const parts = [
    layout.heading(`${nameSide(a)} and ${nameSide(b)}`),
    layout.table(SIDE_COLUMNS, [
      { name: "A", side: a, isOneRun: a.run === b.run },
      { name: "B", side: b, isOneRun: a.run === b.run },
    ]),
    layout.bullets(describeDivergence(diff)),
    ...(lines.length === 0 ? [] : [layout.table(createColumns(divergence, isFull), shown, { isComplete: true })]),
    ...(lines.length === 0 ? [] : [layout.bullets(listHints(diff, shown.length))]),
  ];
  return `${parts.join("\n\n")}\n`;
}

function nameSide({ row }: DiffSide): string {
  return `${row.system}: ${formatTrialName(row)}`;
}

interface NamedSide {
  readonly name: string;
  readonly side: DiffSide;
  readonly isOneRun: boolean;
}

const SIDE_COLUMNS: readonly TableColumn<NamedSide>[] = [
  {
    title: "trial",
    cell: ({ name, side, isOneRun }) => `${name} ${nameSide(side)}${isOneRun ? "" : ` of ${basename(side.run)}`}`,
  },
  { title: "outcome", cell: ({ side }) => side.row.outcome },
  { title: "cost", align: "right", cell: ({ side }) => formatDollars(side.costUsd) },
  { title: "tokens", align: "right", cell: ({ side }) => formatCount(side.tokens) },
  { title: "answers", align: "right", cell: ({ side }) => formatCount(side.requests) },
  { title: "cost from there on", align: "right", cell: ({ side }) => formatDollars(side.rest?.costUsd) },
];

function formatCount(count: number | null): string {
  return count === null ? "–" : formatThousands(count);
}

function describeDivergence({ a, b, lines, divergence }: TrialDiff): string[] {
  if (lines.length === 0) return ["neither trial stored a step or an answer"];
  if (divergence === null) return ["no divergence: both did the same, but for words"];
  const line = lines[divergence];
  const from = [a, b].map(({ rest }, index) => {
    const count = formatPlural(rest?.requests ?? 0, "answer");
    return `${index === 0 ? "A" : "B"} ${formatDollars(rest?.costUsd)} in ${count}`;
  });
  return [
    `first divergence: step ${divergence + 1} of ${lines.length}, ${explainLine(line)}`,
    `from there on: ${from.join(", ")}`,
  ];
}

function explainLine(line: DiffLine | undefined): string {
  if (line === undefined) return "";
  const { a, b, sign } = line;
  const what = STEP_KIND_WORDS[(a ?? b)?.step.kind ?? "other"];
  if (sign === "a" || sign === "b") return `${sign === "a" ? "A" : "B"} alone ${what}`;
  const hasOtherEnd = a?.result?.isSuccess !== b?.result?.isSuccess;
  return hasOtherEnd && a?.step.text === b?.step.text ? "one failed and the other did not" : "both differ";
}

interface ShownLine {
  readonly index: number;
  /** Null for a gap. */
  readonly line: DiffLine | null;
  readonly text: string;
}

/** A few lines before the divergence and many after it; gaps say how many are left out. */
function chooseLines({ lines, divergence }: TrialDiff, isFull: boolean): ShownLine[] {
  const start = isFull || divergence === null ? 0 : Math.max(0, divergence - LINES_BEFORE);
  const end = isFull ? lines.length : Math.min(lines.length, (divergence ?? 0) + MAX_LINES_AFTER);
  const shown = lines.slice(start, end).map((line, at): ShownLine => ({ index: start + at, line, text: "" }));
  return [
    ...(start > 0 ? [createGap(0, `${formatPlural(start, "step")} before`)] : []),
    ...shown,
    ...(end < lines.length ? [createGap(end, `${formatPlural(lines.length - end, "more step")}`)] : []),
  ];
}

function createGap(index: number, text: string): ShownLine {
  return { index, line: null, text: `… ${text}` };
}

function createColumns(divergence: number | null, isFull: boolean): TableColumn<ShownLine>[] {
  const tone = ({ line }: ShownLine) => (line === null ? "faint" : TONES[line.sign]);
  return [
    {
      title: "step",
      cell: ({ index, line }) =>
        line === null ? "…" : `${index === divergence ? "▶ " : ""}${index + 1} ${SIGNS[line.sign]}`,
      tone: ({ index, line }) => (line !== null && index === divergence ? "heading" : null),
    },
    { title: "A", cell: ({ line, text }) => (line === null ? text : describeEntry(line.a, isFull)), tone },
    { title: "B", cell: ({ line }) => (line === null ? "" : describeEntry(line.b, isFull)), tone },
  ];
}

function describeEntry(entry: TimelineEntry | null, isFull: boolean): string {
  if (entry === null) return "–";
  const { step, result } = entry;
  const gist = step.kind === "call" || step.kind === "skill" || step.text === "" ? step.title : step.text;
  const text = toOneLine(hideWorkspace(isFull && step.kind === "call" ? `${step.title} ${step.text}` : gist));
  const end = result === null || result.isSuccess === null ? "" : result.isSuccess ? " ✓" : " ✕";
  const cut = isFull || text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT)}…`;
  // Answers of plain models have no time of their own.
  const time = step.atMs === 0 ? "" : `+${formatSeconds(Math.max(0, step.atMs) / 1000)} `;
  return `${time}${STEP_KIND_WORDS[step.kind]} ${cut}${end}`;
}

function listHints({ lines }: TrialDiff, shown: number): string[] {
  const signs = "= the same, ~ other words or output, ≠ different, A or B: only there";
  return [signs, ...(shown < lines.length ? [`${formatPlural(lines.length, "step")} in all: --full`] : [])];
}
