import type { GraderFactory } from "../core/grader.js";
import { readConfig } from "./config.js";
import { formatList } from "./excerpt.js";
import { makeBuiltInGrader } from "./own-grader.js";
import { type CallMatch, createCallMatch, toolCallsConfig } from "./tool-call-match.js";
import { listToolCalls, type ObservedToolCall, requireObservedTrajectory } from "./trajectory.js";

/** Returns what is wrong with the calls, or null. */
type CallsCheck = (calls: readonly ObservedToolCall[]) => string | null;

/** Grades which tools were called, how and in which order. The score is the share of entries that hold. */
export const toolCallsGraders = {
  "tool-calls": (config) => {
    const { required = [], disallowed = [], sequence = [] } = readConfig(toolCallsConfig, config);
    const checks: CallsCheck[] = [
      ...required.map((entry) => checkCalled(createCallMatch(entry))),
      ...disallowed.map((entry) => checkNotCalled(createCallMatch(entry))),
      ...(sequence.length === 0 ? [] : [checkSequence(sequence.map((entry) => createCallMatch(entry)))]),
    ];
    return makeBuiltInGrader({
      name: "tool-calls",
      folderUse: "none",
      grade: ({ output }) => gradeToolCalls(checks, listToolCalls(requireObservedTrajectory(output))),
    });
  },
} satisfies Record<string, GraderFactory>;

function gradeToolCalls(checks: readonly CallsCheck[], calls: readonly ObservedToolCall[]) {
  const problems = checks.map((check) => check(calls)).filter((problem) => problem !== null);
  const names =
    calls.length === 0 ? "no tool was called" : `called: ${formatList([...new Set(calls.map(getToolName))], 10)}`;
  return {
    passed: problems.length === 0,
    score: (checks.length - problems.length) / checks.length,
    evidence: [...problems, names].join("; "),
  };
}

function getToolName({ name }: ObservedToolCall): string {
  return name;
}

function checkCalled({ wanted, minCount, fits }: CallMatch): CallsCheck {
  return (calls) => {
    const count = calls.filter(fits).length;
    if (count >= minCount) return null;
    return minCount === 1 ? `${wanted} was not called` : `${wanted} was called ${count} of ${minCount} times`;
  };
}

function checkNotCalled({ wanted, fits }: CallMatch): CallsCheck {
  return (calls) => (calls.some(fits) ? `${wanted} was called` : null);
}

/** Other calls may come in between. */
function checkSequence(sequence: readonly CallMatch[]): CallsCheck {
  return (calls) => {
    let next = 0;
    for (const call of calls) if (sequence[next]?.fits(call) === true) next += 1;
    const missing = sequence[next];
    if (missing === undefined) return null;
    const after = next === 0 ? "" : ` after ${sequence[next - 1]?.wanted ?? ""}`;
    return `the sequence stops at ${missing.wanted}: it was not called${after}`;
  };
}
