import type { GraderSpec } from "../../../core/grader.js";
import { occursIn, readPattern } from "../../../graders/pattern.js";

/** The text under a key of a grader's config; null when there is none. */
export function textOf({ config }: GraderSpec, key: string): string | null {
  const value = config?.[key];
  return typeof value === "string" && value !== "" ? value : null;
}

/** The number under a key of a grader's config; null when there is none. */
export function numberOf({ config }: GraderSpec, key: string): number | null {
  const value = config?.[key];
  return typeof value === "number" ? value : null;
}

/** The list under a key of a grader's config; empty when there is none. */
export function listOf({ config }: GraderSpec, key: string): readonly unknown[] {
  const value = config?.[key];
  return Array.isArray(value) ? value : [];
}

/** The names in a list of a config: texts, or objects with a name. */
export function namesIn(spec: GraderSpec, key: string): string[] {
  return listOf(spec, key).flatMap((entry) => {
    const name = typeof entry === "object" && entry !== null ? (entry as { name?: unknown }).name : entry;
    return typeof name === "string" ? [name] : [];
  });
}

/** The graders that a composed grader is made of; empty for others. */
export function partsOf({ type, config }: GraderSpec): readonly GraderSpec[] {
  const given = type === "not" ? [config?.grader] : type === "all-of" || type === "any-of" ? config?.graders : [];
  return (Array.isArray(given) ? given : []).filter(isGrader);
}

/** A grader and all that it is made of; what it wants not to hold may well be about something that is not there. */
export function wantedParts(spec: GraderSpec): GraderSpec[] {
  return spec.type === "not" ? [] : [spec, ...partsOf(spec).flatMap(wantedParts)];
}

function isGrader(value: unknown): value is GraderSpec {
  return typeof value === "object" && value !== null && typeof (value as Partial<GraderSpec>).type === "string";
}

/** Whether the pattern of a grader occurs in a text; false when that cannot be told. */
export function patternFits(spec: GraderSpec, text: string): boolean {
  const pattern = textOf(spec, "pattern");
  if (pattern === null) return false;
  try {
    return occursIn(readPattern(pattern, textOf(spec, "flags") ?? ""), text);
  } catch {
    return false;
  }
}

/** Whether the text that a grader looks for, under one of its keys, occurs in another text. */
export function textFits(spec: GraderSpec, key: "substring" | "value", text: string): boolean {
  const wanted = textOf(spec, key);
  if (wanted === null) return false;
  return isCaseSensitive(spec) ? text.includes(wanted) : text.toLowerCase().includes(wanted.toLowerCase());
}

/** Graders of files tell capitals apart unless told, those of answers do not. */
export function isCaseSensitive({ type, config }: GraderSpec): boolean {
  const { case_sensitive: told } = config ?? {};
  return typeof told === "boolean" ? told : type.startsWith("file-") || type.startsWith("diff-");
}
