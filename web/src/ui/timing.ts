import { useEffect, useState } from "preact/hooks";

interface ThrottledCall {
  readonly call: () => void;
  readonly cancel: () => void;
}

/**
 * Limits how often a function runs: at once, then at most once per pause. The last call is never lost.
 * @example
 * const list = throttle(() => fetchRuns(), 2000);
 * source.watchRuns(list.call);
 */
export function throttle(act: () => void, pauseMs: number): ThrottledCall {
  let last = Number.NEGATIVE_INFINITY;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const run = () => {
    timer = undefined;
    last = performance.now();
    act();
  };
  return {
    call: () => {
      if (timer !== undefined) return;
      timer = setTimeout(run, Math.max(0, last + pauseMs - performance.now()));
    },
    cancel: () => clearTimeout(timer),
  };
}

/** Too short to be noticed as a pause. */
const SETTLE_DELAY_MS = 250;

/** A typed value, once it has not changed for a moment, so that not every letter is a request. */
export function useSettledValue<T>(value: T): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), SETTLE_DELAY_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}

/** Well under what a reader notices. */
const MAX_SLICE_MS = 10;

/**
 * Runs a generator, and pauses at a `yield` when it has run for a while, so that the page stays responsive. Rejects
 * when
 * the signal is aborted.
 * @example
 * const places = await runInSlices(selectRows(table, query), signal);
 */
export async function runInSlices<T>(work: Generator<void, T>, signal: AbortSignal): Promise<T> {
  for (;;) {
    const until = performance.now() + MAX_SLICE_MS;
    do {
      const step = work.next();
      if (step.done) return step.value;
    } while (performance.now() < until);
    await waitForNextTask();
    signal.throwIfAborted();
  }
}

/** Lets the browser draw and handle events. */
export function waitForNextTask(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}

/**
 * How many of `total` items to draw: a few at first, more with each task, so that no task is long. Starts again when
 * `of`
 * changes.
 */
export function useGrowingCount(total: number, atOnce: number, of: unknown): number {
  const [grown, setGrown] = useState({ of, count: atOnce });
  const count = grown.of === of ? grown.count : atOnce;
  useEffect(() => {
    if (count >= total) return;
    const timer = setTimeout(() => setGrown({ of, count: count + atOnce }));
    return () => clearTimeout(timer);
  }, [count, total, of]);
  return Math.min(count, total);
}
