import { ShapeError } from "./errors.js";

type Method = { readonly name: string };

/** Throws unless `value` has a name and the methods its interface asks for, and says which is missing. */
export function requireShape<T extends Method>(what: string, value: unknown, methods: readonly string[]): T {
  if (typeof value !== "object" || value === null) {
    throw new ShapeError(`${what} must be an object with ${wanted(methods)}, but is ${describe(value)}.`);
  }
  const fields = value as Record<string, unknown>;
  const { name } = fields;
  if (typeof name !== "string" || name === "") {
    throw new ShapeError(`${what} has no name. Give it a non-empty string \`name\`.`);
  }
  for (const method of methods) {
    if (typeof fields[method] !== "function") {
      throw new ShapeError(`${what} "${name}" has no method ${method}(). It needs ${wanted(methods)}.`);
    }
  }
  return value as T;
}

/** A value in words, for messages. */
export function describe(value: unknown): string {
  if (value === null) return "null";
  if (value === undefined) return "undefined";
  if (Array.isArray(value)) return "an array";
  if (typeof value === "object") return "an object";
  if (typeof value === "function") return "a function";
  return `the ${typeof value} ${typeof value === "string" ? JSON.stringify(value) : (value as number | bigint | boolean | symbol).toString()}`;
}

function wanted(methods: readonly string[]): string {
  return ["a `name`", ...methods.map((method) => `a method ${method}()`)].join(" and ");
}
