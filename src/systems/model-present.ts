/** Fields that may be undefined, though what is made of them has each field or leaves it out. */
type Loose<T> = { [Key in keyof T]: T[Key] | undefined };

/** An object without the fields that are undefined. */
export function present<T extends object>(fields: Loose<T>): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;
}
