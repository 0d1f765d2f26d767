/** Resolves when the signal aborts; call `release` to remove the listener. */
export interface AbortWaiter {
  readonly aborted: Promise<void>;
  release(): void;
}

export function waitForAbort(signal: AbortSignal): AbortWaiter {
  let release = () => {};
  const aborted = new Promise<void>((resolve) => {
    const onAbort = () => resolve();
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", onAbort, { once: true });
    release = () => signal.removeEventListener("abort", onAbort);
  });
  return { aborted, release };
}
