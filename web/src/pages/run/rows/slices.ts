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
    await nextTask();
    signal.throwIfAborted();
  }
}

function nextTask(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}
