/**
 * The options that are given: those that are undefined are taken out, because absent and undefined are not the same.
 * @example
 * given({ seed: 1, title: undefined }); // { seed: 1 }
 */
export function given<T extends object>(options: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as never;
}
