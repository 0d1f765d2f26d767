import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type EvalRow, makeRow } from "../core/row.js";
import type { Output } from "../core/system.js";
import { renderTrial, renderTrialTable } from "./show-trial.js";
import { measureColumns } from "./text-block.js";

const START = 1_800_000_000_000;

/** Texts with control characters, wide characters, lone surrogates and plain ones. */
const HOSTILE = fc.string({
  unit: fc.constantFrom(
    "a",
    " ",
    "\n",
    "\r",
    "\t",
    "\u001b",
    "\u0007",
    "\u009b",
    "\u202e",
    "\u2066",
    "漢",
    "😀",
    "\ud800",
    "|",
  ),
  maxLength: 200,
});

const EVENT_TYPES = [
  "user_message",
  "assistant_message",
  "reasoning",
  "tool_call",
  "tool_result",
  "token_usage",
  "turn_start",
  "turn_end",
  "skill_activation",
  "error",
  "system",
  "custom",
];
const EVENT_FIELDS = [
  "timestamp",
  "text",
  "name",
  "callId",
  "arguments",
  "success",
  "result",
  "model",
  "usage",
  "costUsd",
  "durationMs",
  "message",
  "data",
];
/** Any field may be absent. */
const SOME = { requiredKeys: [] };

function row(more: Partial<EvalRow> = {}): EvalRow {
  const known = { outcome: "pass", scores: { f1: 0.9, em: 1 }, primaryField: "f1", passed: true } as const;
  return makeRow({ system: "claude", exampleId: "add-tests", dataset: "tasks", trial: 2, ...known, ...more });
}

function rendered(more: Partial<EvalRow>, output: Output | null, evidence: Record<string, string> | null = null) {
  return renderTrial({ row: row(more), output, evidence, label: null }, { threshold: 0.7 });
}

const AGENT: Output = {
  response: "Done: it is there.",
  stopped: "cost_killed",
  trajectory: {
    startedAt: START,
    events: [
      { type: "turn_start", timestamp: START + 100 },
      { type: "assistant_message", text: "Done: ", timestamp: START + 200 },
      { type: "assistant_message", text: "it is there.", timestamp: START + 300 },
      { type: "tool_call", name: "Write", callId: "1", arguments: { path: "a" }, timestamp: START + 4200 },
    ],
  },
  workspace: { changes: [{ path: "a", status: "added", content: "1\n" }] },
};

