import type { GraderFactory } from "../core/grader.js";
import { readConfig } from "./config.js";
import { listed } from "./excerpt.js";
import { ownGrader } from "./own-grader.js";
import { type CallMatch, callMatch, toolCallsConfig } from "./tool-call-match.js";
import { observedTrajectory, type ToolCall, toolCallsOf } from "./trajectory.js";

/** Returns what is wrong with the calls, or null. */
type Check = (calls: readonly ToolCall[]) => string | null;

/** Grades which tools were called, how and in which order. The score is the share of entries that hold. */
export const toolCallsGraders = {
  "tool-calls": (config) => {
    const { required = [], disallowed = [], sequence = [] } = readConfig(toolCallsConfig, config);
    const checks: Check[] = [
      ...required.map((entry) => isCalled(callMatch(entry))),
      ...disallowed.map((entry) => isNotCalled(callMatch(entry))),
      ...(sequence.length === 0 ? [] : [isInOrder(sequence.map((entry) => callMatch(entry)))]),
    ];
    return ownGrader({
      name: "tool-calls",
      folderUse: "none",
      grade: ({ output }) => judged(checks, toolCallsOf(observedTrajectory(output))),
    });
  },
} satisfies Record<string, GraderFactory>;

function judged(checks: readonly Check[], calls: readonly ToolCall[]) {
  const problems = checks.map((check) => check(calls)).filter((problem) => problem !== null);
  const names = calls.length === 0 ? "no tool was called" : `called: ${listed([...new Set(calls.map(nameOf))], 10)}`;
  return {
    passed: problems.length === 0,
    score: (checks.length - problems.length) / checks.length,
    evidence: [...problems, names].join("; "),
  };
}

function nameOf({ name }: ToolCall): string {
  return name;
}

function isCalled({ wanted, minCount, fits }: CallMatch): Check {
  return (calls) => {
    const count = calls.filter(fits).length;
    if (count >= minCount) return null;
    return minCount === 1 ? `${wanted} was not called` : `${wanted} was called ${count} of ${minCount} times`;
  };
}

function isNotCalled({ wanted, fits }: CallMatch): Check {
  return (calls) => (calls.some(fits) ? `${wanted} was called` : null);
}

/** Other calls may come in between. */
function isInOrder(sequence: readonly CallMatch[]): Check {
  return (calls) => {
    let next = 0;
    for (const call of calls) if (sequence[next]?.fits(call) === true) next += 1;
    const missing = sequence[next];
    if (missing === undefined) return null;
    const after = next === 0 ? "" : ` after ${sequence[next - 1]?.wanted ?? ""}`;
    return `the sequence stops at ${missing.wanted}: it was not called${after}`;
  };
}
