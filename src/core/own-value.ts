/** The entry of a name that users chose: `constructor` is one, though every object seems to have it. */
export function ownValue<T>(values: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(values, name) ? values[name] : undefined;
}
