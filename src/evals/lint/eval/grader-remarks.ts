import { parseDuration } from "../../../core/duration.js";
import { getConfigText } from "./config-values.js";
import type { WrittenGrader } from "./places.js";
import type { EvalIssue, LintedStimulus } from "./subject.js";

const MIN_TIMEOUT_MS = 5000;

export function findGraderIssues(subject: LintedStimulus): EvalIssue[] {
  const { graders, stimulus, placeOf, isWhole } = subject;
  // A rubric without a judge is reported by another rule.
  if (graders.length === 0 && isWhole && stimulus.rubric.length === 0) {
    const message = `"${stimulus.name}" has no graders.`;
    return [{ ...placeOf(), code: "EVAL-NO-GRADERS", message }];
  }
  return [...findRepeatedGraderNames(graders), ...findRepeatedChecks(graders), ...findShortWallTimes(graders)];
}

function findRepeatedGraderNames(graders: readonly WrittenGrader[]): EvalIssue[] {
  return findRepeats(graders, ({ spec }) => spec.name ?? null).map(([, { title, placeOf }]) => {
    return { ...placeOf("name"), code: "EVAL-GRADER-NAME", message: `Two graders have the name "${title}".` };
  });
}

function findRepeatedChecks(graders: readonly WrittenGrader[]): EvalIssue[] {
  const written = graders.filter(({ isWritten }) => isWritten);
  return findRepeats(written, ({ spec: { type, config = {} } }) => `${type} ${serializeSorted(config)}`)
    .filter(([first, again]) => first.title !== again.title || first.spec.name === undefined)
    .map(([first, again]) => ({
      ...again.placeOf(),
      code: "EVAL-GRADER-DUPLICATE",
      message: `${again.title} makes the same check as ${first.title === again.title ? "the one before it" : first.title}.`,
    }));
}

/** Returns each item whose key an earlier item has, with that item. */
function findRepeats<T>(items: readonly T[], keyOf: (item: T) => string | null): [first: T, again: T][] {
  const known = new Map<string, T>();
  return items.flatMap((item): [T, T][] => {
    const key = keyOf(item);
    const first = key === null ? undefined : known.get(key);
    if (first !== undefined) return [[first, item]];
    if (key !== null) known.set(key, item);
    return [];
  });
}

/** The same text for equal settings, whatever the order of their keys. */
function serializeSorted(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) => {
    if (typeof inner !== "object" || inner === null || Array.isArray(inner)) return inner;
    return Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}

function findShortWallTimes(graders: readonly WrittenGrader[]): EvalIssue[] {
  return graders.flatMap(({ spec, placeOf }): EvalIssue[] => {
    const max = spec.type === "wall-time" ? getConfigText(spec, "max") : null;
    const ms = max === null ? null : parseDuration(max);
    if (max === null || ms === null || ms >= MIN_TIMEOUT_MS) return [];
    return [{ ...placeOf("config", "max"), code: "EVAL-TIME-SHORT", message: `No agent finishes within ${max}.` }];
  });
}

/** A timeout that ends a trial before the agent can have started. */
export function checkTimeout(timeoutMs: number | null): string | null {
  return timeoutMs === null || timeoutMs >= MIN_TIMEOUT_MS ? null : `Trials are stopped after ${timeoutMs / 1000} s.`;
}
