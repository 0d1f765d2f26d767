import type { CardFigure, RunCard, SystemCard } from "../../../../src/report/dashboard/contract.js";
import { parseTimestamp } from "../axes/moment.js";

/** A system in one run. */
export interface TrendPoint {
  readonly run: RunCard;
  readonly card: SystemCard;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly value: number | null;
  readonly low: number | null;
  readonly high: number | null;
  /** Why there is no value to draw; null when there is one. */
  readonly blank: string | null;
}

/** A system over runs, oldest first. */
export interface TrendLine {
  readonly system: string;
  readonly points: readonly TrendPoint[];
}

/** From this share of infrastructure errors on, what is left says little about the system. */
const MAX_ERROR_SHARE = 0.5;

/** One figure of each system over runs; runs without a date have no place in time. */
export function buildTrendLines(runs: readonly RunCard[], figure: CardFigure): TrendLine[] {
  const lines = new Map<string, TrendPoint[]>();
  for (const { run, at } of listDatedRuns(runs))
    for (const card of run.systems) {
      const line = lines.get(card.system) ?? [];
      lines.set(card.system, line);
      line.push(buildTrendPoint({ run, at }, card, figure));
    }
  return [...lines].map(([system, points]) => ({ system, points }));
}

interface DatedRun {
  run: RunCard;
  at: number;
}

/** Runs that have a place in time, oldest first. */
export function listDatedRuns(runs: readonly RunCard[]): DatedRun[] {
  return runs
    .flatMap((run) => {
      const at = parseTimestamp(run.createdAt);
      return at === null ? [] : [{ run, at }];
    })
    .sort((a, b) => a.at - b.at);
}

function buildTrendPoint({ run, at }: DatedRun, card: SystemCard, figure: CardFigure): TrendPoint {
  const value = card.figures[figure];
  const errors = computeErrorShare(card);
  // Of the error rate itself, such a point is the very thing to see.
  const isBlank = errors >= MAX_ERROR_SHARE && figure !== "error_rate";
  const blank = isBlank
    ? `${Math.round(errors * 100)} % of the trials had infrastructure errors`
    : value === null
      ? "not measured"
      : null;
  return {
    run,
    card,
    at,
    value,
    low: getIntervalEnd(card, `${figure}_ci_low`),
    high: getIntervalEnd(card, `${figure}_ci_high`),
    blank,
  };
}

/** Of the trials that were begun: those that a stop left over would hide how many of the others broke. */
function computeErrorShare({ outcomes }: SystemCard): number {
  const begun = Object.values(outcomes).reduce((sum, count) => sum + count, 0) - outcomes.skipped;
  return begun === 0 ? 0 : outcomes.error / begun;
}

function getIntervalEnd({ figures }: SystemCard, name: string): number | null {
  return Object.entries(figures).find(([key]) => key === name)?.[1] ?? null;
}

/** Whether any run of a system can be drawn. */
export function hasTrendValue({ points }: TrendLine): boolean {
  return points.some(({ blank }) => blank === null);
}
