import { formatDollars, formatPlural, formatShare } from "../format.js";
import type { Layout } from "../layout.js";
import type { TableColumn } from "../markdown.js";
import { formatThousands } from "../timeline.js";
import type { CostPart, CostReport, OtherCosts, SystemCost } from "./report.js";
import { COST_SPLITS, type CostSplit, PARTS } from "./split.js";

const SPLIT_TITLES: Readonly<Record<CostSplit, string>> = {
  class: "by class of tokens",
  kind: "by kind of step",
  tool: "by tool",
  worker: "by worker",
  retries: "by retries",
  pass: "by passing state",
};

/** A split into one of these alone says nothing. */
const PLAIN_PARTS: readonly string[] = [PARTS.mainWork, PARTS.firstTries, PARTS.noPass, PARTS.noTool];

const BILL = "the bill";

/** Splits whose parts are counted, and the heading of that column. */
const COUNT_TITLES: Readonly<Partial<Record<CostSplit, string>>> = {
  kind: "answers",
  tool: "calls",
  worker: "answers",
  pass: "answers",
};

/**
 * Renders where the money of a run went: each way to split a bill is a table, and its last line is the bill.
 * @example
 * renderCosts(report, createLayout());
 */
export function renderCosts({ systems, besides, notes }: CostReport, title: string, layout: Layout): string {
  const others = besides === undefined ? [] : listOtherCosts(besides);
  const parts = [
    layout.heading(`Cost of ${title}`),
    ...systems.flatMap((system) => renderSystem(system, layout)),
    ...(others.length === 0 ? [] : [layout.heading("Besides these bills", 2), layout.bullets(others)]),
    ...(notes.length === 0 ? [] : [layout.heading("Notes", 2), layout.bullets(notes)]),
  ];
  return `${parts.join("\n\n")}\n`;
}

function renderSystem(cost: SystemCost, layout: Layout): string[] {
  const { system, trials, costUsd, tokens, replayedUsd, judgeUsd, userUsd, splits } = cost;
  const counted = tokens === null ? "tokens unknown" : `${formatThousands(tokens)} tokens`;
  const facts = [
    `bill: ${costUsd === null ? "unknown" : formatDollars(costUsd)} for ${formatPlural(trials, "trial")}, ${counted}`,
    ...(replayedUsd === 0 ? [] : [`of it replayed, so that this run did not pay it: ${formatDollars(replayedUsd)}`]),
    ...(judgeUsd === 0 ? [] : [`judges, not part of the bill: ${formatDollars(judgeUsd)}`]),
    ...(userUsd === 0 ? [] : [`simulated users, not part of the bill: ${formatDollars(userUsd)}`]),
  ];
  const shown = COST_SPLITS.filter((split) => saysSomething(splits[split]));
  return [
    layout.heading(system, 2),
    layout.bullets(facts),
    ...shown.map((split) => renderSplit(split, { cost, layout })),
  ];
}

function saysSomething(parts: readonly CostPart[]): boolean {
  const [only, ...others] = parts;
  return only !== undefined && (others.length > 0 || !PLAIN_PARTS.includes(only.name));
}

interface SplitContext {
  readonly cost: SystemCost;
  readonly layout: Layout;
}

function renderSplit(split: CostSplit, { cost, layout }: SplitContext): string {
  const { costUsd, tokens, splits } = cost;
  const parts = splits[split].filter(
    (part) => (part.costUsd ?? 0) !== 0 || (part.tokens ?? 0) !== 0 || part.count !== 0,
  );
  const bill = { name: BILL, costUsd, tokens, count: parts.reduce((sum, part) => sum + part.count, 0) };
  const count = COUNT_TITLES[split];
  const dollars: TableColumn<CostPart>[] = [
    { title: "cost", align: "right", cell: (part) => formatDollars(part.costUsd) },
    { title: "share", align: "right", cell: (part) => formatShare(computeShare(part.costUsd, costUsd)) },
  ];
  const counted: TableColumn<CostPart>[] = [
    { title: count ?? "", align: "right", cell: (part) => (part.count === 0 ? "–" : formatThousands(part.count)) },
  ];
  const columns: TableColumn<CostPart>[] = [
    { title: SPLIT_TITLES[split], cell: ({ name }) => name, tone: tonePart },
    ...(costUsd === null ? [] : dollars),
    { title: "tokens", align: "right", cell: (part) => (part.tokens === null ? "–" : formatThousands(part.tokens)) },
    ...(count === undefined ? [] : counted),
  ];
  return layout.table(columns, [...parts, bill]);
}

function computeShare(part: number | null, whole: number | null): number | null {
  return part === null || whole === null || whole === 0 ? null : part / whole;
}

function tonePart({ name }: CostPart): "warning" | "faint" | null {
  if (name === PARTS.unattributed || name === PARTS.failedAttempts) return "warning";
  return name === BILL ? "faint" : null;
}

function listOtherCosts({ canaryUsd, repeatedUsd, lostUsd, unknownUsd, asideUsd }: OtherCosts): string[] {
  const found: [string, number][] = [
    ["canaries", canaryUsd],
    ["trials that failed and were run again", repeatedUsd],
    ["interrupted trials, as reserved", lostUsd],
    ["reserved for trials of unknown cost", unknownUsd],
    ["trials that are put aside", asideUsd],
  ];
  return found.flatMap(([what, usd]) => (usd === 0 ? [] : [`${what}: ${formatDollars(usd)}`]));
}
