import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { type MockOptions, startMock } from "../../src/testing/mock/index.js";
import { type RedisServer, startRedis } from "../../src/testing/redis-server.js";
import { parseReport, startAssay } from "../../src/testing/run-assay.js";
import { isCommandMissing } from "../../src/testing/system-command.js";
import { TempProject } from "../../src/testing/temp-project.js";
import { openCuttableProxy } from "./cuttable-proxy.js";
import { countTrials, readJsonLines } from "./stored-fields.js";
import { WorkerPool } from "./worker-pool.js";

const WORKERS = 4;
const questions = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ id: `e${i}`, question: `q${i}`, answer: `a${i}` }));

describe.skipIf(isCommandMissing("redis-server"))("shared limits of workers", () => {
  let redis: RedisServer;

  beforeAll(async () => {
    redis = await startRedis();
  });

  afterAll(() => redis.stop());

  async function mocked(script: MockOptions) {
    const mock = await startMock({ keepRequests: 50_000, ...script });
    onTestFinished(() => mock.close());
    return mock;
  }

  /** 1,000 output tokens cost $0.01: a call of 200 costs $0.002, and may cost $0.02. */
  const priced = (url: string) => `
models:
  m:
    provider: openai-compatible
    base_url: ${url}/v1
    pricing: { input_per_1k: 0.0, output_per_1k: 0.01 }
    budgets: { max_cost_usd: 0.02, hard_timeout_secs: 60 }
`;

  it("a budget of $1 is exceeded by at most one reservation per worker, also when workers are killed", async () => {
    const mock = await mocked({ reply: "no", outputTokens: 200, latencyMs: 20 });
    const space = new TempProject({ "q.jsonl": questions(2000), "models.yml": priced(mock.url) });
    const pool = new WorkerPool(space.dir, ["--queue", redis.url, "--lease", "3"]).add(WORKERS);
    const flags = ["--model", "m", "--dataset", "q.jsonl", "--max-cost", "1", "--min-coverage", "0"];
    const run = startAssay(space.dir, ["run", ...flags, "--queue", redis.url, "--output", "json", "--quiet"]);
    await sleep(3500);
    await pool.replace(1);
    const report = parseReport(await run.finished);
    const billed = mock.requests.reduce((sum, { usage }) => sum + (usage?.output ?? 0) * 1e-5, 0);
    expect(billed).toBeLessThanOrEqual(1 + WORKERS * 0.02);
    // Most of the budget is used: the rest would not cover one more trial, or was lost with the worker.
    const lost = /(\d+) trials? (?:was|were) lost/.exec(report.notes.join("\n"))?.[1] ?? 0;
    expect(billed).toBeGreaterThan(1 - 0.04 - Number(lost) * 0.02);
    const rows = report.rows.filter(({ outcome }) => outcome !== "skipped");
    expect(rows.length).toBeGreaterThan(300);
    expect(report.notes.join("\n")).toContain("budget stopped");
    await pool.drain();
  }, 120_000);

  it("an endpoint limit of eight concurrent calls is learned by all workers together, and every trial succeeds", async () => {
    const mock = await mocked({ reply: "a", maxConcurrent: 8, latencyMs: 30 });
    const space = new TempProject({ "q.jsonl": questions(400) });
    const pool = new WorkerPool(space.dir, ["--queue", redis.url, "--concurrency", "16"]).add(WORKERS);
    const flags = ["--proxy", mock.url, "--model", "m", "--dataset", "q.jsonl", "--queue", redis.url];
    const report = parseReport(await startAssay(space.dir, ["run", ...flags, "--output", "json", "--quiet"]).finished);
    expect(report.rows.filter(({ outcome }) => outcome === "error")).toEqual([]);
    expect(report.rows).toHaveLength(400);
    // Each worker on its own would exceed it again and again.
    const { byStatus } = mock.counts;
    expect(byStatus["429"] ?? 0).toBeLessThan(200);
    await pool.drain();
  }, 120_000);

  it("a run that stops when it is decided has the verdict of one machine, and workers run no trial far beyond it", async () => {
    const space = new TempProject({ "q.jsonl": questions(400) });
    // A model that is asked again may answer otherwise, so each run has its own.
    const listFlags = async () => {
      const { url } = await mocked({
        answers: questions(400).map(({ question, answer }) => ({ question, answer })),
        models: { old: { successRate: 0.6 }, new: { successRate: 0.95 } },
        latencyMs: { min: 5, max: 40 },
      });
      const systems = ["old", "new"].flatMap((name) => ["--proxy", url, "--model", name]);
      return ["run", ...systems, "--dataset", "q.jsonl", "--until", "decided", "--output", "json", "--quiet"];
    };
    const alone = parseReport(await startAssay(space.dir, await listFlags()).finished);
    const pool = new WorkerPool(space.dir, ["--queue", redis.url, "--concurrency", "4", "--lease", "3"]).add(2);
    const run = startAssay(space.dir, [...(await listFlags()), "--queue", redis.url]);
    const shared = parseReport(await run.finished);
    expect(alone.sequential).toMatchObject({ isDecided: true, findings: [{ answer: "better", isFinal: false }] });
    // The two mocks have addresses of their own, and so have the names of the systems.
    const nameless = { system: expect.any(String), baseline: expect.any(String) };
    expect(shared.sequential?.findings).toEqual(
      alone.sequential?.findings.map((finding) => ({ ...finding, ...nameless })),
    );
    expect(shared.sequential?.tasks).toEqual(alone.sequential?.tasks);
    const seen = shared.sequential?.tasks.seen ?? 0;
    expect(shared.rows.length).toBeGreaterThanOrEqual(2 * seen);
    expect(shared.rows.length).toBeLessThan(2 * (seen + 64));
    await pool.drain();
  }, 120_000);

  it("a slow system delays no other", async () => {
    const system = (name: string, ms: number) => `
      import { setTimeout as sleep } from "node:timers/promises";
      export default { name: "${name}", async process() { await sleep(${ms}); return { response: "a", metadata: { at: Date.now() } }; } };`;
    const space = new TempProject({
      "q.jsonl": questions(60),
      "slow.mjs": system("slow", 1000),
      "quick.mjs": system("quick", 5),
    });
    const pool = new WorkerPool(space.dir, ["--queue", redis.url, "--concurrency", "4"]).add(2);
    const flags = ["--system", "./slow.mjs", "--system", "./quick.mjs", "--dataset", "q.jsonl", "--queue", redis.url];
    const report = parseReport(await startAssay(space.dir, ["run", ...flags, "--output", "json", "--quiet"]).finished);
    const times = (name: string) =>
      report.rows.filter(({ system: own }) => own === name).map(({ metadata }) => (metadata as { at: number }).at);
    const slow = times("slow").sort((a, b) => a - b);
    // The fast one is finished before the slow one has done a third.
    expect(Math.max(...times("quick"))).toBeLessThan(slow[20] ?? 0);
    await pool.drain();
  }, 120_000);

  it("a disconnected worker loses its trials to others; what it delivers later is not recorded twice", async () => {
    const way = await openCuttableProxy(redis.port);
    const space = new TempProject({
      "q.jsonl": questions(300),
      "s.mjs": `import { setTimeout as sleep } from "node:timers/promises";
        export default { name: "s", async process(example) { await sleep(100); return { response: example.answer }; } };`,
    });
    const cut = startAssay(space.dir, ["worker", "--queue", way.url, "--concurrency", "4", "--lease", "3"]);
    const flags = ["run", "--system", "./s.mjs", "--dataset", "q.jsonl", "--queue", redis.url, "--output", "json"];
    const run = startAssay(space.dir, flags);
    await cut.says("Joining");
    await sleep(1500);
    way.cut();
    const pool = new WorkerPool(space.dir, ["--queue", redis.url, "--concurrency", "2", "--lease", "3"]).add(1);
    await sleep(7000);
    way.restore();
    const report = parseReport(await run.finished);
    expect(report.rows.filter(({ outcome }) => outcome === "pass")).toHaveLength(300);
    const counts = countTrials(readJsonLines(space.path(space.runs()[0] ?? ""), "rows.jsonl"));
    expect(counts.size).toBe(300);
    expect([...counts].filter(([, count]) => count !== 1)).toEqual([]);
    await pool.drain();
    cut.child.kill("SIGTERM");
    expect((await cut.finished).code).toBe(0);
  }, 120_000);

  it("large outputs reach the run through the shared folder, and are read from there", async () => {
    const space = new TempProject({
      "q.jsonl": questions(3),
      "shared/readme.txt": "a folder that all machines see",
      "s.mjs": `export default { name: "s", process: (example) => ({ response: example.answer + "x".repeat(3 << 20) }) };`,
    });
    const pool = new WorkerPool(space.dir, ["--queue", redis.url]).add(1);
    const flags = ["--system", "./s.mjs", "--dataset", "q.jsonl", "--queue", redis.url, "--shared-dir", "shared"];
    const finished = await startAssay(space.dir, ["run", ...flags, "--output", "json", "--quiet"]).finished;
    expect(finished.code, finished.stderr).toBe(0);
    const run = space.runs()[0] ?? "";
    const lines = readJsonLines(space.path(run), "outputs.jsonl");
    expect(lines).toHaveLength(3);
    for (const { file } of lines) {
      const stored = JSON.parse(space.read(run, String(file)));
      expect(stored.output.response).toHaveLength(2 + (3 << 20));
    }
    await pool.drain();
  }, 120_000);
});