describe("renderTrial", () => {
  it("shows the outcome of an agent's trial, and why", () => {
    const measured: Partial<EvalRow> = {
      outcome: "fail",
      errorCategory: "cost_killed",
      passed: false,
      scores: { em: 1, f1: 0.5 },
      costUsd: 0.0312,
      costSource: "priced",
      costKilledAt: 0.0305,
      overshootUsd: 0.0012,
      usage: { input: 1234, output: 300, cacheRead: 5000, reasoning: 20 },
      durationMs: 12_340,
      successAtMs: 8000,
      notes: ["the program's own figures differ by 3 %"],
    };
    const lines = rendered(measured, AGENT, { f1: "half of it\nis there", "judge.f1": "so-so" });
    expect(lines).toEqual([
      "# claude: add-tests#2",
      "",
      "system    claude",
      "example   add-tests of tasks, trial 2",
      "outcome   fail (cost_killed): f1 = 0.5, less than 0.7",
      "stopped   cost_killed: it exceeded its cost limit, at $0.0305, $0.0012 over its limit in the end",
      "cost      $0.0312 (tokens × price)",
      "tokens    1,234 in, 5,000 read from the cache, 300 out (20 reasoning)",
      "turns     1, with 1 tool call",
      "time      12.34 s, first attempt after 4.20 s, success after 8.00 s",
      "",
      "## Scores",
      "",
      "- f1 = 0.5 (decides)",
      "  half of it",
      "  is there",
      "- em = 1",
      "- judge.f1",
      "  so-so",
      "",
      "## Notes",
      "",
      "- the program's own figures differ by 3 %",
      "",
      "## Timeline: 4 events",
      "",
      "   +0.1 s  turn 1",
      "   +0.2 s  says      Done: it is there.",
      "   +4.2 s  calls     Write (no result): a",
      "",
      "## Workspace: 1 file changed",
      "",
      "  added     a (+1 line)",
    ]);
  });

  it("shows the response of an agent when its timeline does not have it", () => {
    const lines = rendered({}, { ...AGENT, response: "Something else" });
    expect(lines).toContain("## Response");
    expect(lines).toContain("Something else");
  });

  it("shows the answers of a model, one or several", () => {
    expect(rendered({}, { response: "Paris" }).slice(-4)).toEqual(["", "## Response", "", "Paris"]);
    const talk = rendered({}, { response: "two", replies: ["one", "two"], context: "squeezed" });
    expect(talk.filter((line) => line.startsWith("##"))).toEqual([
      "## Scores",
      "## Response 1 of 2",
      "## Response 2 of 2",
      "## context",
    ]);
    expect(rendered({}, { response: "" }).at(-1)).toBe("(empty)");
    expect(rendered({}, { usage: { input: 1, output: 0 } }).at(-1)).toBe("The output contains no text.");
  });

  it("does not count tool calls that could not be observed", () => {
    const { trajectory = { events: [] } } = AGENT;
    const unseen = { ...AGENT, trajectory: { ...trajectory, toolsUnseen: true } };
    expect(rendered({}, unseen)).toContain("turns     1; which tools were called was not observed");
  });

  it("shows every attempt of a failed trial, and its remaining work", () => {
    const failed: Partial<EvalRow> = {
      outcome: "error",
      errorCategory: "api_error",
      passed: null,
      scores: {},
      primaryField: null,
      attempts: [
        { errorCategory: "rate_limit", message: "429", durationMs: 1500 },
        { errorCategory: "api_error", message: "the endpoint says 500", durationMs: 2500 },
      ],
    };
    const alone = rendered(failed, null);
    expect(alone).toContain("outcome   error (api_error): the endpoint says 500");
    expect(alone).toContain("- rate_limit after 1.50 s: 429");
    expect(alone.at(-1)).toBe("No output of this trial is stored.");
    const { trajectory = { events: [] } } = AGENT;
    expect(rendered(failed, { trajectory })).toContain("## Timeline: 4 events");
  });

  it("names the source of an incomplete figure", () => {
    const cached = rendered({ costUsd: null, partial: true, cached: true }, { response: "" });
    expect(cached).toContain("cost      unknown (incomplete, replayed output)");
    expect(rendered({ inputTokens: 1200, outputTokens: 3 }, null)).toContain(
      "tokens    1,200 in, 3 out, counted locally",
    );
    expect(rendered({ passed: true, scores: { f1: 0.2 } }, null)).toContain("outcome   pass: f1 = 0.2");
  });

  it("shows replies of any shape, even if String() fails", () => {
    const replies = ["one", { toString: 1 }, [{ toString: null, valueOf: "x" }], null, 3] as unknown as string[];
    const lines = rendered({}, { response: "one", replies });
    expect(lines).toContain("## Response 5 of 5");
    expect(lines).toContain('{"toString":1}');
    expect(lines).toContain('[{"toString":null,"valueOf":"x"}]');
  });

  it("accepts outputs of any shape, and prints no control characters", () => {
    const unprintable = fc.constantFrom({ toString: 1 }, [{ toString: null, valueOf: "x" }], { toJSON: "x" });
    const hostile = fc.oneof(HOSTILE, fc.constant("\u001b[2J\u0007\u202e"), fc.jsonValue(), unprintable);
    const type = fc.oneof(fc.constantFrom(...EVENT_TYPES), hostile);
    const event = fc.record({ type, ...Object.fromEntries(EVENT_FIELDS.map((field) => [field, hostile])) }, SOME);
    const output = fc.record({
      response: hostile,
      trajectory: fc.oneof(
        fc.jsonValue(),
        fc.record({ events: fc.array(fc.oneof(fc.jsonValue(), event)), startedAt: hostile }),
      ),
      workspace: fc.oneof(
        fc.jsonValue(),
        fc.record({
          changes: fc.array(
            fc.record({
              path: hostile,
              status: fc.constantFrom("added", "deleted", "folder", "linked", 3),
              content: hostile,
            }),
          ),
        }),
      ),
      replies: fc.oneof(hostile, fc.array(hostile)),
      stopped: hostile,
      usage: hostile,
      metadata: hostile,
      other: hostile,
    });
    fc.assert(
      fc.property(output, HOSTILE, (given, text) => {
        const more = { exampleId: text, system: text, notes: [text], metadata: { text } };
        const stored = JSON.parse(JSON.stringify(given)) as Output;
        const lines = rendered(more, stored, { f1: text });
        expect(lines.slice(1).every((line) => measureColumns(line) <= 100)).toBe(true);
        expect(lines.join("")).not.toMatch(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/u);
      }),
    );
  });
});

describe("renderTrialTable", () => {
  it("has only columns with a value in some trial", () => {
    const plain = renderTrialTable([row({ latency: 0.5 })]).split("\n");
    expect(plain[0]).toMatch(/^\| system +\| trial +\| outcome +\| score +\| +time +\|$/);
    expect(plain[2]).toMatch(/^\| claude +\| add-tests#2 +\| pass +\| +0.9 +\| +500 ms +\|$/);
    const agents = [
      row(),
      row({ dataset: "b", errorCategory: "cost_killed", turns: 3, costUsd: 0.5, durationMs: 61_000 }),
    ];
    const [titles = "", , , last = ""] = renderTrialTable(agents).split("\n");
    expect(titles.replace(/ +/g, " ")).toBe(
      "| system | dataset | trial | outcome | category | score | turns | cost | time |",
    );
    expect(last.replace(/ +/g, " ")).toBe(
      "| claude | b | add-tests#2 | pass | cost_killed | 0.9 | 3 | $0.5000 | 1 min 1 s |",
    );
  });
});
