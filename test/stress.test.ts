import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import type { JsonReport, ReliabilityProfile } from "../src/core/index.js";
import { runAssay } from "../src/testing/run-assay.js";
import { TempProject } from "../src/testing/temp-project.js";

const TINY_AGENT = fileURLToPath(new URL("../examples/tiny-agent.mjs", import.meta.url));
const EXAMPLES = Array.from({ length: 12 }, (_, i) => ({
  id: `q${i}`,
  question: `Which number follows ${1000 + i} when somebody counts upwards?`,
  answer: String(1001 + i),
}));
const toLines = (items: readonly object[]) => `${items.map((item) => JSON.stringify(item)).join("\n")}\n`;
const FILES = {
  "data.jsonl": toLines(EXAMPLES),
  "mock.yaml": "answers: data.jsonl\nsuccessRate: 0.9\nmodels:\n  writer: { answers: [], reply: Other words }\n",
  "models.yml": `models:
  m: { provider: openai, pricing: { input_per_1k: 0.001, output_per_1k: 0.002 }, budgets: { max_cost_usd: 0.01 } }
  writer: { provider: openai, pricing: { input_per_1k: 0.001, output_per_1k: 0.002 } }
`,
};
const COMMON = ["--dataset", "data.jsonl", "--mock", "mock.yaml", "--score-field", "contains"];

const stress = (space: TempProject, ...flags: string[]) => runAssay(space.dir, "stress", ...flags);
const readReport = (stdout: string) => JSON.parse(stdout) as JsonReport;
const firstProfile = ({ reliability }: JsonReport) => reliability?.[0] as ReliabilityProfile;

