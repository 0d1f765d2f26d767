import type { GraderSpec } from "../../../core/grader.js";
import { readGlob } from "../../../graders/glob.js";
import { isCaseSensitive, namesIn, numberOf, textFits, textOf } from "./config-values.js";

/** Why two graders cannot both pass; null when they can, as far as is known. */
export function whyExclusive(a: GraderSpec, b: GraderSpec): string | null {
  return oneWay(a, b) ?? oneWay(b, a);
}

/** Why a grader that wants something cannot pass with one that refuses something. */
function oneWay(wants: GraderSpec, refuses: GraderSpec): string | null {
  return filesExclude(wants, refuses) ?? textsExclude(wants, refuses) ?? callsExclude(wants, refuses);
}

function filesExclude(wants: GraderSpec, refuses: GraderSpec): string | null {
  const path = textOf(wants, "path");
  if (refuses.type === "diff-empty" && wants.type === "diff-contains")
    return covers(refuses, wants) ? "one wants a change, the other none" : null;
  if (!isAboutFile(wants.type) || refuses.type !== "file-not-exists" || !covers(refuses, wants)) return null;
  return `one wants the file ${path ?? ""}, the other wants it not to be there`;
}

function isAboutFile(type: string): boolean {
  return type === "file-exists" || type === "file-contains" || type === "file-matches";
}

/** Whether all files that one grader means are meant by another; without a path, all are. */
function covers(wide: GraderSpec, narrow: GraderSpec): boolean {
  const [outer, inner] = [textOf(wide, "path"), textOf(narrow, "path")];
  if (outer === null || outer === inner) return true;
  return inner !== null && !/[*?[{]/.test(inner) && readGlob(outer).matches(inner);
}

/** Where a text is looked for: an answer is a part of the transcript. */
const WITHIN: Readonly<Record<string, readonly string[]>> = {
  "output-contains": ["output-not-contains", "transcript-not-contains"],
  "transcript-contains": ["transcript-not-contains"],
  "file-contains": ["file-not-contains"],
  "diff-contains": ["diff-not-contains"],
  "output-matches": ["output-not-matches"],
  "file-matches": ["file-not-matches"],
};

function textsExclude(wants: GraderSpec, refuses: GraderSpec): string | null {
  if (WITHIN[wants.type]?.includes(refuses.type) !== true) return null;
  if (/^(?:file|diff)-/.test(wants.type) && !covers(refuses, wants)) return null;
  const pattern = textOf(wants, "pattern");
  if (pattern !== null) {
    const isSame = pattern === textOf(refuses, "pattern") && textOf(wants, "flags") === textOf(refuses, "flags");
    return isSame ? `one wants a match of ${pattern}, the other wants none` : null;
  }
  const key = wants.type.startsWith("file-") || wants.type.startsWith("diff-") ? "value" : "substring";
  const wanted = textOf(wants, key);
  // Other capitals than the wanted ones may get by one that tells capitals apart.
  const isSure = isCaseSensitive(wants) || !isCaseSensitive(refuses);
  if (wanted === null || !isSure || !textFits(refuses, key, wanted)) return null;
  return `one wants "${wanted}", the other refuses "${textOf(refuses, key) ?? ""}"`;
}

function callsExclude(wants: GraderSpec, refuses: GraderSpec): string | null {
  const isOfCalls = wants.type === "tool-calls" || wants.type === "skill-invocation";
  const required = isOfCalls ? namesIn(wants, "required") : [];
  const [first] = required;
  if (first === undefined) return null;
  const isNoCall = refuses.type === "tool-call-count" && numberOf(refuses, "max") === 0;
  if (isNoCall && wants.type === "tool-calls" && refuses.config?.tools === undefined)
    return `one wants a call of ${first}, the other wants no call at all`;
  if (refuses.type !== wants.type) return null;
  const refused = plainNames(refuses, "disallowed");
  const both = plainNames(wants, "required").find((name) => refused.includes(name));
  return both === undefined ? null : `one wants ${both}, the other refuses it`;
}

/** Names on which there is no further condition: with one, other calls of the same name may do. */
function plainNames({ config }: GraderSpec, key: string): string[] {
  const list = config?.[key];
  if (!Array.isArray(list)) return [];
  return list.flatMap((entry: unknown) => {
    if (typeof entry === "string") return [entry];
    const isPlain = typeof entry === "object" && entry !== null && Object.keys(entry).join() === "name";
    return isPlain ? [String((entry as { name: unknown }).name)] : [];
  });
}
