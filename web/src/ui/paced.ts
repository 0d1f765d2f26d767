/** Something that is done at most once in a while: at once when it was not done lately, else when the time is over. */
export interface ThrottledCall {
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
