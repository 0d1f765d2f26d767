/** A promise that a signal keeps, and a way to let go of it. */
export interface Abortion {
  readonly aborted: Promise<void>;
  release(): void;
}

/** Waits for a signal, for whoever has something else to wait for as well. */
export function abortionOf(signal: AbortSignal): Abortion {
  let release = () => {};
  const aborted = new Promise<void>((resolve) => {
    const onAbort = () => resolve();
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", onAbort, { once: true });
    release = () => signal.removeEventListener("abort", onAbort);
  });
  return { aborted, release };
}
