import type { WorkerState } from "../queue/contract.js";
import { plural } from "../report/format.js";
import { oneLine } from "../report/markdown.js";
import { printable } from "../report/printable.js";
import { type ProgressStream, StatusLine } from "./status-line.js";

const PLAIN_LINE_MS = 10_000;

export interface TakenRun {
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

  show(runs: readonly TakenRun[]): void {
    if (runs.length === 0) {
      this.#line.clear();
      return;
    }
    const lines = () => (this.#stream.isTTY === true ? summaryOf(runs) : runs.map(lineOf).join("\n"));
    this.#line.show(lines, performance.now() - this.#start);
  }

  say(text: string): void {
    this.#line.clear();
    this.#stream.write(`${printable(text)}\n`);
  }

  clear(): void {
    this.#line.clear();
  }
}

/** `20261115-213334-needle: 1200 done · 41/s · 8 running · the endpoint asks to wait` */
function lineOf({ runId, state }: TakenRun): string {
  const { done, perSecond, active, waiting } = state;
  const rate = `${perSecond >= 10 ? Math.round(perSecond) : perSecond.toFixed(1)}/s`;
  const parts = [`${done} done`, rate, `${active} running`, ...(waiting === null ? [] : [waiting])];
  return oneLine(`${runId}: ${parts.join(" · ")}`);
}

function summaryOf(runs: readonly TakenRun[]): string {
  const [first, ...more] = runs;
  if (first === undefined || more.length === 0) return first === undefined ? "" : lineOf(first);
  const sum = (of: (state: WorkerState) => number) => runs.reduce((total, { state }) => total + of(state), 0);
  const waiting = [...new Set(runs.flatMap(({ state }) => state.waiting ?? []))];
  const all = {
    ...first.state,
    done: sum(({ done }) => done),
    active: sum(({ active }) => active),
    perSecond: sum(({ perSecond }) => perSecond),
    waiting: waiting.length === 0 ? null : waiting.join("; "),
  };
  return lineOf({ runId: plural(runs.length, "run"), state: all });
}