describe("assay stress", () => {
  it("runs every arm, and reports the profile in JSON, in Markdown and again from the stored run", async () => {
    const space = new TempProject(FILES);
    const plan = ["--faults", "429=0.2:0,cut=0.1", "--perturb", "politeness,format", "--trials", "3"];
    const files = ["--markdown", "out.md", "--output", "json"];
    const { code, stdout, stderr } = await stress(space, "--model", "m", ...COMMON, ...plan, ...files);
    expect(code, stderr).toBe(0);
    const report = readReport(stdout);
    expect(report.config.systems).toEqual(["m", "m (faults)", "m (politeness)", "m (format)"]);
    expect(report.rows).toHaveLength(4 * 12 * 3);
    const profile = firstProfile(report);
    expect(profile.outcomeConsistency.value).toBeGreaterThan(0.5);
    expect(profile.arms.map(({ kind }) => kind)).toEqual(["faults", "politeness", "format"]);
    const injected = report.rows.flatMap(({ faults }) => faults);
    const counted = Object.values(profile.arms[0]?.faults?.counts ?? {}).reduce((total, count) => total + count, 0);
    expect(counted).toBe(injected.length);
    expect(counted).toBeGreaterThan(2);
    for (const { robustness } of profile.arms) {
      expect(robustness.low).toBeLessThanOrEqual(robustness.value ?? -1);
      expect(robustness.high).toBeGreaterThanOrEqual(robustness.value ?? 2);
    }
    expect(profile.calibration).toBeNull();
    expect(report.recommendation).toBeNull();
    const markdown = readFileSync(space.path("out.md"), "utf8");
    expect(markdown).toContain("## Reliability of m");
    const again = await runAssay(space.dir, "report", "latest", "--output", "json");
    expect(readReport(again.stdout).reliability).toEqual(report.reliability);
    expect((await runAssay(space.dir, "report", "latest")).stdout).toMatch(/\| robustness to faults +\| +× [\d.]+ \|/);
  });

  it("resumes with the same perturbations and faults, and asks for a confidence", async () => {
    const space = new TempProject(FILES);
    const plan = ["--faults", "500=0.2", "--perturb", "typos", "--trials", "2", "--ask-confidence", "--seed", "3"];
    const first = await stress(space, "--model", "m", ...COMMON, ...plan, "--output", "json");
    const [before] = readdirSync(space.path(".assay/perturbations")).map((name) =>
      readFileSync(space.path(join(".assay/perturbations", name)), "utf8"),
    );
    // As if it had been interrupted: the second half of the rows was never written.
    const run = readReport(first.stdout).run ?? "";
    const journal = join(space.dir, run, "rows.jsonl");
    const lines = readFileSync(journal, "utf8").trimEnd().split("\n");
    writeFileSync(journal, `${lines.slice(0, lines.length / 2).join("\n")}\n`);
    writeFileSync(join(space.dir, run, "outputs.jsonl"), "");
    const resumed = await stress(space, "--resume", run, "--output", "json");
    expect(resumed.code, resumed.stderr).toBe(0);
    const faults = (stdout: string) =>
      readReport(stdout).rows.map(({ system, exampleId, trial, faults: injected }) => [
        system,
        exampleId,
        trial,
        injected.map(({ kind, request }) => [kind, request]),
      ]);
    expect(faults(resumed.stdout)).toEqual(faults(first.stdout));
    const [after] = readdirSync(space.path(".assay/perturbations")).map((name) =>
      readFileSync(space.path(join(".assay/perturbations", name)), "utf8"),
    );
    expect(after).toBe(before);
  });

  it("injects faults into an agent's calls, and counts a fault that it does not survive as failed", async () => {
    const space = new TempProject(FILES);
    const agent = ["--agent-command", `node ${TINY_AGENT} {prompt}`, "--agent-name", "tiny", "-n", "4"];
    const { code, stdout, stderr } = await stress(space, ...agent, ...COMMON, "--faults", "cut=1", "--output", "json");
    expect(code, stderr).toBe(0);
    const faulty = readReport(stdout).rows.filter(({ system }) => system === "tiny (faults)");
    expect(faulty.map(({ outcome, faults }) => [outcome, faults.length])).toEqual(faulty.map(() => ["fail", 1]));
    expect(firstProfile(readReport(stdout)).arms[0]).toMatchObject({ robustness: { value: 0, low: 0 } });
    expect(stderr).toContain("One trial of each task says nothing about consistency");
  });

  it("writes paraphrases once, says what they cost, and reuses the file that is named", async () => {
    const space = new TempProject(FILES);
    const plan = ["--perturb", "paraphrase", "--perturbations", "p.jsonl", "-n", "3", "--head"];
    const first = await stress(space, "--model", "m", ...COMMON, ...plan, "--perturb-model", "writer");
    expect(first.stderr).toMatch(/3 paraphrases by writer cost \$0\.\d+, which is not part of the run's cost/);
    const lines = readFileSync(space.path("p.jsonl"), "utf8").trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject(
      Array.from({ length: 3 }, () => ({ kind: "paraphrase", text: "Other words", model: "writer" })),
    );
    const second = await stress(space, "--model", "m", ...COMMON, ...plan);
    expect(second.stderr).not.toContain("paraphrases by");
    expect(second.code, second.stderr).toBe(0);
  });

  it("prints the plan with arms, trials and costs, and spends and writes nothing", async () => {
    const space = new TempProject(FILES);
    const plan = ["--faults", "429=0.1", "--perturb", "typos", "--trials", "5", "--max-cost", "1", "--dry-run"];
    const { stdout, stderr } = await stress(space, "--model", "m", ...COMMON, ...plan);
    expect(stderr).toContain("1 system × 3 arms: clean, faults, typos");
    expect(stdout).toContain("3 systems × 12 examples × 5 trials = 180 planned trials");
    expect(stdout).toMatch(/cost.*\$/);
    expect(readdirSync(space.dir)).not.toContain(".assay");
  });

  it("is limited by --max-cost", async () => {
    const space = new TempProject(FILES);
    const plan = [
      "--faults",
      "429=0.1:0",
      "--trials",
      "5",
      "--max-cost",
      "0.001",
      "--trial-max-cost",
      "0.0005",
      "--output",
      "json",
    ];
    const { stdout, code } = await stress(space, "--model", "m", ...COMMON, ...plan);
    expect(code).not.toBe(0);
    const { budget, rows } = readReport(stdout);
    expect(budget?.spentUsd).toBeLessThan(0.001);
    expect(rows.some(({ outcome }) => outcome === "skipped")).toBe(true);
  });

  it.each([
    [["--faults", "492=0.1"], /Unknown fault "492"\. Did you mean "429"\?/],
    [["--faults", "429=2"], /must be a number from 0 to 1, but is "2"/],
    [["--faults", "429=0.6,500=0.6"], /add up to 1\.2/],
    [["--perturb", "tpyos"], /Unknown perturbation "tpyos"\. Did you mean "typos"\?/],
    [["--perturb", "reorder"], /reorder changes none of the 12 examples/],
    [["--perturb", "paraphrase"], /Paraphrases are written by a model.*Add --perturb-model/s],
    [
      ["--perturb-model", "writer", "--faults", "429=0.1"],
      /--perturb-model writes paraphrases, but none are asked for/,
    ],
    [["--perturbations", "p.jsonl", "--faults", "429=0.1"], /--perturbations names a file of perturbations, but none/],
    [[], /Nothing to measure: give --faults/],
    [["--resume", "x", "--faults", "429=0.1"], /--resume keeps the stress of the run\. Remove --faults/],
  ])("rejects %j", async (flags, message) => {
    const { code, stderr } = await stress(new TempProject(FILES), "--model", "m", ...COMMON, ...flags);
    expect(code).toBe(2);
    expect(stderr).toMatch(message);
  });

  it("rejects systems whose calls do not pass through the gateway", async () => {
    const space = new TempProject(FILES);
    const { code, stderr } = await stress(
      space,
      "--system",
      "passthrough",
      "--dataset",
      "data.jsonl",
      "--faults",
      "429=0.1",
    );
    expect(code).toBe(2);
    expect(stderr).toMatch(/Faults cannot be injected into passthrough.*leave out --faults/s);
  });
});
