import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { AnswerQuality, evaluate, ModelSystem } from "../index.js";
import { serveScript } from "../models/http/scripted-server.js";
import { type MockOptions, startMock } from "../testing/mock/index.js";

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

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "assay-outage-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

const evaluators = [new AnswerQuality()];

/** A URL where nothing listens. */
async function deadUrl(): Promise<string> {
  const server = await serveScript(() => {});
  await server.close();
  return server.url;
}

describe("a system refused by its endpoint", () => {
  it.each(["401", "404"] as const)("is stopped at the first %s, while others continue", async (kind) => {
    const mock = await mockOf({ faults: [{ kind, model: "bad" }] });
    const { rows, summary, notes } = await evaluate({
      systems: [modelAt(mock.url, "bad"), modelAt(mock.url, "good")],
      dataset: sums(100),
      evaluators,
      maxWorkers: 4,
    });
    expect(summary.good).toMatchObject({ num_error: 0, num_skipped: 0, coverage: 1 });
    expect(mock.counts.requests).toBeLessThanOrEqual(100 + 4);
    expect(summary.bad?.num_error).toBe(mock.counts.requests - 100);
    expect(summary.bad?.num_skipped).toBe(200 - mock.counts.requests);
    const skipped = rows.filter(({ outcome }) => outcome === "skipped");
    expect(skipped[0]?.notes).toEqual([expect.stringMatching(new RegExp(`^not run: .* answered ${kind}`))]);
    expect(notes).toEqual([
      expect.stringMatching(
        /^"bad" was stopped, and \d+ trials were not run: .* Fix it, then continue with --resume\.$/,
      ),
    ]);
  });

  it("is stopped at the first 403", async () => {
    let calls = 0;
    const server = await serveScript((_, response) => {
      calls += 1;
      response.writeHead(403, { "content-type": "application/json" }).end('{"error":{"message":"not yours"}}');
    });
    onTestFinished(() => server.close());
    const how = { systems: [modelAt(server.url)], dataset: sums(100), evaluators, maxWorkers: 4 };
    const { summary, notes } = await evaluate(how);
    expect(calls).toBeLessThanOrEqual(4);
    expect(summary.m).toMatchObject({ num_error: calls, num_skipped: 100 - calls });
    expect(notes).toEqual([expect.stringMatching(/^"m" was stopped, and \d+ trials were not run: .* answered 403/)]);
  });

  it("is stopped if its first requests are all rejected with the same message, but not if later ones are", async () => {
    const server = await serveScript(({ body }, response) => {
      const isBad = body.includes('"bad"') || /What is [5-9]\d/.test(body);
      const answer = isBad
        ? { error: { message: "top_p must be below 1." } }
        : { choices: [{ message: { content: "4" }, finish_reason: "stop" }] };
      response.writeHead(isBad ? 400 : 200, { "content-type": "application/json" }).end(JSON.stringify(answer));
    });
    onTestFinished(() => server.close());
    const systems = [modelAt(server.url, "bad"), modelAt(server.url, "good")];
    const { summary } = await evaluate({ systems, dataset: sums(100), evaluators, maxWorkers: 1 });
    expect(summary.bad).toMatchObject({ num_error: 5, num_skipped: 95 });
    // A system that has answered before is not stopped.
    expect(summary.good?.num_skipped).toBe(0);
  });

  it("is run on resume", async () => {
    const runsDir = folder();
    const mock = await mockOf({ faults: [{ kind: "401", first: 1 }] });
    const how = { systems: [modelAt(mock.url)], dataset: sums(20), evaluators, maxWorkers: 1 };
    const first = await evaluate({ ...how, runsDir });
    expect(first.summary.m).toMatchObject({ num_error: 1, num_skipped: 19 });
    const second = await evaluate({ ...how, resume: first.runDir ?? "" });
    expect(second.summary.m).toMatchObject({ num_error: 0, num_skipped: 0, coverage: 1 });
    expect(second.rows.reduce((calls, { attempts }) => calls + attempts.length + 1, 0)).toBe(mock.counts.requests);
    expect(second.notes).toEqual([]);
  });
});

describe("an endpoint that is down", () => {
  it("is given up after the configured time, while others continue", async () => {
    const mock = await mockOf({});
    const dead = await deadUrl();
    const { rows, summary, notes } = await evaluate({
      systems: [modelAt(dead, "dead"), modelAt(mock.url, "good")],
      dataset: sums(500),
      evaluators,
      maxWorkers: 64,
      outage: { giveUpAfterMs: 200 },
    });
    expect(summary.good?.coverage).toBe(1);
    expect(summary.dead?.num_skipped).toBeGreaterThan(400);
    const calls = rows.flatMap(({ system, attempts }) => (system === "dead" ? attempts : []));
    // Those in progress, their retries by then, and a few probes.
    expect(calls.length).toBeLessThan(64);
    expect(notes[0]).toMatch(
      /^"dead" was stopped, and \d+ trials were not run: 127\.0\.0\.1:\d+ was down for \d+ s\. /,
    );
  });

  it("has a row for every call made before", async () => {
    const mock = await mockOf({ faults: [{ kind: "500" }] });
    const { rows, summary } = await evaluate({
      systems: [modelAt(mock.url)],
      dataset: sums(100),
      evaluators,
      outage: { giveUpAfterMs: 100 },
    });
    expect(rows.reduce((calls, { attempts }) => calls + attempts.length, 0)).toBe(mock.counts.requests);
    expect(mock.counts.requests).toBeLessThan(40);
    expect(summary.m?.num_skipped).toBeGreaterThan(60);
  });

  it("continues when it is back, without losing a trial", async () => {
    let isBack = false;
    let requests = 0;
    const server = await serveScript((_, response) => {
      requests += 1;
      const answer = isBack
        ? { choices: [{ message: { content: "4" }, finish_reason: "stop" }] }
        : { error: { message: "The server is busy." } };
      response.writeHead(isBack ? 200 : 500, { "content-type": "application/json" }).end(JSON.stringify(answer));
    });
    onTestFinished(() => server.close());
    const { rows, summary } = await evaluate({
      systems: [modelAt(server.url)],
      dataset: sums(60),
      evaluators,
      retry: { maxRetries: 1 },
      outage: { giveUpAfterMs: Number.POSITIVE_INFINITY },
      onProgress: ({ waiting }) => {
        isBack ||= /is down, next try in \d+ s, waiting until it is back/.test(waiting ?? "");
      },
    });
    expect(isBack).toBe(true);
    expect(summary.m).toMatchObject({ num_skipped: 0 });
    expect(
      rows.reduce((calls, { outcome, attempts }) => calls + attempts.length + (outcome === "error" ? 0 : 1), 0),
    ).toBe(requests);
  });
});
