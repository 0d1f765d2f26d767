/** True for anything `await` would wait for. A plain value is better not awaited: the turn it costs would count as latency. */
export function isThenable<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return typeof value === "object" && value !== null && typeof (value as { then?: unknown }).then === "function";
}
