import { getOwn } from "../core/index.js";
import { LOW_COVERAGE } from "../metrics/index.js";
import { describeDecisionCost } from "./decision-cost.js";
import {
  describeDetectable,
  describeLift,
  formatCostDelta,
  formatSigned,
  formatSignedInterval,
  formatTimeDelta,
} from "./experiment-cells.js";
import type { ExperimentReport, Figure, Passes, StimulusDifference, VariantLift } from "./experiment-figures.js";
import { formatDollars, formatNumber, formatPlural, formatSeconds, formatShare } from "./format.js";
import { createLayout, type Layout } from "./layout.js";
import { type TableColumn, toOneLine } from "./markdown.js";
import { renderSequential } from "./sequential.js";

type VariantLine = ExperimentReport["variants"][number];

/** The report of an experiment for people. Default: as Markdown. */
export function renderExperimentMarkdown(report: ExperimentReport, layout = createLayout()): string {
  const parts = [
    layout.heading(report.name),
    ...(report.description === null ? [] : [layout.text(toOneLine(report.description))]),
    ...renderSequential(report.sequential, layout),
    layout.table(createVariantColumns(report), report.variants),
    ...renderLifts(report, layout),
    ...renderStimuli(report, layout),
    ...renderMissingStimuli(report, layout),
    renderExperimentFooter(report, layout),
  ];
  return `${parts.join("\n\n")}\n`;
}

function createVariantColumns({ variants, baseline, sequential }: ExperimentReport): TableColumn<VariantLine>[] {
  const k = Math.max(1, ...variants.flatMap(({ curves }) => curves.map((point) => point.k)));
  const curve = ({ curves }: VariantLine) => curves.find((point) => point.k === k);
  const right = (title: string, cell: (line: VariantLine) => string): TableColumn<VariantLine> => ({
    title,
    align: "right",
    cell,
  });
  const level = sequential === null ? "95 %" : `any time, ${formatLevel(sequential.armLevel)}`;
  return [
    { title: "variant", cell: ({ name }) => (name === baseline ? `${name} (baseline)` : name) },
    right(`pass rate [${level}]`, ({ passRate }) => formatFigureWithInterval(passRate)),
    ...(k === 1
      ? []
      : [
          right(`pass@${k}`, (line) => formatNumber(curve(line)?.passAtK.value)),
          right(`pass^${k}`, (line) => formatNumber(curve(line)?.passHatK.value)),
        ]),
    right(`mean score [${level}]`, ({ meanScore }) => formatFigureWithInterval(meanScore)),
    right("cost per trial", ({ meanCostUsd }) => formatDollars(meanCostUsd.value)),
    right("cost per pass", ({ costPerPassUsd }) => formatDollars(costPerPassUsd)),
    right("time per trial", ({ meanSeconds }) => formatSeconds(meanSeconds.value)),
    right("test cases", ({ stimuli }) => String(stimuli)),
    right("coverage", ({ coverage }) => formatCoverage(coverage)),
  ];
}

function formatCoverage(coverage: number | null): string {
  if (coverage === null) return "–";
  return `${formatShare(coverage)}${coverage < LOW_COVERAGE ? " ⚠" : ""}`;
}

function formatLevel(level: number): string {
  return `${Number((level * 100).toFixed(2))} %`;
}

function formatFigureWithInterval({ value, low, high }: Figure): string {
  if (value === null || low === null || high === null) return formatNumber(value);
  return `${formatNumber(value)} [${formatNumber(low)}, ${formatNumber(high)}]`;
}

