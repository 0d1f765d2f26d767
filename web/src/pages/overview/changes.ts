import type { CardFigure, SystemCard } from "../../../../src/report/dashboard/contract.js";
import { formatDollars, formatGrowth, formatMilliseconds, formatStep } from "../../ui/format.js";
import type { Entry } from "./parts.js";

interface Measure {
  figure: CardFigure;
  words: string;
  isBestHigh: boolean;
  low?: CardFigure;
  high?: CardFigure;
  step: (before: number, after: number) => string;
}

/** What is held against the run before, quality first. */
const MEASURES: readonly Measure[] = [
  rate("pass_rate", "pass rate", ["pass_rate_ci_low", "pass_rate_ci_high"]),
  rate("mean_score", "quality", ["mean_score_ci_low", "mean_score_ci_high"]),
  {
    figure: "cost_per_pass_usd",
    words: "cost per pass",
    isBestHigh: false,
    low: "cost_per_pass_usd_ci_low",
    high: "cost_per_pass_usd_ci_high",
    step: stepWith(formatDollars),
  },
  {
    figure: "median_time_to_success_ms",
    words: "time to success",
    isBestHigh: false,
    step: stepWith(formatMilliseconds),
  },
];

function rate(figure: CardFigure, words: string, [low, high]: readonly [CardFigure, CardFigure]): Measure {
  return { figure, words, isBestHigh: true, low, high, step: formatStep };
}

function stepWith(format: (value: number) => string): Measure["step"] {
  return (before, after) =>
    before === after ? format(after) : `${format(before)} → ${format(after)} (${formatGrowth(before, after)})`;
}

/** How one figure differs from the run before. */
export interface Change {
  figure: CardFigure;
  words: string;
  before: number;
  after: number;
  direction: "up" | "down" | "same";
  /** Null when it is the same. */
  isBetter: boolean | null;
  /** Whether the two intervals lie apart or overlap; `unknown` when one of them is not known. */
  certainty: "apart" | "overlap" | "unknown";
  /** Such as `0.61 → 0.74`. */
  step: string;
}

/** The figures that both runs have, with how they differ. */
export function changesBetween(before: SystemCard, after: SystemCard): Change[] {
  return MEASURES.flatMap((measure) => changeOf(measure, before, after) ?? []);
}

function changeOf(measure: Measure, before: SystemCard, after: SystemCard): Change | null {
  const { figure, words, isBestHigh, step } = measure;
  const [was, is] = [before.figures[figure], after.figures[figure]];
  if (was === null || is === null) return null;
  const direction = is > was ? "up" : is < was ? "down" : "same";
  return {
    figure,
    words,
    before: was,
    after: is,
    direction,
    isBetter: direction === "same" ? null : (direction === "up") === isBestHigh,
    certainty: certaintyOf(rangeIn(measure, before), rangeIn(measure, after)),
    step: step(was, is),
  };
}

interface Range {
  low: number;
  high: number;
}

function rangeIn({ low, high }: Measure, { figures }: SystemCard): Range | null {
  const from = low === undefined ? null : figures[low];
  const to = high === undefined ? null : figures[high];
  return from === null || to === null ? null : { low: from, high: to };
}

function certaintyOf(before: Range | null, after: Range | null): Change["certainty"] {
  if (before === null || after === null) return "unknown";
  return after.low > before.high || after.high < before.low ? "apart" : "overlap";
}

/** What a change is worth, in words; empty when there is none. */
export function certaintyWords({ direction, certainty }: Change): string {
  if (direction === "same") return "";
  return { apart: "intervals apart", overlap: "intervals overlap", unknown: "no interval" }[certainty];
}

/** The change of a line in quality: of its pass rate, or of its mean score where there is none. */
export function headlineOf({ previous, card }: Entry): Change | null {
  return previous === null ? null : (changesBetween(previous.card, card)[0] ?? null);
}

/** What is new since the runs before. */
export interface News {
  /** Lines whose quality moved, the surest and largest first. */
  moved: readonly { entry: Entry; change: Change }[];
  unchanged: number;
  /** Systems that have no run before. */
  fresh: number;
}

/** Takes lines of all parts together. */
export function newsOf(entries: readonly Entry[]): News {
  const changes = entries.flatMap((entry) => {
    const change = headlineOf(entry);
    return change === null ? [] : [{ entry, change }];
  });
  const moved = changes
    .filter(({ change }) => change.direction !== "same")
    .sort((x, y) => weight(y.change) - weight(x.change));
  return {
    moved,
    unchanged: changes.length - moved.length,
    fresh: entries.filter(({ previous }) => previous === null).length,
  };
}

function weight({ certainty, before, after }: Change): number {
  return (certainty === "apart" ? 1 : 0) + Math.abs(after - before);
}
