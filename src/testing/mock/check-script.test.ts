import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { UsageError } from "../../core/errors.js";
import { checkScript } from "./check-script.js";
import { loadScript } from "./script-file.js";
import { startMock } from "./server.js";

describe("checkScript", () => {
  it("accepts all settings", () => {
    const script = {
      seed: 7,
      latencyMs: { min: 1, max: 5 },
      tokensPerSec: 0.5,
      chunkTokens: 1,
      reply: [{ match: "/^sum/i", reply: "echo", model: "m" }],
      answers: [{ question: "q", answer: "", context: "c" }],
      successRate: { m: 0.5 },
      outputTokens: 0,
      usage: { input: 1, cacheRead: 1, cacheWrite: 2, cacheWrite1h: 1, reasoning: 0, cost: 0.1 },
      noUsage: false,
      usageQuirk: "negative",
      tools: [{ command: "ls" }, { name: "read" }, { name: "read", arguments: { path: "x" } }, { text: "" }],
      finish: "length",
      faults: [
        { kind: 429, rate: 0.1, retryAfter: "http-date" },
        { kind: "529", first: 1, every: 2, model: "m" },
      ],
      rateLimit: { requests: 1, perMs: 1000, retryAfter: 0 },
      maxConcurrent: 1,
      requireKey: "k",
      models: { cheap: { successRate: 0 } },
    };
    expect(checkScript(script)).toBe(script);
  });

  it("accepts tool rules, and steps with their own length and latency", () => {
    const steps = [
      { command: "ls", outputTokens: 100, latencyMs: 5 },
      { text: "Done.", outputTokens: 1 },
    ];
    const script = {
      tools: [
        { match: "/^fix/i", steps, model: "m" },
        { match: "sort", steps: [] },
      ],
    };
    expect(checkScript(script)).toBe(script);
    expect(checkScript({ tools: [] })).toEqual({ tools: [] });
  });

  const refused: [string, unknown, string][] = [
    ["a key it does not know", { latency: 5 }, 'The mock script: unknown key "latency". Did you mean "latencyMs"?'],
    ["a key of a fault", { faults: [{ kind: 429, rat: 1 }] }, 'unknown key "rat" in faults.0. Did you mean "rate"?'],
    ["a key of a model", { models: { m: { sed: 1 } } }, 'unknown key "sed" in models.m. Did you mean "seed"?'],
    ["a key of a rule", { reply: [{ match: "a", replay: "b", reply: "c" }] }, 'unknown key "replay" in reply.0.'],
    ["a kind it does not know", { faults: [{ kind: 418 }] }, "faults.0.kind must be one of 401, 404"],
    ["no kind", { faults: [{}] }, "faults.0.kind must be one of 401, 404"],
    ["a rate above 1", { faults: [{ kind: "cut", rate: 2 }] }, "faults.0.rate must be from 0 to 1."],
    ["a bad share of a model", { successRate: { m: 2 } }, "successRate.m must be from 0 to 1."],
    ["a latency that is no number", { latencyMs: "5" }, "latencyMs must be a number of milliseconds or { min, max }."],
    ["a latency the wrong way round", { latencyMs: { min: 5, max: 1 } }, "latencyMs has a min above its max"],
    [
      "a broken expression",
      { reply: [{ match: "/(/", reply: "" }] },
      "reply.0.match is not a valid regular expression",
    ],
    ["a reply of no kind", { reply: 5 }, 'reply must be a text, "echo" or a list of rules.'],
    ["a step of two kinds", { tools: [{ command: "a", text: "b" }] }, "tools.0 needs exactly one of command"],
    ["tools of no kind", { tools: 5 }, "tools must be a list of steps or of rules."],
    ["half a token of a step", { tools: [{ text: "a", outputTokens: 0.5 }] }, "tools.0.outputTokens must be a whole"],
    ["a key of a step", { tools: [{ comand: "a" }] }, 'unknown key "comand" in tools.0. Did you mean "command"?'],
    ["a step among rules", { tools: [{ match: "a", steps: [] }, { text: "b" }] }, 'unknown key "text" in tools.1.'],
    ["a rule without steps", { tools: [{ match: "a" }] }, "tools.0.steps must be a list of steps."],
    ["a bad step of a rule", { tools: [{ match: "a", steps: [{}] }] }, "tools.0.steps.0 needs exactly one of command"],
    [
      "a key of a step of a rule",
      { tools: [{ match: "a", steps: [{ text: "a", latncyMs: 1 }] }] },
      'unknown key "latncyMs" in tools.0.steps.0. Did you mean "latencyMs"?',
    ],
    ["a broken expression of a rule", { tools: [{ match: "/(/", steps: [] }] }, "tools.0.match is not a valid regular"],
    ["arguments of no tool", { tools: [{ text: "b", arguments: {} }] }, "tools.0 has arguments, but no tool name"],
    ["a part above its whole", { usage: { cacheWrite: 1, cacheWrite1h: 2 } }, "usage has a cacheWrite1h above"],
    ["half a token", { outputTokens: 1.5 }, "outputTokens must be a whole number."],
    ["no script at all", "echo", "The mock script: it expected object, received string."],
    ["an empty question", { answers: [{ question: "", answer: "x" }] }, "answers.0.question must not be empty."],
    ["nothing at a time", { maxConcurrent: 0 }, "maxConcurrent must be at least 1."],
  ];

  it.each(refused)("rejects %s", (_, script, message) => {
    expect(() => checkScript(script)).toThrow(UsageError);
    expect(() => checkScript(script)).toThrow(message);
  });

  it("is applied before a mock starts", async () => {
    await expect(startMock({ finish: "never" as "stop" })).rejects.toThrow("finish must be one of stop, length");
  });
});

describe("loadScript", () => {
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), "assay-script-"));
  });
  afterEach(() => rmSync(dir, { recursive: true }));

  function file(name: string, content: string): string {
    writeFileSync(join(dir, name), content);
    return join(dir, name);
  }

  it("reads YAML and JSON, and finds answers beside the file", () => {
    const yaml = file("a.yaml", "reply: echo\nanswers: q.jsonl\nmodels:\n  cheap:\n    answers: other.jsonl\n");
    const json = file(
      "a.json",
      '{\n\t"reply": "echo",\n\t"answers": "q.jsonl",\n\t"models": {"cheap": {"answers": "other.jsonl"}}\n}',
    );
    const script = {
      reply: "echo",
      answers: join(dir, "q.jsonl"),
      models: { cheap: { answers: join(dir, "other.jsonl") } },
    };
    expect([loadScript(yaml), loadScript(json)]).toEqual([script, script]);
    expect(loadScript(file("empty.yaml", "# nothing yet\n"))).toEqual({});
  });

  it("reports line and column of an error", () => {
    const unknown = file("a.yaml", "seed: 1\nfaults:\n  - kind: 429\n    rat: 0.5\n");
    expect(() => loadScript(unknown)).toThrow(`${unknown}:4:5: unknown key "rat" in faults.0.`);
    const wrong = file("b.json", '{\n  "seed": 1,\n  "outputTokens": -3\n}');
    expect(() => loadScript(wrong)).toThrow(`${wrong}:3:19: outputTokens must not be negative.`);
    const broken = file("c.yaml", "reply: [\n");
    expect(() => loadScript(broken)).toThrow(/c\.yaml:2:1: /);
  });

  it("reports a file that cannot be read", () => {
    expect(() => loadScript(join(dir, "none.yaml"))).toThrow(/none\.yaml cannot be read: ENOENT/);
  });
});
