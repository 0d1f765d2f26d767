import type { CardFigure } from "../../../../src/report/dashboard/contract.js";
import { formatDollars, formatMilliseconds, formatNumber, formatScore, formatShare } from "../../ui/format.js";
import { dollarsTick, numberTick, secondsTick, shareTick, type TickText } from "../axes/ticks.js";

/** How a figure is written, and how its axis behaves. */
export interface FigureStyle {
  format: (value: number | null) => string;
  tick: TickText;
  /** Shares always show all from 0 to 1. */
  isShare: boolean;
}

const SHARE: FigureStyle = { format: formatShare, tick: shareTick, isShare: true };
const SCORE: FigureStyle = { format: (value) => formatScore(value), tick: numberTick, isShare: true };
const DOLLARS: FigureStyle = { format: formatDollars, tick: dollarsTick, isShare: false };
const MILLISECONDS: FigureStyle = {
  format: formatMilliseconds,
  tick: (value) => secondsTick(value / 1000),
  isShare: false,
};
const SECONDS: FigureStyle = {
  format: (value) => formatMilliseconds(value === null ? null : value * 1000),
  tick: secondsTick,
  isShare: false,
};
const NUMBER: FigureStyle = { format: (value) => formatNumber(value), tick: numberTick, isShare: false };

/** By what the names of figures have in common. */
export function styleOf(figure: CardFigure): FigureStyle {
  if (/^(pass_rate|pass_hat|coverage|error_rate)/.test(figure)) return SHARE;
  if (/^mean_score(_ci_\w+)?$/.test(figure)) return SCORE;
  if (/usd|cost_per_success/.test(figure)) return DOLLARS;
  if (figure.endsWith("_ms")) return MILLISECONDS;
  return figure.startsWith("latency") ? SECONDS : NUMBER;
}
