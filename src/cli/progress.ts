import { formatDollars, formatSeconds, formatShare, plural } from "../report/format.js";
import type { Progress } from "../runner/ports.js";

export interface ProgressStream {
  isTTY?: boolean;
  columns?: number;
  write(text: string): unknown;
}

const REDRAW_MS = 100;
const PLAIN_LINE_MS = 5000;

/** Shows how far a run is: one line that is redrawn on a terminal, a plain line now and then elsewhere. */
export class ProgressLine {
  readonly #stream: ProgressStream;
  readonly #every: number;
  #last = 0;
  #drawn = false;

  constructor(stream: ProgressStream) {
    this.#stream = stream;
    this.#every = stream.isTTY === true ? REDRAW_MS : PLAIN_LINE_MS;
  }

  update(progress: Progress): void {
    if (progress.elapsedMs - this.#last < this.#every) return;
    this.#last = progress.elapsedMs;
    const text = describeProgress(progress);
    if (this.#stream.isTTY !== true) {
      this.#stream.write(`${text}\n`);
      return;
    }
    // A terminal that does not know its width says 0.
    const width = Math.max(20, (this.#stream.columns || 80) - 1);
    this.#stream.write(`\r\u001b[2K${text.slice(0, width)}`);
    this.#drawn = true;
  }

  /** Clears the line, so that what comes next starts on a clean one. */
  clear(): void {
    if (this.#drawn) this.#stream.write("\r\u001b[2K");
    this.#drawn = false;
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
}: Progress): string {
  const perSecond = elapsedMs === 0 ? 0 : ((done - resumed) / elapsedMs) * 1000;
  const parts = [`${done}/${total}`, scored === 0 ? "nothing scored yet" : `${formatShare(passed / scored)} pass`];
  if (errors > 0) parts.push(plural(errors, "error"));
  if (costUsd !== null) parts.push(formatDollars(costUsd));
  parts.push(`${perSecond >= 10 ? Math.round(perSecond) : perSecond.toFixed(1)}/s`);
  if (perSecond > 0 && done < total) parts.push(`${formatSeconds((total - done) / perSecond)} left`);
  if (waiting !== null) parts.push(waiting);
  return parts.join(" · ");
}
