import type { Dataset, DownloadProgress } from "../core/index.js";
import { type LoadDatasetOptions, loadDataset } from "../datasets/index.js";
import { cutColumns, formatBytes, formatDollars, formatPlural, formatSeconds, formatShare } from "../report/index.js";
import type { Progress } from "../runner/index.js";
import { canRedraw } from "./screen.js";

export interface ProgressStream {
  isTTY?: boolean;
  columns?: number;
  write(text: string): unknown;
}

const REDRAW_MS = 100;
const PLAIN_LINE_MS = 5000;

/** Shows progress: one line that is redrawn on a terminal, otherwise a plain line from time to time. */
export class StatusLine {
  readonly #stream: ProgressStream;
  readonly #every: number;
  readonly #canRedraw: boolean;
  #last = 0;
  #drawn = false;

  constructor(stream: ProgressStream, { plainLineMs = PLAIN_LINE_MS } = {}) {
    this.#stream = stream;
    this.#canRedraw = canRedraw(stream);
    this.#every = this.#canRedraw ? REDRAW_MS : plainLineMs;
  }

  /** Does nothing if the last update was too recent. */
  show(text: () => string, elapsedMs: number): void {
    if (elapsedMs - this.#last < this.#every) return;
    this.#last = elapsedMs;
    if (!this.#canRedraw) {
      this.#stream.write(`${text()}\n`);
      return;
    }
    // A terminal of unknown width reports 0.
    const width = (this.#stream.columns || 80) - 1;
    this.#stream.write(`\r\u001b[2K${cutColumns(text(), width)}`);
    this.#drawn = true;
  }

  clear(): void {
    if (this.#drawn) this.#stream.write("\r\u001b[2K");
    this.#drawn = false;
  }
}

/** Shows the progress of a run. */
export class ProgressLine {
  readonly #line: StatusLine;
  readonly #start = performance.now();
  #last: Progress | null = null;
  #batches: string | null = null;

  constructor(stream: ProgressStream) {
    this.#line = new StatusLine(stream);
  }

  update(progress: Progress): void {
    this.#last = progress;
    this.#show(progress.elapsedMs);
  }

  /** Shows what the run waits for, also while no trial ends. */
  wait(batches: string | null): void {
    this.#batches = batches;
    this.#show(performance.now() - this.#start);
  }

  #show(elapsedMs: number): void {
    const [last, batches] = [this.#last, this.#batches];
    const waiting = last === null || batches === null ? last : { ...last, waiting: batches };
    this.#line.show(() => (waiting === null ? (batches ?? "") : describeProgress(waiting)), elapsedMs);
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

const BAR_CELLS = 20;

/** Shows progress only while something is downloaded. */
export async function loadWithProgress(spec: string, options: LoadDatasetOptions): Promise<Dataset> {
  const { line, onDownload } = createDownloadLine();
  try {
    return await loadDataset(spec, { ...options, onDownload });
  } finally {
    line.clear();
  }
}

/** The caller has to clear the line. */
export function createDownloadLine(): { line: StatusLine; onDownload: (progress: DownloadProgress) => void } {
  const line = new StatusLine(process.stderr);
  const start = performance.now();
  const onDownload = (progress: DownloadProgress) =>
    line.show(() => describeDownload(progress), performance.now() - start);
  return { line, onDownload };
}

/** `openai/gsm8k main/test-00000-of-00001.parquet ██████░░░░░░ 1.2 of 3.4 MB` */
export function describeDownload({ file, received, expected, waitingFor }: DownloadProgress): string {
  if (waitingFor !== null) return `${file}: waiting for ${waitingFor}`;
  if (expected === null || expected <= 0) return `${file}: ${formatBytes(received)}`;
  const share = Math.min(1, received / expected);
  const full = Math.round(share * BAR_CELLS);
  const bar = `${"█".repeat(full)}${"░".repeat(BAR_CELLS - full)}`;
  return `${bar} ${formatBytes(received)} of ${formatBytes(expected)} · ${file}`;
}
