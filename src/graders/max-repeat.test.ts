import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { classifyVerdict, findConfigProblem, makeTrajectory, runBuiltInGrader } from "./graded-testing.js";
import { findMostRepeated } from "./max-repeat.js";

type Call = readonly [name: string, given: unknown, result?: string];

/** An output with these calls in order. */
function calling(...calls: readonly Call[]) {
  const events = calls.flatMap(([name, given, result], index) => [
    { type: "tool_call", name, callId: String(index), arguments: given },
    ...(result === undefined ? [] : [{ type: "tool_result", callId: String(index), success: true, result }]),
  ]);
  return { output: { trajectory: makeTrajectory(...events) } };
}

const A: Call = ["Read", { path: "a", line: 1 }, "text"];
const A_AGAIN: Call = ["Read", '{"line":1,"path":"a"}', "other"];
const B: Call = ["Bash", { command: "npm test" }, "1 failed"];
const C: Call = ["Edit", { path: "a" }, "ok"];

describe("max-repeat", () => {
  it.each([
    ["no call", [], 0, 1],
    ["calls that differ", [A, B, C], 1, 1],
    ["the same call, written otherwise", [A, A_AGAIN, A], 3, 0.5],
    ["one between", [A, A, B, A], 2, 1],
    ["a cycle of two", [A, B, A, B, A, B], 3, 0.5],
    ["a cycle of three", [A, B, C, A, B, C, A, B, C], 3, 0.5],
    ["half a cycle more", [C, A, B, A, B, A], 2, 1],
  ] as const)("%s", async (_, calls, times, score) => {
    const verdict = await runBuiltInGrader("max-repeat", { max: 2 }, calling(...calls));
    expect(verdict).toMatchObject({ passed: times <= 2, score });
    expect(verdict.evidence).toContain(
      times > 1 ? `occurred ${times} times in a row` : "no call was repeated in a row",
    );
  });

  it("names what is repeated", async () => {
    const { evidence } = await runBuiltInGrader("max-repeat", { max: 1 }, calling(C, B, A, B, A));
    expect(evidence).toBe(
      String.raw`the cycle Bash "{\"command\":\"npm test\"}", Read "{\"path\":\"a\",\"line\":1}" occurred 2 times in a row; the limit is 1`,
    );
  });

  it.each([
    [{ match: "name" }, [A, ["Read", { path: "b" }]], "fail"],
    [{ match: "name-args" }, [A, ["Read", { path: "b" }]], "pass"],
    [{ match: "observation" }, [A, ["Read", { path: "b" }, "text"]], "fail"],
    [{ match: "observation" }, [A, A_AGAIN], "pass"],
    [
      { match: "observation" },
      [
        ["Read", {}],
        ["Read", {}],
      ],
      "pass",
    ],
    [{ tools: ["^Bash$"] }, [A, A, B], "pass"],
    [{ tools: ["^Read$"] }, [A, A, B], "fail"],
    [{ tools: ["^Bash$"] }, [B, C, B, C], "pass"],
    [{ max_cycle_period: 1 }, [A, B, A, B], "pass"],
    [{ max_cycle_period: 2 }, [A, B, A, B], "fail"],
  ] as const)("%j of %j: %s", async (config, calls, expected) => {
    expect(classifyVerdict(await runBuiltInGrader("max-repeat", { max: 1, ...config }, calling(...calls)))).toBe(
      expected,
    );
  });

  it.each([
    [{}, "max is missing"],
    [{ max: 0 }, "max must be at least 1"],
    [{ max: 2, match: "args" }, 'match must be "name-args"'],
    [{ max: 2, max_cycle_period: 11 }, "max_cycle_period must be from 1 to 10"],
    [{ max: 2, tools: [] }, "tools must not be empty"],
    [{ max: 2, tools: ["("] }, "not a regular expression"],
  ])("rejects %j", (config, words) => {
    expect(findConfigProblem("max-repeat", config)).toContain(words);
  });
});

describe("findMostRepeated", () => {
  it("agrees with a brute-force search", () => {
    const items = fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 14 });
    fc.assert(
      fc.property(items, fc.integer({ min: 1, max: 5 }), (list, longest) => {
        const { times, start, period } = findMostRepeated(list, longest);
        expect(times).toBe(mostByTrying(list, longest));
        expect(timesAt(list, start, period)).toBe(times);
      }),
      { numRuns: 500 },
    );
  });
});

function mostByTrying(list: readonly string[], longest: number): number {
  const all = list.flatMap((_, start) =>
    Array.from({ length: longest }, (__, index) => timesAt(list, start, index + 1)),
  );
  return Math.max(0, ...all);
}

/** How often the part at `start` repeats in a row. */
function timesAt(list: readonly string[], start: number, period: number): number {
  const part = list.slice(start, start + period).join("");
  if (part.length < period) return 0;
  let times = 0;
  while (list.slice(start + times * period, start + (times + 1) * period).join("") === part) times += 1;
  return times;
}
