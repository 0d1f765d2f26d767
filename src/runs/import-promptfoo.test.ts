import { describe, expect, it } from "vitest";
import { readExamples } from "../store/examples.js";
import { readManifest } from "../store/journal.js";
import { readOutputs } from "../store/outputs.js";
import { importFixture } from "../testing/fixture-runs.js";

describe("results of promptfoo", () => {
  const column = (provider: string, label = "Say {{word}}") => ({ provider, label, raw: label });

  function result(fields: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
    return {
      id: undefined,
      promptIdx: 0,
      testIdx: 0,
      provider: { id: "openai:chat:blue-1", label: "" },
      prompt: { raw: "Say hello", label: "Say {{word}}" },
      vars: { word: "hello", _conversation: [] },
      testCase: { vars: { word: "hello" }, assert: [{ type: "equals", value: "hello" }] },
      response: {
        output: "hello",
        cost: 0.003,
        tokenUsage: { total: 30, prompt: 20, completion: 10, completionDetails: { reasoning: 4 } },
      },
      success: true,
      score: 1,
      failureReason: 0,
      latencyMs: 1500,
      cost: 0.003,
      namedScores: { tone: 0.5 },
      tokenUsage: { total: 90, prompt: 70, completion: 20 },
      gradingResult: {
        pass: true,
        score: 1,
        reason: "All assertions passed",
        componentResults: [
          { pass: true, score: 1, reason: "It is hello", assertion: { type: "equals", value: "hello" } },
          {
            pass: true,
            score: 0.6,
            reason: "kind",
            assertion: { type: "llm-rubric", metric: "tone" },
            tokensUsed: { total: 60 },
          },
        ],
      },
      ...fields,
    };
  }

  function document(
    results: readonly unknown[],
    prompts: readonly unknown[] = [column("openai:chat:blue-1")],
    version = 3,
  ) {
    const timestamp = "2026-04-01T08:00:00.000Z";
    const head = version === 2 ? { table: { head: { prompts, vars: ["word"] }, body: [] } } : { prompts };
    return JSON.stringify({
      evalId: "eval-1",
      results: { version, timestamp, results, ...head, stats: {} },
      config: { description: "greetings" },
    });
  }

  it("become rows with assertions as grades and named scores beside them", async () => {
    const run = await importFixture({ "out.json": document([result()]) });
    expect(run.format).toBe("promptfoo");
    const [row] = run.result.rows;
    expect(row).toMatchObject({
      system: "openai:chat:blue-1",
      dataset: "greetings",
      outcome: "pass",
      errorCategory: "none",
      primaryField: "verdict",
      scores: { equals: 1, tone: 0.5, weighted_score: 1, verdict: 1 },
      usage: { input: 20, output: 10, reasoning: 4 },
      inputTokens: 20,
      outputTokens: 10,
      costUsd: 0.003,
      costSource: "provider",
      latency: 1.5,
      durationMs: 1500,
      cached: false,
    });
    expect(row?.exampleId).toMatch(/^hello-[0-9a-f]{8}$/);
    const [stored] = readOutputs(run.dir);
    expect(stored?.output).toEqual({ response: "hello", prompt: "Say hello" });
    expect(stored?.evidence).toEqual({ equals: "It is hello", tone: "kind", verdict: "All assertions passed" });
    expect(stored?.grades?.map(({ kind }) => kind)).toEqual(["code", "llm"]);
    expect([...readExamples(run.dir)][0]).toMatchObject({
      question: "Say hello",
      answer: "hello",
      vars: { word: "hello" },
    });
    expect(readManifest(run.dir).createdAt).toBe("2026-04-01T08:00:00.000Z");
  });

  it("classify failures: by assertion, by error, and tests without assertions", async () => {
    const test = (word: string, assert: unknown[] = []) => ({ testCase: { vars: { word }, assert } });
    const run = await importFixture({
      "out.json": document([
        result({
          ...test("wrong"),
          success: false,
          failureReason: 1,
          score: 0.9,
          error: "Expected hello",
          gradingResult: {
            pass: false,
            score: 0.9,
            reason: "Expected hello",
            componentResults: [{ pass: false, score: 0.9, reason: "Expected hello", assertion: { type: "equals" } }],
          },
        }),
        result({
          ...test("down"),
          success: false,
          failureReason: 2,
          score: 0,
          error: "API error: 503 Service Unavailable",
          response: undefined,
          gradingResult: null,
        }),
        result({ ...test("free"), gradingResult: null, namedScores: {} }),
        result({ ...test("none"), gradingResult: { pass: true, score: 1, reason: "No assertions" }, namedScores: {} }),
      ]),
    });
    const by = new Map(run.result.rows.map((row) => [String(row.exampleId).split("-")[0], row]));
    // Its score is above the threshold, but it is marked as failed.
    expect(by.get("wrong")).toMatchObject({ outcome: "fail", errorCategory: "logic_error", passed: false });
    expect(by.get("down")).toMatchObject({ outcome: "error", errorCategory: "api_error", passed: null });
    expect(by.get("down")?.attempts[0]?.message).toContain("503");
    expect(by.get("free")).toMatchObject({ outcome: "unscored", errorCategory: "none" });
    expect(by.get("none")).toMatchObject({ outcome: "unscored", errorCategory: "none" });
    expect(run.result.summary["openai:chat:blue-1"]).toMatchObject({ pass_rate: 0, coverage: 0.25 });
  });

  it("count repeats as trials, and a result with the same id only once", async () => {
    const repeat = (testIdx: number, id: string, success: boolean) =>
      result({ testIdx, id, success, failureReason: success ? 0 : 1 });
    const results = [repeat(0, "a", true), repeat(1, "b", false), repeat(2, "c", true), repeat(2, "c", true)];
    const run = await importFixture({ "out.json": document(results, undefined, 4) });
    expect(run.result.rows.map(({ trial, outcome }) => [trial, outcome])).toEqual([
      [0, "pass"],
      [1, "fail"],
      [2, "pass"],
    ]);
    expect(run.result.config.trials).toBe(3);
    expect(run.result.notes.join("\n")).toContain("a newer one of the same trial: 1");
  });

  it("create a system per provider, and per prompt if there are several", async () => {
    const prompts = [column("blue"), column("red"), column("blue", "Shout {{word}}"), column("red", "Shout {{word}}")];
    const results = prompts.map(({ provider, label }, promptIdx) =>
      result({ promptIdx, provider: { id: provider }, prompt: { raw: `${label}!`, label } }),
    );
    const names = ["blue [Say {{word}}]", "red [Say {{word}}]", "blue [Shout {{word}}]", "red [Shout {{word}}]"];
    const run = await importFixture({ "out.json": document(results, prompts) });
    expect(run.result.config.systems).toEqual(names);
    expect(new Set(run.result.rows.map(({ exampleId }) => exampleId)).size).toBe(1);
    const lines = await importFixture({ "out.jsonl": results });
    expect(lines.result.config.systems).toEqual(names);
  });

  it("are read from version 2: no indices, no failure reason, an error for each failed assertion", async () => {
    const old = (fields: Readonly<Record<string, unknown>>) => {
      const { promptIdx: _p, testIdx: _t, failureReason: _f, testCase: _c, ...rest } = result(fields);
      return rest;
    };
    const failed = { pass: false, score: 0, reason: "no", assertion: { type: "contains", value: "x" } };
    const run = await importFixture({
      "out.json": document(
        [
          old({ vars: { word: "one" } }),
          old({ vars: { word: "two" }, success: false, score: 0, error: "no", gradingResult: failed }),
          old({
            vars: { word: "six" },
            success: false,
            score: 0,
            error: "Request timed out",
            gradingResult: undefined,
            response: undefined,
          }),
        ],
        [column("openai:chat:blue-1")],
        2,
      ),
    });
    const by = new Map(run.result.rows.map((row) => [String(row.exampleId).split("-")[0], row]));
    expect(by.get("one")?.outcome).toBe("pass");
    expect(by.get("two")).toMatchObject({ outcome: "fail", scores: { contains: 0, verdict: 0 } });
    expect(by.get("six")).toMatchObject({ outcome: "error", errorCategory: "timeout" });
  });

  it("keep unknown distinct from zero: cost, tokens and the latency of a cached answer", async () => {
    const response = { output: { a: 1 }, cached: true, tokenUsage: { cached: 30, total: 30 } };
    const run = await importFixture({ "out.json": document([result({ response, cost: 0, latencyMs: 3 })]) });
    const [row] = run.result.rows;
    expect(row).toMatchObject({
      cached: true,
      costUsd: null,
      costSource: "unknown",
      latency: null,
      durationMs: null,
      usage: null,
    });
    expect(row?.outputTokens).toBeGreaterThan(0);
    expect(run.result.notes.join("\n")).toContain("counted here (cl100k_base): 2");
    expect([...readOutputs(run.dir)][0]?.output.response).toBe('{"a":1}');
  });
});
