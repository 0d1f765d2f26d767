import { useEffect, useState } from "preact/hooks";

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
