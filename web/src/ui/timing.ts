import { useEffect, useState } from "preact/hooks";

/** Something that is done at most once in a while: at once when it was not done lately, else when the time is over. */
interface ThrottledCall {
  readonly call: () => void;
  readonly cancel: () => void;
}

/**
 * Makes something happen at most once in so many milliseconds; the last call is never lost.
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

/** Shorter than a pause in typing that anybody notices. */
const SETTLE_DELAY_MS = 250;

/** A value that is typed, once it has stayed the same for a moment: each letter would be a question to the server. */
export function useSettledValue<T>(value: T): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), SETTLE_DELAY_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}

/** As long as one piece of work may take: well under what a reader notices. */
const MAX_SLICE_MS = 10;

/**
 * Does work that gives way at each `yield` whenever it has gone on for a while, so that the page answers meanwhile.
 * Rejects with the reason of the signal when that is aborted.
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

/** Lets the browser draw and answer before the work goes on. */
export function waitForNextTask(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}

/**
 * How many of `total` things are to be drawn: a few at first, and more in each turn, so that no turn is long. It begins
 * anew when `of` is another.
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
