import { formatDollars, formatPlural, formatSeconds, formatShare } from "../report/format.js";
import type { Progress } from "../runner/ports.js";
import { type ProgressStream, StatusLine } from "./status-line.js";

/** Shows the progress of a run. */
export class ProgressLine {
  readonly #line: StatusLine;

  constructor(stream: ProgressStream) {
    this.#line = new StatusLine(stream);
  }

  update(progress: Progress): void {
    this.#line.show(() => describeProgress(progress), progress.elapsedMs);
  }

  clear(): void {
    this.#line.clear();
  }
}

/** `1200/5000 · 87.5 % pass · 3 errors · $0.12 · 410/s · 9.3 s left` */
export function describeProgress({
  done,
  total,
  resumed,
  passed,
  scored,
  errors,
  costUsd,
  elapsedMs,
  waiting,
  warning,
}: Progress): string {
  const perSecond = elapsedMs === 0 ? 0 : ((done - resumed) / elapsedMs) * 1000;
  const parts = [`${done}/${total}`];
  // First, because narrow terminals cut off the end of the line.
  if (warning !== null) parts.push(warning);
  parts.push(scored === 0 ? "nothing scored yet" : `${formatShare(passed / scored)} pass`);
  if (errors > 0) parts.push(formatPlural(errors, "error"));
  if (costUsd !== null) parts.push(formatDollars(costUsd));
  parts.push(`${perSecond >= 10 ? Math.round(perSecond) : perSecond.toFixed(1)}/s`);
  if (perSecond > 0 && done < total) parts.push(`${formatSeconds((total - done) / perSecond)} left`);
  if (waiting !== null) parts.push(waiting);
  return parts.join(" · ");
}
