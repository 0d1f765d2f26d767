/**
 * Values by a key of theirs, both in the order they were met.
 * @example
 * grouped([1, 2, 3], (n) => n % 2); // Map { 1 => [1, 3], 0 => [2] }
 */
export function grouped<K, V>(values: Iterable<V>, keyOf: (value: V) => K): Map<K, V[]> {
  const groups = new Map<K, V[]>();
  for (const value of values) {
    const key = keyOf(value);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [value]);
    else group.push(value);
  }
  return groups;
}
