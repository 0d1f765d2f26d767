import type { WorkerState } from "../queue/index.js";
import { formatPlural, replaceControlCharacters, toOneLine } from "../report/index.js";
import { type ProgressStream, StatusLine } from "./progress.js";

const PLAIN_LINE_MS = 10_000;

export interface JoinedRun {
  readonly runId: string;
  readonly state: WorkerState;
}

/** Shows a worker's progress: one line that is redrawn on a terminal, otherwise a plain line for each run from time to time. */
export class WorkerProgress {
  readonly #stream: ProgressStream;
  readonly #line: StatusLine;
  readonly #start = performance.now();

  constructor(stream: ProgressStream) {
    this.#stream = stream;
    this.#line = new StatusLine(stream, { plainLineMs: PLAIN_LINE_MS });
  }

  show(runs: readonly JoinedRun[]): void {
    if (runs.length === 0) {
      this.#line.clear();
      return;
    }
    const lines = () => (this.#stream.isTTY === true ? summarizeRuns(runs) : runs.map(formatWorkerLine).join("\n"));
    this.#line.show(lines, performance.now() - this.#start);
  }

  note(text: string): void {
    this.#line.clear();
    this.#stream.write(`${replaceControlCharacters(text)}\n`);
  }

  clear(): void {
    this.#line.clear();
  }
}

/** `20261115-213334-needle: 1200 done · 41/s · 8 running · the endpoint asks to wait` */
function formatWorkerLine({ runId, state }: JoinedRun): string {
  const { done, perSecond, active, waiting } = state;
  const rate = `${perSecond >= 10 ? Math.round(perSecond) : perSecond.toFixed(1)}/s`;
  const parts = [`${done} done`, rate, `${active} running`, ...(waiting === null ? [] : [waiting])];
  return toOneLine(`${runId}: ${parts.join(" · ")}`);
}

function summarizeRuns(runs: readonly JoinedRun[]): string {
  const [first, ...more] = runs;
  if (first === undefined || more.length === 0) return first === undefined ? "" : formatWorkerLine(first);
  const sum = (of: (state: WorkerState) => number) => runs.reduce((total, { state }) => total + of(state), 0);
  const waiting = [...new Set(runs.flatMap(({ state }) => state.waiting ?? []))];
  const all = {
    ...first.state,
    done: sum(({ done }) => done),
    active: sum(({ active }) => active),
    perSecond: sum(({ perSecond }) => perSecond),
    waiting: waiting.length === 0 ? null : waiting.join("; "),
  };
  return formatWorkerLine({ runId: formatPlural(runs.length, "run"), state: all });
}
