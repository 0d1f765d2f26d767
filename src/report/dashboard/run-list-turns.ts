/** For how long the event loop is kept at most, as far as single steps allow it. */
const TURN_MS = 8;

/**
 * Lets long work be done in turns, so that others are answered meanwhile: awaited after each step, it waits for the
 * event loop whenever that has not had its turn for a while.
 * @example
 * const pause = takingTurns();
 * for (const dir of dirs) { read(dir); await pause(); }
 */
export function takingTurns(clock: () => number = () => performance.now()): () => Promise<void> | undefined {
  let start = clock();
  return () => {
    if (clock() - start < TURN_MS) return undefined;
    return new Promise<void>((resolve) => {
      setImmediate(() => {
        start = clock();
        resolve();
      });
    });
  };
}
