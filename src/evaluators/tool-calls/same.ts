import { fieldsOf } from "./call.js";

/** Whether two values are the same as JSON sees them, whatever the order of their keys. */
export function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((item, i) => isSame(item, b[i]));
  const left = fieldsOf(a);
  const right = fieldsOf(b);
  if (left === null || right === null) return false;
  const keys = Object.keys(left);
  return (
    keys.length === Object.keys(right).length &&
    keys.every((key) => Object.hasOwn(right, key) && isSame(left[key], right[key]))
  );
}

/**
 * Whether a value is one of those that BFCL allows: texts without regard to case, spaces and ",./-_*^", lists item by
 * item, and objects whose every key has its own list of allowed values.
 */
export function isAllowed(value: unknown, allowed: unknown): boolean {
  const options: readonly unknown[] = Array.isArray(allowed) ? allowed : [allowed];
  return options.some((option) => isLoose(value, option));
}

/** Whether BFCL lets a key be left out: "" is among what it allows. */
export function isOptional(allowed: unknown): boolean {
  return Array.isArray(allowed) && allowed.includes("");
}

function isLoose(value: unknown, option: unknown): boolean {
  if (typeof value === "string" && typeof option === "string") return standard(value) === standard(option);
  if (Array.isArray(value) && Array.isArray(option)) {
    return value.length === option.length && value.every((item, i) => isLoose(item, option[i]));
  }
  const fields = fieldsOf(value);
  const wanted = fieldsOf(option);
  if (fields === null || wanted === null) return isSame(value, option);
  return (
    Object.entries(fields).every(([key, item]) => Object.hasOwn(wanted, key) && isAllowed(item, wanted[key])) &&
    Object.entries(wanted).every(([key, allowed]) => Object.hasOwn(fields, key) || isOptional(allowed))
  );
}

function standard(text: string): string {
  return text
    .replace(/[ ,./\-_*^]/g, "")
    .toLowerCase()
    .replaceAll("'", '"');
}
