import { describe, expect, it, onTestFinished } from "vitest";
import { type Mock, startMock } from "../src/mock/index.js";
import { createRandom } from "../src/stats/index.js";
import { assay, type Report, reportOf, start } from "../src/testing/assay.js";
import { Workspace } from "../src/testing/workspace.js";

const QUESTIONS = Array.from({ length: 40 }, (_, i) => ({ id: i, question: `question ${i}?`, answer: "Paris" }));
const WORKERS = 4;
const MAX_TOKENS = 50;
const PRICE = { input: 0.1, output: 1 };

/** Both at the same price for a thousand tokens. */
const MODELS = `small:
  base_url: URL/v1
  pricing: { input_per_1k: ${PRICE.input}, output_per_1k: ${PRICE.output} }
  budgets: { max_cost_usd: 5 }
judge:
  base_url: URL/v1
  pricing: { input_per_1k: ${PRICE.input}, output_per_1k: ${PRICE.output} }
`;

const VERDICT = '{"reasoning": "So.", "cannot_judge": false, "verdict": "pass"}';

async function bench(maxCost: string): Promise<{ space: Workspace; mock: Mock; args: string[] }> {
  const mock = await startMock({
    latencyMs: 30,
    reply: [
      { match: "/<answer-/", reply: VERDICT },
      { match: "/./", reply: "It is Paris." },
    ],
  });
  onTestFinished(() => mock.close());
  const space = new Workspace({ "q.jsonl": QUESTIONS, "models.yml": MODELS.replaceAll("URL", mock.url) });
  const judge = ["--evaluator", "llm_judge", "--judge-model", "judge"];
  const limits = ["--max-cost", maxCost, "--max-tokens", String(MAX_TOKENS), "--max-workers", String(WORKERS)];
  return { space, mock, args: ["--model", "small", "--dataset", "q.jsonl", ...judge, ...limits, "--output", "json"] };
}

/** What the endpoint would bill: for answers that were cut off, what was sent of them. */
function billed({ requests }: Mock): number {
  return requests.reduce((sum, { usage }) => {
    return usage === null ? sum : sum + (usage.input * PRICE.input + usage.output * PRICE.output) / 1000;
  }, 0);
}

interface Receipt {
  maxCostUsd: number;
  spentUsd: number;
  trialsUsd: number;
  ungradedUsd: number;
  repeatedUsd: number;
  unknownUsd: number;
  lostUsd: number;
  lostTrials: number;
}

/** Kills the run with SIGKILL so often, each time after so many further requests, and lets it come to its end. */
async function killed({ space, mock, args }: Awaited<ReturnType<typeof bench>>, kills: number): Promise<Report> {
  const random = createRandom(7);
  for (let kill = 0; kill < kills; kill++) {
    const running = start(space.dir, kill === 0 ? args : ["--resume"]);
    const until = mock.counts.requests + 3 + random.int(8);
    await expect
      .poll(() => mock.counts.requests >= until || running.child.exitCode !== null, { interval: 2 })
      .toBe(true);
    running.child.kill("SIGKILL");
    await running.finished;
  }
  return reportOf(await assay(space.dir, "--resume"));
}

describe("--max-cost and kill -9", () => {
  it.each(["50", "2"])("keep $%s, and the report tells all that was billed", async (maxCost) => {
    const half = await bench(maxCost);
    const report = (await killed(half, 6)) as Report & { budget: Receipt };
    const { budget, rows } = report;
    const most = (MAX_TOKENS * PRICE.output + 100 * PRICE.input) / 1000;
    expect(billed(half.mock)).toBeLessThanOrEqual(Number(maxCost) + WORKERS * most);
    expect(budget.spentUsd).toBeLessThanOrEqual(Number(maxCost) + WORKERS * most);
    // Nothing is billed that is not told: what was cut off counts as what was set aside for it.
    expect(budget.spentUsd).toBeGreaterThanOrEqual(billed(half.mock) - 0.01);
    expect(budget.spentUsd - budget.lostUsd).toBeLessThanOrEqual(billed(half.mock) + 0.01);
    const { trialsUsd, ungradedUsd, repeatedUsd, unknownUsd, lostUsd } = budget;
    expect(trialsUsd + ungradedUsd + repeatedUsd + unknownUsd + lostUsd).toBeCloseTo(budget.spentUsd, 9);
    const ofRows = rows.reduce((sum, row) => sum + Number(row.costUsd ?? 0) + Number(row.judgeCostUsd ?? 0), 0);
    expect(trialsUsd).toBeCloseTo(ofRows, 9);
    if (maxCost === "50") expect(rows.every(({ outcome }) => outcome === "pass")).toBe(true);
    else expect(report.notes.some((note) => note.startsWith("budget stopped"))).toBe(true);
  });
});
