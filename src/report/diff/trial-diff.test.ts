import { describe, expect, it } from "vitest";
import type { Output, Price, TrajectoryEvent, Usage } from "../../core/index.js";
import { makeRow } from "../../core/index.js";
import { createLayout } from "../layout.js";
import { renderTrialDiff } from "./text.js";
import { type DiffedTrial, diffTrials } from "./trial-diff.js";

/** A cent for a thousand input tokens. */
const PRICE: Price = { input: 10_000_000, output: 0, cacheRead: 0, cacheWrite: 0, cacheWrite1h: 0, source: "test" };

function makeTrial(
  output: Output | null,
  costUsd = 0.03,
  usage: Usage | null = { input: 3000, output: 0 },
): DiffedTrial {
  const row = makeRow({ system: "s", exampleId: "task", outcome: "pass", costUsd, usage });
  return { run: "run", row, output, price: PRICE };
}

type Turn = readonly [command: string, result: string, success?: boolean];

/** An agent that runs commands, each for a cent, and then says something for a cent. */
function makeAgentTrial(turns: readonly Turn[], answer = "Done."): DiffedTrial {
  const at = (timestamp: number, event: object) => ({ timestamp, ...event }) as TrajectoryEvent;
  const usage = { input: 1000, output: 0 };
  const used = (callIds: readonly string[]) => ({ type: "token_usage", model: "m", usage, costUsd: 0.01, callIds });
  const events = turns.flatMap(([command, result, success = true], index) => [
    at(index * 1000, { type: "turn_start" }),
    at(index * 1000, { type: "reasoning", text: `thought ${Math.sin(index + turns.length)}` }),
    at(index * 1000, { type: "tool_call", callId: `${index}`, name: "Bash", arguments: { command } }),
    at(index * 1000, used([`${index}`])),
    at(index * 1000 + 500, { type: "tool_result", callId: `${index}`, success, result }),
  ]);
  const last = turns.length * 1000;
  const end = [
    at(last, { type: "turn_start" }),
    at(last, { type: "assistant_message", text: answer }),
    at(last, used([])),
  ];
  return makeTrial({ trajectory: { startedAt: 0, events: [...events, ...end] } }, (turns.length + 1) / 100);
}

describe("two trials of an agent", () => {
  it("part at the first other call, and everything from its answer on counts", () => {
    const a = makeAgentTrial([
      ["ls", "a.js"],
      ["cat a.js", "x"],
      ["npm test", "ok"],
    ]);
    const b = makeAgentTrial([
      ["ls", "a.js"],
      ["npm test", "1 failed", false],
    ]);
    const { lines, divergence, a: sideA, b: sideB } = diffTrials(a, b);
    expect(lines.map(({ sign, a: step }) => [sign, step?.step.kind ?? null])).toEqual([
      ["words", "thinks"],
      ["same", "call"],
      ["words", "thinks"],
      ["changed", "call"],
      ["a", "thinks"],
      ["a", "call"],
      ["same", "says"],
    ]);
    expect(divergence).toBe(3);
    expect(sideA.rest).toEqual({ costUsd: 0.03, tokens: 3000, requests: 3 });
    expect(sideB.rest).toEqual({ costUsd: 0.02, tokens: 2000, requests: 2 });
  });

  it("part where the same call fails in one of them", () => {
    const diff = diffTrials(makeAgentTrial([["npm test", "ok"]]), makeAgentTrial([["npm test", "1 failed", false]]));
    expect(diff.divergence).toBe(1);
    expect(renderTrialDiff(diff, { layout: createLayout() })).toContain("one failed and the other did not");
  });

  it("do not part by words, other output of a tool, or the folder of the trial", () => {
    const a = makeAgentTrial([["cat /tmp/assay-workspace-abc123/work/a.js", "took 3 s"]], "I did it.");
    const b = makeAgentTrial([["cat /tmp/x/assay-workspace-QWERTY/work/a.js", "took 4 s"]], "It is done.");
    const diff = diffTrials(a, b);
    expect(diff.lines.map(({ sign }) => sign)).toEqual(["same", "words", "words"]);
    expect(diff.divergence).toBeNull();
    expect(diff.a.rest).toBeNull();
    expect(renderTrialDiff(diff, { layout: createLayout() })).toContain("- no divergence: both did the same");
  });

  it("count what is left of each where one of them does more", () => {
    const a = makeAgentTrial(
      [
        ["ls", ""],
        ["rm a", ""],
      ],
      "",
    );
    const b = makeAgentTrial([["ls", ""]], "");
    const { divergence, a: sideA, b: sideB } = diffTrials(a, b);
    expect(divergence).not.toBeNull();
    expect(sideA.rest).toMatchObject({ costUsd: 0.02, requests: 2 });
    expect(sideB.rest).toMatchObject({ costUsd: 0.01, requests: 1 });
  });
});

describe("two trials of a plain model", () => {
  it("part at the first other answer, with the cost of this turn and those after it", () => {
    const usages = [1000, 500, 1500].map((input) => ({ input, output: 0 }));
    const make = (replies: readonly string[]) => {
      const trial = makeTrial({ response: replies.at(-1) ?? "", replies: [...replies] });
      return { ...trial, row: { ...trial.row, metadata: { turnUsage: usages } } };
    };
    const diff = diffTrials(make(["Hello", "Paris", "Bye"]), make(["Hello", "Lyon", "Bye"]));
    expect(diff.lines.map(({ sign }) => sign)).toEqual(["same", "words", "same"]);
    expect(diff.divergence).toBe(1);
    expect(diff.a.rest).toEqual({ costUsd: 0.02, tokens: 2000, requests: 2 });
  });

  it("have the tools that they called", () => {
    const call = (city: string) => makeTrial({ response: "", tool_calls: [{ name: "weather", arguments: { city } }] });
    const diff = diffTrials(call("Paris"), call("Rome"));
    expect(diff).toMatchObject({ divergence: 0, a: { rest: { costUsd: 0.03 } } });
  });

  it("have nothing to align if nothing was stored", () => {
    expect(diffTrials(makeTrial(null), makeTrial(null)).lines).toEqual([]);
  });
});

describe("the text", () => {
  const commands = Array.from({ length: 30 }, (_, index): Turn => [`step ${index}`, "ok"]);
  const diff = diffTrials(makeAgentTrial([...commands, ["ls", ""]]), makeAgentTrial([...commands, ["pwd", ""]]));

  it("has the steps around the divergence, and all with isFull", () => {
    const text = renderTrialDiff(diff, { layout: createLayout() });
    expect(text).toContain("first divergence: step 62 of 63, both differ");
    expect(text).toContain("from there on: A $0.0200 in 2 answers, B $0.0200 in 2 answers");
    expect(text).toMatch(/\| ▶ 62 ≠ \|.*calls Bash: ls ✓ +\|.*calls Bash: pwd ✓ /);
    expect(text).toContain("58 steps before");
    expect(text).not.toContain("step 12 ✓");
    expect(renderTrialDiff(diff, { layout: createLayout(), isFull: true })).toContain("step 12");
  });

  it("fits narrow terminals, and has colors only where they are wanted", () => {
    for (const width of [30, 60, 120]) {
      const text = renderTrialDiff(diff, { layout: createLayout({ width }) });
      for (const line of text.split("\n")) expect([...line].length, line).toBeLessThanOrEqual(width);
      expect(text).not.toContain("\u001b[");
      expect(text).toContain("62 ≠");
    }
    expect(renderTrialDiff(diff, { layout: createLayout({ width: 80, hasColors: true }) })).toContain("\u001b[");
  });
});