function renderLifts({ lifts, baseline, level, sequential }: ExperimentReport, layout: Layout): string[] {
  if (lifts.length === 0) return [];
  const tests: TableColumn<VariantLift>[] = [
    { title: "p", align: "right", cell: ({ passRate }) => formatNumber(passRate.p) },
    { title: "p (Holm)", align: "right", cell: ({ passRate }) => formatNumber(passRate.adjustedP) },
  ];
  const columns: TableColumn<VariantLift>[] = [
    { title: "variant", cell: ({ variant }) => variant },
    { title: sequential === null ? "lift" : "verdict", cell: (lift) => describeLift(lift, sequential) },
    {
      title: `pass rate [${sequential === null ? "" : "any time, "}${formatLevel(level)}]`,
      align: "right",
      cell: ({ passRate }) => formatSignedInterval(passRate),
    },
    ...(sequential === null ? tests : []),
    { title: "mean score", align: "right", cell: ({ meanScore }) => formatSigned(meanScore.difference) },
    {
      title: "cost per trial",
      align: "right",
      cell: ({ costUsd, costChange }) => formatCostDelta(costUsd, costChange),
    },
    {
      title: "time per trial",
      align: "right",
      cell: ({ seconds, timeChange }) => formatTimeDelta(seconds, timeChange),
    },
    { title: "paired test cases", align: "right", cell: ({ paired }) => String(paired) },
  ];
  return [layout.heading(`Difference from ${baseline}`, 2), layout.table(columns, lifts)];
}

function renderStimuli({ stimuli, baseline, variants }: ExperimentReport, layout: Layout): string[] {
  const hasSeveral = new Set(Object.values(stimuli).flatMap((lines) => lines.map((line) => line.eval))).size > 1;
  return variants.flatMap(({ name }) => {
    const lines = getOwn(stimuli, name);
    if (lines === undefined || lines.length === 0) return [];
    const columns: TableColumn<StimulusDifference>[] = [
      ...(hasSeveral ? [{ title: "eval", cell: (line: StimulusDifference) => line.eval }] : []),
      { title: "test case", cell: ({ stimulus }) => stimulus },
      { title: baseline, align: "right", cell: (line) => formatPasses(line.baseline) },
      { title: name, align: "right", cell: (line) => formatPasses(line.variant) },
      { title: "difference", align: "right", cell: ({ difference }) => formatSigned(difference) },
    ];
    return [layout.heading(`${name}, by test case`, 2), layout.table(columns, lines)];
  });
}

function formatPasses({ passes, trials, rate: share }: Passes): string {
  return share === null ? "–" : `${formatNumber(share)} (${passes}/${trials})`;
}

/** Missing test cases often have one reason; the JSON lists them all. */
const MAX_MISSING = 20;

function renderMissingStimuli({ missing }: ExperimentReport, layout: Layout): string[] {
  if (missing.length === 0) return [];
  const lines = missing
    .slice(0, MAX_MISSING)
    .map((each) => `${each.stimulus} (${each.eval}): ${each.variants.join(", ")}`);
  const rest = missing.length > MAX_MISSING ? [`… and ${missing.length - MAX_MISSING} more`] : [];
  return [layout.heading("Not scored in every variant", 2), layout.bullets([...lines, ...rest])];
}

function renderExperimentFooter(report: ExperimentReport, layout: Layout): string {
  const { variants, lifts, cost: ofLifts, level, notes, vary, sequential } = report;
  const trials = variants.reduce((sum, variant) => sum + Object.values(variant.trials).reduce((a, b) => a + b, 0), 0);
  const known = variants.map(({ totalCostUsd }) => totalCostUsd);
  const isKnown = known.every((cost) => cost !== null);
  const cost = isKnown ? `, ${formatDollars(known.reduce<number>((sum, each) => sum + (each ?? 0), 0))}` : "";
  const lines = [
    `${formatPlural(variants.length, "variant")}, ${formatPlural(trials, "trial")}${cost}`,
    ...(vary.length === 0 ? [] : [`varied: ${vary.join(", ")}`]),
    ...(sequential === null
      ? [
          `better and worse: the ${formatLevel(level)} interval of the paired difference over test cases excludes 0, and the exact test is significant after Holm correction for ${formatPlural(lifts.length, "comparison")}`,
        ]
      : []),
    ...describeMissingCoverage(variants),
    ...(sequential === null ? describeDetectable(lifts) : []),
    ...(ofLifts === null ? [] : describeDecisionCost(ofLifts)),
    ...notes,
  ];
  return layout.bullets(lines);
}

function describeMissingCoverage(variants: readonly VariantLine[]): string[] {
  const reasons = new Set(variants.flatMap(({ coverageReason }) => coverageReason ?? []));
  return [...reasons].map((reason) => `coverage is unknown: ${reason}`);
}
