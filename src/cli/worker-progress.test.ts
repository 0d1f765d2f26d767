import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { WorkerState } from "../queue/contract.js";
import { WorkerProgress } from "./worker-progress.js";

const STATE: WorkerState = {
  ...{ id: "a", host: "h", pid: 1, run: "k", concurrency: 8, startedAt: "2026-01-01T00:00:00.000Z" },
  ...{ active: 8, done: 1200, perSecond: 41.4, waiting: null, refuses: null },
};

const ONE = { runId: "one", state: STATE };
const TWO = {
  runId: "two",
  state: { ...STATE, done: 3, active: 1, perSecond: 0.5, waiting: "the\u001b[31m endpoint" },
};

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function stream(isTTY: boolean) {
  const written: string[] = [];
  return { written, isTTY, columns: 100, write: (text: string) => written.push(text) };
}

it("writes a line for each run every ten seconds without a terminal", () => {
  const out = stream(false);
  const progress = new WorkerProgress(out);
  progress.show([ONE]);
  vi.advanceTimersByTime(10_000);
  progress.show([]);
  progress.show([ONE, TWO]);
  progress.show([ONE, TWO]);
  progress.note("Hello");
  expect(out.written).toEqual([
    "one: 1200 done · 41/s · 8 running\ntwo: 3 done · 0.5/s · 1 running · the\ufffd[31m endpoint\n",
    "Hello\n",
  ]);
});

it("redraws one line with all runs on a terminal, and clears it for notes", () => {
  const out = stream(true);
  const progress = new WorkerProgress(out);
  vi.advanceTimersByTime(1000);
  progress.show([ONE]);
  vi.advanceTimersByTime(1000);
  progress.show([ONE, TWO]);
  progress.note("Hello");
  progress.clear();
  expect(out.written).toEqual([
    "\r\u001b[2Kone: 1200 done · 41/s · 8 running",
    "\r\u001b[2K2 runs: 1203 done · 42/s · 9 running · the\ufffd[31m endpoint",
    "\r\u001b[2K",
    "Hello\n",
  ]);
});
