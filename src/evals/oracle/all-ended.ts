/**
 * Waits for all of them, also when one fails, so that nothing goes on behind the caller's back; then throws what the
 * first one threw.
 */
export async function allEnded<T>(work: readonly Promise<T>[]): Promise<T[]> {
  const ends = await Promise.allSettled(work);
  return ends.map((end) => {
    if (end.status === "rejected") throw end.reason;
    return end.value;
  });
}
