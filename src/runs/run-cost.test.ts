import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import type { AgentEvent, EvalResult, Price, System } from "../core/index.js";
import { evaluate } from "../evaluate.js";
import { AnswerQuality } from "../evaluators/index.js";
import { groupRequests, pairSteps } from "../report/dashboard/steps.js";
import { loadTrialView } from "../report/dashboard/trial-view.js";
import { createLayout, renderCosts } from "../report/index.js";
import { readManifest, readOutputs, writeQuarantine } from "../store/index.js";
import { computeTrialCost, createAgentFolders, runScriptedTrial, sumRequestUsage } from "../testing/scripted-trial.js";
import { loadRunCost } from "./run-cost.js";

/** Asks its model until it calls no tool, does nothing else, and prints the answer. */
const AGENT = `
const messages = [{ role: "user", content: process.argv[2] }];
const tools = [{ type: "function", function: { name: "bash", parameters: { type: "object" } } }];
for (;;) {
  const response = await fetch(process.env.OPENAI_BASE_URL + "/chat/completions", {
    method: "POST",
    headers: { "content-type": "application/json", authorization: "Bearer " + process.env.OPENAI_API_KEY },
    body: JSON.stringify({ model: "claude-sonnet-4-5", messages, tools }),
  });
  const { message } = (await response.json()).choices[0];
  messages.push(message);
  if (!message.tool_calls?.length) { console.log(message.content); break; }
  for (const { id } of message.tool_calls) messages.push({ role: "tool", tool_call_id: id, content: "nothing" });
}
`;

async function runAgent() {
  const place = createAgentFolders();
  const file = join(place.root, "agent.mjs");
  writeFileSync(file, AGENT);
  const { result, mock } = await runScriptedTrial({
    place,
    does: [],
    agent: { command: `node ${file} {prompt}`, model: "tested", api: "chat", canary: false },
    model: { tools: [{ command: "ls" }, { command: "ls" }, { command: "pwd" }, { text: "All done." }] },
    run: { runsDir: join(place.root, "runs"), trials: 2 },
  });
  return { result, mock, dir: result.runDir ?? "" };
}

async function readPageCosts(result: EvalResult, dir: string): Promise<number[]> {
  const manifest = readManifest(dir);
  const { systems, runId: run } = manifest;
  const views = await Promise.all(
    result.rows.map((key) => loadTrialView({ dir, rows: result.rows, key, threshold: 0.7, run, systems })),
  );
  return views.flatMap(({ timeline }) =>
    groupRequests(pairSteps(timeline ?? [])).flatMap(({ requests }) => requests.map(({ costUsd }) => costUsd ?? 0)),
  );
}

it("splits the bill of a real program as its model counted it, with the amounts of the page", async () => {
  const { result, mock, dir } = await runAgent();
  const report = await loadRunCost({ dir, manifest: readManifest(dir) });
  const [cost] = report.systems;
  expect(cost?.costUsd).toBeCloseTo(computeTrialCost(sumRequestUsage(mock.requests)), 12);
  const page = await readPageCosts(result, dir);
  expect(page).toHaveLength(8);
  const sum = (place: (index: number) => boolean) =>
    page.reduce((total, usd, index) => total + (place(index % 4) ? usd : 0), 0);
  const [bash, none] = cost?.splits.tool ?? [];
  expect(bash).toMatchObject({
    name: "bash",
    count: 6,
    costUsd: expect.closeTo(
      sum((index) => index < 3),
      12,
    ),
  });
  expect(none).toMatchObject({
    name: "no tool",
    count: 2,
    costUsd: expect.closeTo(
      sum((index) => index === 3),
      12,
    ),
  });
  const repeated = cost?.splits.retries.find(({ name }) => name === "repeated calls");
  expect(repeated).toMatchObject({
    count: 2,
    costUsd: expect.closeTo(
      sum((index) => index === 1),
      12,
    ),
  });
  expect(report.notes).toEqual([]);
  const text = renderCosts(report, "a run", createLayout());
  expect(text).toMatch(/\| bash +\| +\$0\.\d+ \|/);
});

it("names the calls of each answer in its usage", async () => {
  const { dir } = await runAgent();
  const [stored] = readOutputs(dir);
  const events = (stored?.output.trajectory?.events ?? []) as readonly AgentEvent[];
  const made = events.flatMap((event) => (event.type === "tool_call" ? [event.callId] : []));
  const named = events.flatMap((event) => (event.type === "token_usage" ? (event.callIds ?? []) : []));
  expect(named).toEqual(made);
  expect(made).toHaveLength(3);
});

/** A dollar for a thousand input tokens. */
const PRICE: Price = { input: 1e9, output: 0, cacheRead: 0, cacheWrite: 0, cacheWrite1h: 0, source: "test" };

it("has canaries and trials that are put aside besides the bill", async () => {
  const dir = mkdtempSync(join(tmpdir(), "assay-run-cost-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const system: System = {
    name: "s",
    limits: { price: PRICE, maxCostUsd: 1, hardTimeoutMs: null },
    canary: { example: { id: "(canary)", question: "?" }, findProblem: () => null, isAlways: true },
    process: ({ question }) => ({ response: "right", usage: { input: question === "?" ? 500 : 1000, output: 0 } }),
  };
  const dataset = [1, 2, 3].map((id) => ({ id, question: "Which?", answer: "right" }));
  const result = await evaluate({ systems: [system], dataset, evaluators: [new AnswerQuality()], runsDir: dir });
  const runDir = result.runDir ?? "";
  const manifest = readManifest(runDir);
  writeQuarantine(runDir, result.rows.slice(0, 1), { reason: "wrong key", at: "2026-11-18T00:00:00.000Z" });
  const report = await loadRunCost({ dir: runDir, manifest });
  expect(report.systems).toMatchObject([{ system: "s", trials: 2, costUsd: 2, tokens: 2000 }]);
  expect(report.besides).toEqual({ canaryUsd: 0.5, repeatedUsd: 0, lostUsd: 0, unknownUsd: 0, asideUsd: 1 });
  const text = renderCosts(report, "a run", createLayout());
  expect(text).toContain("- canaries: $0.5000\n- trials that are put aside: $1.00\n");
  const part = await loadRunCost({ dir: runDir, manifest, rows: result.rows.slice(1, 2) });
  expect(part).toMatchObject({ systems: [{ costUsd: 1 }] });
  expect(part).not.toHaveProperty("besides");
});
