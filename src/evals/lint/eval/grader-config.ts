import type { GraderSpec } from "../../../core/index.js";
import { readPattern, testPattern } from "../../../graders/index.js";

export function getConfigText({ config }: GraderSpec, key: string): string | null {
  const value = config?.[key];
  return typeof value === "string" && value !== "" ? value : null;
}

export function getConfigNumber({ config }: GraderSpec, key: string): number | null {
  const value = config?.[key];
  return typeof value === "number" ? value : null;
}

export function getConfigList({ config }: GraderSpec, key: string): readonly unknown[] {
  const value = config?.[key];
  return Array.isArray(value) ? value : [];
}

/** Entries are strings, or objects with a name. */
export function listConfigNames(spec: GraderSpec, key: string): string[] {
  return getConfigList(spec, key).flatMap((entry) => {
    const name = typeof entry === "object" && entry !== null ? (entry as { name?: unknown }).name : entry;
    return typeof name === "string" ? [name] : [];
  });
}

/** Empty for graders that are not composed of others. */
export function listGraderParts({ type, config }: GraderSpec): readonly GraderSpec[] {
  const given = type === "not" ? [config?.grader] : type === "all-of" || type === "any-of" ? config?.graders : [];
  return (Array.isArray(given) ? given : []).filter(isGraderSpec);
}

/** Leaves out negated parts: they may be about something that does not exist. */
export function listWantedParts(spec: GraderSpec): GraderSpec[] {
  return spec.type === "not" ? [] : [spec, ...listGraderParts(spec).flatMap(listWantedParts)];
}

function isGraderSpec(value: unknown): value is GraderSpec {
  return typeof value === "object" && value !== null && typeof (value as Partial<GraderSpec>).type === "string";
}

/** Returns false when that cannot be determined. */
export function matchesGraderPattern(spec: GraderSpec, text: string): boolean {
  const pattern = getConfigText(spec, "pattern");
  if (pattern === null) return false;
  try {
    return testPattern(readPattern(pattern, getConfigText(spec, "flags") ?? ""), text);
  } catch {
    return false;
  }
}

export function containsGraderText(spec: GraderSpec, key: "substring" | "value", text: string): boolean {
  const wanted = getConfigText(spec, key);
  if (wanted === null) return false;
  return isCaseSensitive(spec) ? text.includes(wanted) : text.toLowerCase().includes(wanted.toLowerCase());
}

/** By default, graders of files are case-sensitive and graders of answers are not. */
export function isCaseSensitive({ type, config }: GraderSpec): boolean {
  const { case_sensitive: told } = config ?? {};
  return typeof told === "boolean" ? told : type.startsWith("file-") || type.startsWith("diff-");
}
