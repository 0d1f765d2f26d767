import type { GraderSpec } from "../../../core/grader.js";
import { occursIn, readPattern } from "../../../graders/pattern.js";

export function textOf({ config }: GraderSpec, key: string): string | null {
  const value = config?.[key];
  return typeof value === "string" && value !== "" ? value : null;
}

export function numberOf({ config }: GraderSpec, key: string): number | null {
  const value = config?.[key];
  return typeof value === "number" ? value : null;
}

export function listOf({ config }: GraderSpec, key: string): readonly unknown[] {
  const value = config?.[key];
  return Array.isArray(value) ? value : [];
}

/** Entries are strings, or objects with a name. */
export function namesIn(spec: GraderSpec, key: string): string[] {
  return listOf(spec, key).flatMap((entry) => {
    const name = typeof entry === "object" && entry !== null ? (entry as { name?: unknown }).name : entry;
    return typeof name === "string" ? [name] : [];
  });
}

/** Empty for graders that are not composed of others. */
export function partsOf({ type, config }: GraderSpec): readonly GraderSpec[] {
  const given = type === "not" ? [config?.grader] : type === "all-of" || type === "any-of" ? config?.graders : [];
  return (Array.isArray(given) ? given : []).filter(isGrader);
}

/** Leaves out negated parts: they may be about something that does not exist. */
export function wantedParts(spec: GraderSpec): GraderSpec[] {
  return spec.type === "not" ? [] : [spec, ...partsOf(spec).flatMap(wantedParts)];
}

function isGrader(value: unknown): value is GraderSpec {
  return typeof value === "object" && value !== null && typeof (value as Partial<GraderSpec>).type === "string";
}

/** Returns false when that cannot be determined. */
export function patternFits(spec: GraderSpec, text: string): boolean {
  const pattern = textOf(spec, "pattern");
  if (pattern === null) return false;
  try {
    return occursIn(readPattern(pattern, textOf(spec, "flags") ?? ""), text);
  } catch {
    return false;
  }
}

export function textFits(spec: GraderSpec, key: "substring" | "value", text: string): boolean {
  const wanted = textOf(spec, key);
  if (wanted === null) return false;
  return isCaseSensitive(spec) ? text.includes(wanted) : text.toLowerCase().includes(wanted.toLowerCase());
}

/** By default, graders of files are case-sensitive and graders of answers are not. */
export function isCaseSensitive({ type, config }: GraderSpec): boolean {
  const { case_sensitive: told } = config ?? {};
  return typeof told === "boolean" ? told : type.startsWith("file-") || type.startsWith("diff-");
}
