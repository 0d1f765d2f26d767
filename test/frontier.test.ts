import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { runPooledAssay } from "../src/testing/cli-pool.js";
import { parseReport } from "../src/testing/run-assay.js";
import { TempProject } from "../src/testing/temp-project.js";

const EXAMPLES = Array.from({ length: 12 }, (_, i) => ({ id: i, question: `Code ${i}?`, answer: `code${i * 7}` }));

/** The cheap model fails where the dear one passes, and neither passes everything. */
const FILES = {
  "codes.jsonl": EXAMPLES,
  "mock.yaml": `answers: codes.jsonl
models:
  cheap-1: { successRate: 0.3 }
  dear-1: { successRate: 0.5 }
efforts:
  low: { successRate: 0.5, outputTokens: 20, usage: { reasoning: 10 } }
  high: { successRate: 0.9, outputTokens: 80, usage: { reasoning: 70 } }
`,
  "models.yml": `models:
  cheap: { provider: openai, api_name: cheap-1, pricing: { input_per_1k: 0.001, output_per_1k: 0.002 } }
  dear: { provider: openai, api_name: dear-1, pricing: { input_per_1k: 0.01, output_per_1k: 0.02 } }
  thinker: { provider: openai, api_name: gpt-6-luna, pricing: { input_per_1k: 0.001, output_per_1k: 0.002 } }
`,
};
const SOURCE = ["--dataset", "codes.jsonl", "--score-field", "contains", "--mock", "mock.yaml"];
const BOTH = ["run", ...SOURCE, "--model", "cheap", "--model", "dear"];

async function runJson(space: TempProject, ...args: string[]) {
  const finished = await runPooledAssay(space.dir, ...args, "--output", "json");
  expect(finished.stderr).not.toMatch(/^assay:/m);
  return parseReport(finished);
}

describe("the frontier cost of a pass", () => {
  it("is in the report of a run, in that of the stored run with another expert cost, and of one that stored none", async () => {
    const space = new TempProject(FILES);
    const report = await runJson(space, ...BOTH, "--expert-cost", "2");
    const failed = new Map(EXAMPLES.map(({ id }) => [id, true]));
    for (const { exampleId, outcome } of report.rows) if (outcome === "pass") failed.set(Number(exampleId), false);
    const unpassed = [...failed.values()].filter(Boolean).length;
    // Otherwise the run shows nothing.
    expect(unpassed).toBeGreaterThan(0);
    expect(report.config.datasets[0]).toMatchObject({ name: "codes", expertCostUsd: 2 });
    expect(report.frontier).toMatchObject({ isBiased: true, tasks: 12, expertCostUsd: { codes: 2 } });
    expect(report.frontier?.expertShare).toBeCloseTo(unpassed / 12, 12);
    expect(report.frontier?.valueUsd).toBeGreaterThan((2 * unpassed) / 12);
    const dir = report.run ?? "";
    const again = await runJson(space, "report", dir, "--expert-cost", "codes=4");
    const dearer = (again.frontier?.valueUsd ?? 0) - (report.frontier?.valueUsd ?? 0);
    expect(dearer).toBeCloseTo((2 * unpassed) / 12, 9);

    const path = join(space.dir, dir, "manifest.json");
    const manifest = JSON.parse(readFileSync(path, "utf8")) as { config: { datasets: { expertCostUsd?: number }[] } };
    for (const dataset of manifest.config.datasets) delete dataset.expertCostUsd;
    writeFileSync(path, JSON.stringify(manifest));
    const old = await runPooledAssay(space.dir, "report", dir);
    expect(old.stdout).toContain(
      `Frontier cost of a pass: not finite, because in ${unpassed} of 12 tasks no system passed, and the cost of an expert is not known for codes.`,
    );
    const markdown = await runPooledAssay(space.dir, "report", dir, "--expert-cost", "4", "--output", "markdown");
    expect(markdown.stdout).toContain("## Frontier cost of a pass");
  });

  it("takes the cost from a named dataset of the config", async () => {
    const space = new TempProject({
      ...FILES,
      "assay.config.yaml": "namedDatasets:\n  faq: { files: [codes.jsonl], expertCostUsd: 0.5 }\n",
    });
    const report = await runJson(space, ...BOTH.map((arg) => (arg === "codes.jsonl" ? "faq" : arg)));
    expect(report.frontier).toMatchObject({ expertCostUsd: { faq: 0.5 } });
  });

  it.each([
    [["--expert-cost", "-1"], /'-1' is invalid\. It must be more than 0 dollars/],
    [["--expert-cost", "abc"], /'abc' is invalid\. It must be a number/],
    [["--expert-cost", "codes="], /'codes=' is invalid\. It must be a number/],
    [["--expert-cost", "3", "--expert-cost", "codes=2"], /Give one amount for all datasets, or DATASET=USD for each/],
    [["--expert-cost", "code=3"], /names the dataset "code", which the run does not have\. Did you mean "codes"\?/],
  ])("refuses %j", async (flags, message) => {
    const space = new TempProject(FILES);
    const { code, stderr } = await runPooledAssay(space.dir, ...BOTH, ...flags);
    expect(stderr).toMatch(message);
    expect(code).toBe(2);
  });

  it("refuses an unknown dataset for a stored run", async () => {
    const space = new TempProject(FILES);
    const { run } = await runJson(space, ...BOTH);
    const { code, stderr } = await runPooledAssay(space.dir, "report", run ?? "", "--expert-cost", "gsm8k=3.5");
    expect(stderr).toMatch(/--expert-cost .*names the dataset "gsm8k", which the run does not have\. Known: codes/);
    expect(code).toBe(2);
  });
});

describe("quality and cost by effort", () => {
  it("are in the report of a run with several efforts, and of the stored run", async () => {
    const space = new TempProject(FILES);
    const run = ["run", ...SOURCE, "--model", "thinker", "--effort", "high,low"];
    const report = await runJson(space, ...run);
    expect(report.effortCurves).toMatchObject([
      {
        name: "thinker",
        points: [
          { system: "thinker@low", effort: "low", reasoningTokens: 10 },
          { system: "thinker@high", effort: "high", reasoningTokens: 70 },
        ],
      },
    ]);
    const { stdout } = await runPooledAssay(space.dir, "report", report.run ?? "");
    expect(stdout).toMatch(/\| thinker +\| low +\|[^\n]+\| +10 \|\n\| thinker +\| high +\|/);
  });
});
