import { ShapeError } from "./errors.js";

type NamedObject = { readonly name: string };

/** Throws if `value` lacks a name or a method of its interface. */
export function requireShape<T extends NamedObject>(what: string, value: unknown, methods: readonly string[]): T {
  if (typeof value !== "object" || value === null) {
    throw new ShapeError(
      `${what} must be an object with ${describeRequirements(methods)}, but is ${describeValue(value)}.`,
    );
  }
  const fields = value as Record<string, unknown>;
  const { name } = fields;
  if (typeof name !== "string" || name === "") {
    throw new ShapeError(`${what} has no name. Give it a non-empty string \`name\`.`);
  }
  for (const method of methods) {
    if (typeof fields[method] !== "function") {
      throw new ShapeError(`${what} "${name}" has no method ${method}(). It needs ${describeRequirements(methods)}.`);
    }
  }
  return value as T;
}

export function describeValue(value: unknown): string {
  if (value === null) return "null";
  if (value === undefined) return "undefined";
  if (Array.isArray(value)) return "an array";
  if (typeof value === "object") return "an object";
  if (typeof value === "function") return "a function";
  return `the ${typeof value} ${typeof value === "string" ? JSON.stringify(value) : (value as number | bigint | boolean | symbol).toString()}`;
}

function describeRequirements(methods: readonly string[]): string {
  return ["a `name`", ...methods.map((method) => `a method ${method}()`)].join(" and ");
}

/**
 * Removes undefined options, because absent and undefined are not the same.
 * @example
 * omitUndefined({ seed: 1, title: undefined }); // { seed: 1 }
 */
export function omitUndefined<T extends object>(options: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as never;
}

/** Reads a key chosen by the user, which may be an inherited name such as `constructor`. */
export function getOwn<T>(values: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(values, name) ? values[name] : undefined;
}

export function isThenable<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return typeof value === "object" && value !== null && typeof (value as { then?: unknown }).then === "function";
}
