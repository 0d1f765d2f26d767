import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { AnswerQuality, type EvalRow, evaluate, LLMJudge, ModelSystem } from "../index.js";
import { REPLAYED_NOTE, recordTraffic, replayTraffic, type Traffic } from "../models/index.js";
import { type MockOptions, startMock } from "../testing/mock/index.js";

const KEY = "sk-test-0123456789abcdef";

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "assay-cassettes-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

async function openMock(script: MockOptions) {
  const mock = await startMock({ keepRequests: 0, requireKey: KEY, ...script });
  onTestFinished(() => mock.close());
  return mock;
}

const PRICE = {
  input: 1_000_000,
  output: 4_000_000,
  cacheRead: 0,
  cacheWrite: 0,
  cacheWrite1h: 0,
  source: "test",
} as const;

/** Two models, one with streaming and one without, and a judge. The address is only a name in a replay. */
async function measure(url: string, traffic: Traffic, trials: number, examples = 50) {
  const model = (name: string, stream: boolean) =>
    new ModelSystem({
      name,
      model: name,
      baseUrl: `${url}/v1`,
      stream,
      apiKey: KEY,
      traffic,
      limits: { price: PRICE, maxCostUsd: null, hardTimeoutMs: null },
    });
  const judge = new ModelSystem({ name: "judge", model: "judge", baseUrl: `${url}/v1`, apiKey: KEY, traffic });
  const systems = [model("streamed", true), model("whole", false)];
  const result = await evaluate({
    systems,
    dataset: Array.from({ length: examples }, (_, id) => ({
      id,
      question: `What is ${id} + ${id}?`,
      answer: String(2 * id),
    })),
    evaluators: [new AnswerQuality(), new LLMJudge({ models: [judge] })],
    scoreField: "f1",
    trials,
    maxWorkers: 8,
  });
  await Promise.all([...systems, judge].map((system) => system.close()));
  await traffic.close();
  return result.rows;
}

const SCRIPT: MockOptions = {
  seed: 3,
  reply: [
    { match: "You are", reply: '{"reason": "as expected", "score": 4, "verdict": "pass"}', model: "judge" },
    { match: "/./", reply: "I think that it is 42, because of the sum." },
  ],
  chunkTokens: 2,
  faults: [{ kind: 429, every: 10, model: "streamed", retryAfter: 0 }],
};

/** A row without what only time decides, and without the note that it was replayed. */
function toTimeless(row: EvalRow) {
  const { latency: _, durationMs: __, ttftMs: ___, tokensPerSec: ____, firstAttemptMs: _____, ...rest } = row;
  const { lostMs: ______, attempts, notes, ...kept } = rest as EvalRow & { lostMs?: number };
  return {
    ...kept,
    attempts: attempts.map(({ errorCategory, message }) => ({ errorCategory, message })),
    notes: notes.filter((note) => !note.startsWith(REPLAYED_NOTE)),
  };
}

describe("200 recorded trials", () => {
  it("are replayed without a model: the same rows but for times, from the same bytes", async () => {
    const dir = folder();
    const mock = await openMock(SCRIPT);
    const recorded = await measure(mock.url, recordTraffic({ dir }), 2);
    const { requests } = mock.counts;
    await mock.close();
    expect(recorded).toHaveLength(200);
    expect(readdirSync(dir).filter((name) => name.endsWith(".jsonl"))).toHaveLength(200);
    const replayed = await measure(mock.url, replayTraffic({ dir }), 2);
    expect(mock.counts.requests).toBe(requests);
    expect(JSON.stringify(replayed.map(toTimeless))).toBe(JSON.stringify(recorded.map(toTimeless)));
    expect(replayed.every(({ notes }) => notes.some((note) => note.startsWith(REPLAYED_NOTE)))).toBe(true);
    expect(recorded.some(({ attempts }) => attempts.length > 0)).toBe(true);
    expect(recorded.every(({ costUsd }) => (costUsd ?? 0) > 0)).toBe(true);
  });
});

describe("a cassette", () => {
  it("has requests, answers and times, but no keys", async () => {
    const dir = folder();
    const mock = await openMock({ ...SCRIPT, faults: [] });
    await measure(mock.url, recordTraffic({ dir }), 1, 1);
    const files = readdirSync(dir).filter((name) => name.startsWith("streamed."));
    const text = readFileSync(join(dir, files[0] ?? ""), "utf8");
    expect(text).not.toContain(KEY);
    const lines = text
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines[0]).toMatchObject({
      kind: "cassette",
      version: 1,
      trial: { system: "streamed", exampleId: 0, trial: 0 },
    });
    expect(lines.slice(1).map(({ kind, by }) => [kind, by])).toEqual([
      ["begin", "system"],
      ["exchange", "system"],
      ["begin", "judge"],
      ["exchange", "judge"],
    ]);
    expect(lines[2]).toMatchObject({
      method: "POST",
      path: "/v1/chat/completions",
      end: "complete",
      answer: { status: 200 },
    });
    expect(lines[2].answer.chunks.flat().length).toBeGreaterThan(4);
  });
});
