import { durationMs } from "../../../core/duration.js";
import { textOf } from "./config-values.js";
import type { WrittenGrader } from "./places.js";
import type { EvalRemark, Subject } from "./subject.js";

const LEAST_MS = 5000;

export function graderRemarks(subject: Subject): EvalRemark[] {
  const { graders, stimulus, placeOf, isWhole } = subject;
  // A rubric without a judge is reported by another rule.
  if (graders.length === 0 && isWhole && stimulus.rubric.length === 0) {
    const message = `"${stimulus.name}" has no graders.`;
    return [{ ...placeOf(), code: "EVAL-NO-GRADERS", message }];
  }
  return [...sameNames(graders), ...sameChecks(graders), ...shortTimes(graders)];
}

function sameNames(graders: readonly WrittenGrader[]): EvalRemark[] {
  return repeated(graders, ({ spec }) => spec.name ?? null).map(([, { title, placeOf }]) => {
    return { ...placeOf("name"), code: "EVAL-GRADER-NAME", message: `Two graders have the name "${title}".` };
  });
}

function sameChecks(graders: readonly WrittenGrader[]): EvalRemark[] {
  const written = graders.filter(({ isWritten }) => isWritten);
  return repeated(written, ({ spec: { type, config = {} } }) => `${type} ${sortedJson(config)}`)
    .filter(([first, again]) => first.title !== again.title || first.spec.name === undefined)
    .map(([first, again]) => ({
      ...again.placeOf(),
      code: "EVAL-GRADER-DUPLICATE",
      message: `${again.title} makes the same check as ${first.title === again.title ? "the one before it" : first.title}.`,
    }));
}

/** Returns each item whose key an earlier item has, with that item. */
function repeated<T>(items: readonly T[], keyOf: (item: T) => string | null): [first: T, again: T][] {
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
function sortedJson(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) => {
    if (typeof inner !== "object" || inner === null || Array.isArray(inner)) return inner;
    return Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}

function shortTimes(graders: readonly WrittenGrader[]): EvalRemark[] {
  return graders.flatMap(({ spec, placeOf }): EvalRemark[] => {
    const max = spec.type === "wall-time" ? textOf(spec, "max") : null;
    const ms = max === null ? null : durationMs(max);
    if (max === null || ms === null || ms >= LEAST_MS) return [];
    return [{ ...placeOf("config", "max"), code: "EVAL-TIME-SHORT", message: `No agent finishes within ${max}.` }];
  });
}

/** A timeout that ends a trial before the agent can have started. */
export function shortTimeout(timeoutMs: number | null): string | null {
  return timeoutMs === null || timeoutMs >= LEAST_MS ? null : `Trials are stopped after ${timeoutMs / 1000} s.`;
}
