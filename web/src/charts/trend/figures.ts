import type { CardFigure } from "../../../../src/report/dashboard/contract.js";
import { formatDollars, formatMilliseconds, formatNumber, formatScore, formatShare } from "../../ui/format.js";
import {
  formatDollarTick,
  formatNumberTick,
  formatSecondsTick,
  formatShareTick,
  type TickFormatter,
} from "../axes/ticks.js";

/** How a figure is written, and how its axis behaves. */
export interface FigureStyle {
  format: (value: number | null) => string;
  tick: TickFormatter;
  /** Shares always show all from 0 to 1. */
  isShare: boolean;
}

const SHARE_STYLE: FigureStyle = { format: formatShare, tick: formatShareTick, isShare: true };
const SCORE_STYLE: FigureStyle = { format: (value) => formatScore(value), tick: formatNumberTick, isShare: true };
const DOLLAR_STYLE: FigureStyle = { format: formatDollars, tick: formatDollarTick, isShare: false };
const MILLISECOND_STYLE: FigureStyle = {
  format: formatMilliseconds,
  tick: (value) => formatSecondsTick(value / 1000),
  isShare: false,
};
const SECOND_STYLE: FigureStyle = {
  format: (value) => formatMilliseconds(value === null ? null : value * 1000),
  tick: formatSecondsTick,
  isShare: false,
};
const NUMBER_STYLE: FigureStyle = { format: (value) => formatNumber(value), tick: formatNumberTick, isShare: false };

/** By what the names of figures have in common. */
export function getFigureStyle(figure: CardFigure): FigureStyle {
  if (/^(pass_rate|pass_hat|coverage|error_rate)/.test(figure)) return SHARE_STYLE;
  if (/^mean_score(_ci_\w+)?$/.test(figure)) return SCORE_STYLE;
  if (/usd|cost_per_success/.test(figure)) return DOLLAR_STYLE;
  if (figure.endsWith("_ms")) return MILLISECOND_STYLE;
  return figure.startsWith("latency") ? SECOND_STYLE : NUMBER_STYLE;
}
