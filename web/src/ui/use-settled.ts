import { useEffect, useState } from "preact/hooks";

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
