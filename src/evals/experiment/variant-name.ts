import { canonicalJson } from "../../core/fingerprint.js";
import type { Setting } from "./experiment.js";
import { isMapping } from "./mapping.js";

/** Longer values, such as prompts, are cut in names. */
const MAX_LABEL = 40;

/**
 * A name for a combination of a matrix, made of its values.
 * @example
 * variantName([{ path: ["defaults", "model"], value: "gpt-5.5" }, { path: ["environment", "skills"], value: [] }]);
 * // "gpt-5.5,no-skills"
 */
export function variantName(settings: readonly Setting[]): string {
  return settings.map(labelOf).join(",");
}

/** Names that are there already get a number, in order. */
export function numbered(names: readonly string[]): string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    let own = name;
    for (let copy = 2; taken.has(own); copy++) own = `${name}#${copy}`;
    taken.add(own);
    return own;
  });
}

/** Text stands for itself; a number or a list says little without the key it is for. */
function labelOf({ path, value }: Setting): string {
  const key = path.at(-1) ?? "";
  if (isNothing(value)) return `no-${key}`;
  return shortened(typeof value === "string" ? value : `${key}=${textOf(value)}`);
}

function isNothing(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return value === null || (isMapping(value) && Object.keys(value).length === 0);
}

function textOf(value: unknown): string {
  return Array.isArray(value) ? value.map(textOf).join("+") : typeof value === "string" ? value : canonicalJson(value);
}

function shortened(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length <= MAX_LABEL ? line : `${line.slice(0, MAX_LABEL - 1)}…`;
}
