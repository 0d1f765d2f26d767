/** A value that is there, or will be. */
export type Eventually<T> = T | PromiseLike<T>;

/** True for anything `await` would wait for. */
export function isThenable<T>(value: Eventually<T>): value is PromiseLike<T> {
  return typeof value === "object" && value !== null && typeof (value as { then?: unknown }).then === "function";
}

/**
 * Goes on with a value: at once when it is there, later when it is a promise. `await` would always wait a turn, and
 * the turns of other trials would then count as this one's latency.
 */
export function andThen<T, U>(value: Eventually<T>, next: (value: T) => Eventually<U>): Eventually<U> {
  return isThenable(value) ? value.then(next) : next(value);
}
