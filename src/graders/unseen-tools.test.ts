import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createAgentFolders, runScriptedTrial } from "../testing/scripted-trial.js";
import { classifyVerdict, makeTrajectory, runBuiltInGrader } from "./graded-testing.js";

const SAID = { type: "assistant_message", text: "Done." };
const SHOWN = { response: "Done.", trajectory: makeTrajectory(SAID) };
const UNSEEN = { response: "Done.", trajectory: { ...makeTrajectory(SAID), toolsUnseen: true } };
/** As in runs of version 0.1. */
const UNSEEN_BEFORE = { ...SHOWN, metadata: { skills: { offered: [], observable: false } } };

const ABOUT_TOOLS: readonly [string, object][] = [
  ["tool-calls", { disallowed: ["."] }],
  ["tool-calls", { required: ["Read"] }],
  ["tool-call-count", { max: 0 }],
  ["tool-call-count", { max: 5, tools: ["Bash"] }],
  ["step-count", { max: 1 }],
  ["turn-count", { max: 1 }],
  ["max-repeat", { max: 1 }],
  ["error-count", {}],
  ["skill-invocation", { disallowed: ["pdf"] }],
  ["transcript-not-contains", { substring: "rm -rf" }],
  ["transcript-contains", { substring: "npm test" }],
];

describe("a system that does not show its tool calls", () => {
  it.each(ABOUT_TOOLS)("%s %j ends in error", async (type, config) => {
    for (const output of [UNSEEN, UNSEEN_BEFORE]) {
      const verdict = await runBuiltInGrader(type, { ...config }, { output });
      expect(classifyVerdict(verdict), verdict.evidence).toBe("error");
      expect(verdict.evidence).toMatch(/not show|not shown/);
    }
    expect(classifyVerdict(await runBuiltInGrader(type, { ...config }, { output: SHOWN }))).not.toBe("error");
  });

  it("is graded by what is known about it", async () => {
    const output = { ...UNSEEN, turns: 3 };
    expect(classifyVerdict(await runBuiltInGrader("turn-count", { max: 3 }, { output }))).toBe("pass");
    expect(classifyVerdict(await runBuiltInGrader("turn-count", { max: 2 }, { output }))).toBe("fail");
    expect(classifyVerdict(await runBuiltInGrader("transcript-contains", { substring: "done" }, { output }))).toBe(
      "pass",
    );
    expect(classifyVerdict(await runBuiltInGrader("transcript-not-contains", { substring: "done" }, { output }))).toBe(
      "fail",
    );
  });

  it("is not reported to have called no tools", async () => {
    const place = createAgentFolders();
    const file = join(place.root, "agent.mjs");
    writeFileSync(file, "console.log('Done.');");
    const { row } = await runScriptedTrial({
      place,
      does: [],
      example: {
        graders: [
          { type: "completed" },
          { type: "tool-calls", config: { disallowed: ["."] }, required: true, weight: 0 },
          { type: "tool-call-count", config: { max: 0 }, required: true, weight: 0 },
        ],
      },
      agent: { command: `node '${file}' {prompt}`, name: "mine" },
    });
    expect(row).toMatchObject({ outcome: "unscored", errorCategory: "grader_error", metadata: { toolCalls: null } });
    expect(row.notes.join("\n")).toContain("does not show which tools it calls");
  });
});
