import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { TrialError } from "../core/errors.js";
import type { System } from "../core/system.js";
import { AnswerQuality, type EvaluateOptions, evaluate, ModelSystem } from "../index.js";
import { serveScript } from "../models/http/scripted-server.js";
import { type MockOptions, startMock } from "../testing/mock/index.js";
import { describeWithRedis, type RedisServer } from "../testing/redis-server.js";
import { isCommandMissing } from "../testing/system-command.js";
import { runWorker } from "./worker.js";

const CONCURRENCY = 4;

const sums = (count: number) =>
  Array.from({ length: count }, (_, id) => ({ id, question: `What is ${id} + ${id}?`, answer: String(2 * id) }));

async function mockOf(script: MockOptions) {
  const mock = await startMock({ reply: "echo", keepRequests: 0, ...script });
  onTestFinished(() => mock.close());
  return mock;
}

function modelAt(url: string, name = "m"): ModelSystem {
  const system = new ModelSystem({ name, model: name, baseUrl: `${url}/v1` });
  onTestFinished(() => system.close());
  return system;
}

const evaluators = [new AnswerQuality()];

describe.skipIf(isCommandMissing("redis-server"))("over a queue", () => {
  let server: RedisServer;

  describeWithRedis((own) => {
    ({ server } = own);
  });

  /** Starts workers, each with its own systems. */
  function employ(...workers: readonly EvaluateOptions[]): void {
    const drain = new AbortController();
    const how = { queue: server.url, concurrency: CONCURRENCY, drain: drain.signal };
    const working = workers.map((options) => runWorker(options, how));
    onTestFinished(async () => {
      drain.abort();
      await Promise.all(working);
    });
  }

  it.each(["401", "404"] as const)("stops a system at the first %s of each worker", async (kind) => {
    const mock = await mockOf({ faults: [{ kind, model: "bad" }] });
    const options = (): EvaluateOptions => ({
      systems: [modelAt(mock.url, "bad"), modelAt(mock.url, "good")],
      dataset: sums(100),
      evaluators,
    });
    employ(options(), options());
    const { rows, summary, notes } = await evaluate({ ...options(), queue: server.url });
    expect(summary.good).toMatchObject({ num_error: 0, num_skipped: 0, coverage: 1 });
    expect(mock.counts.requests).toBeLessThanOrEqual(100 + 2 * CONCURRENCY);
    expect(summary.bad?.num_error).toBe(mock.counts.requests - 100);
    expect(summary.bad?.num_skipped).toBe(200 - mock.counts.requests);
    expect(rows.find(({ outcome }) => outcome === "skipped")?.notes).toEqual([
      expect.stringMatching(new RegExp(`^not run: .* answered ${kind}`)),
    ]);
    expect(notes).toEqual([
      expect.stringMatching(
        /^"bad" was stopped, and \d+ trials were not run: .* Fix it, then continue with --resume\.$/,
      ),
    ]);
  });

  it("stops a system at the first 403 of each worker, and runs it on resume", async () => {
    let calls = 0;
    let isOpen = false;
    const endpoint = await serveScript((_, response) => {
      calls += 1;
      const answer = isOpen
        ? { choices: [{ message: { content: "4" }, finish_reason: "stop" }] }
        : { error: "not yours" };
      response.writeHead(isOpen ? 200 : 403, { "content-type": "application/json" }).end(JSON.stringify(answer));
    });
    onTestFinished(() => endpoint.close());
    const runsDir = mkdtempSync(join(tmpdir(), "assay-outage-"));
    onTestFinished(() => rmSync(runsDir, { recursive: true, force: true }));
    const options = (): EvaluateOptions => ({ systems: [modelAt(endpoint.url)], dataset: sums(50), evaluators });
    employ(options(), options());
    const first = await evaluate({ ...options(), queue: server.url, runsDir });
    expect(calls).toBeLessThanOrEqual(2 * CONCURRENCY);
    expect(first.summary.m).toMatchObject({ num_error: calls, num_skipped: 50 - calls });
    expect(first.notes).toEqual([
      expect.stringMatching(/^"m" was stopped, and \d+ trials were not run: .* answered 403/),
    ]);
    isOpen = true;
    // Like a restarted worker.
    employ(options());
    const second = await evaluate({ ...options(), queue: server.url, resume: first.runDir ?? "" });
    expect(second.summary.m).toMatchObject({ num_error: 0, num_skipped: 0, coverage: 1 });
  });

  it("probes and gives up an endpoint that is down, while others continue", async () => {
    const mock = await mockOf({ faults: [{ kind: "500", model: "dead" }] });
    const options = (): EvaluateOptions => ({
      systems: [modelAt(mock.url, "dead")],
      dataset: sums(200),
      evaluators,
      outage: { giveUpAfterMs: 1500 },
    });
    employ(options(), options());
    const waiting = new Set<string>();
    const onProgress: EvaluateOptions["onProgress"] = (progress) => void waiting.add(progress.waiting ?? "");
    const { rows, summary, notes } = await evaluate({ ...options(), queue: server.url, onProgress });
    expect(summary.dead?.num_skipped).toBeGreaterThan(200 - 2 * 2 * CONCURRENCY);
    // Every call is on a row: those in progress, their retries by then, and a few probes.
    expect(rows.reduce((calls, { attempts }) => calls + attempts.length, 0)).toBe(mock.counts.requests);
    expect(mock.counts.requests).toBeLessThan(2 * 3 * CONCURRENCY);
    expect(notes).toEqual([
      expect.stringMatching(/^"dead" was stopped, and \d+ trials were not run: 127\.0\.0\.1:\d+ was down for \d+ s\. /),
    ]);
    expect([...waiting].join("\n")).toMatch(/127\.0\.0\.1:\d+ is down, next try in \d+ s, giving up in/);
  });

  it("waits for an endpoint that comes back", async () => {
    const mock = await mockOf({ faults: [{ kind: "500", first: 6 }] });
    const options = (): EvaluateOptions => ({
      systems: [modelAt(mock.url)],
      dataset: sums(60),
      evaluators,
      outage: { giveUpAfterMs: Number.POSITIVE_INFINITY },
    });
    employ(options());
    const { summary, notes } = await evaluate({ ...options(), queue: server.url });
    expect(summary.m).toMatchObject({ num_skipped: 0, num_error: 0 });
    expect(notes).toEqual([]);
  });

  it("removes a worker that is refused where others are not, without an error", async () => {
    const systemOf = (process: System["process"]): System => ({ name: "s", process, fingerprint: () => "s" });
    const options = (system: System): EvaluateOptions => ({ systems: [system], dataset: sums(100), evaluators });
    // As long as the refused worker is alone, all workers are refused, and the system is stopped.
    let tell = () => {};
    const goodHasStarted = new Promise<void>((resolve) => {
      tell = resolve;
    });
    const refused = systemOf(async () => {
      await goodHasStarted;
      throw new TrialError("api_error", "the key is wrong", { outlook: "refused" });
    });
    const good = systemOf(async ({ answer }) => {
      tell();
      await new Promise((resolve) => setTimeout(resolve, 20));
      return { response: String(answer) };
    });
    employ(options(refused), options(good));
    const { summary, notes } = await evaluate({ ...options(good), queue: server.url });
    expect(summary.s).toMatchObject({ num_pass: 100, num_error: 0, num_skipped: 0 });
    expect(notes).toEqual([
      expect.stringMatching(
        /^the worker \S+ was dismissed because it fails where others succeed: it cannot call s \(the key is wrong\)\. Others run its failed trials$/,
      ),
    ]);
  });
});
