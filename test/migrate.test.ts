import { readFileSync, rmSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { runAssay } from "../src/testing/run-assay.js";
import { TempProject } from "../src/testing/temp-project.js";

const EXAMPLES = Array.from({ length: 150 }, (_, i) => ({
  id: `q${i}`,
  question: `What is ${1000 + i} + ${i}?`,
  answer: String(1000 + 2 * i),
}));
const toLines = (items: readonly object[]) => `${items.map((item) => JSON.stringify(item)).join("\n")}\n`;
const FILES = {
  "prod.jsonl": toLines(EXAMPLES),
  "mock.yaml": `seed: 1
answers: prod.jsonl
models:
  gpt-4.1: { successRate: 1 }
  gpt-5-mini: { successRate: 1 }
  claude-haiku-4-5: { successRate: 0.5 }
`,
  "old.jsonl": toLines(EXAMPLES.map(({ id, answer }) => ({ id, response: answer, cost_usd: 0.01, latency: 1 }))),
};
const COMMON = ["--dataset", "prod.jsonl", "--mock", "mock.yaml", "--score-field", "contains", "--margin", "0.05"];
const [OLD, MINI, HAIKU] = ["openai/gpt-4.1", "openai/gpt-5-mini", "anthropic/claude-haiku-4-5"];

interface Report {
  schema: string;
  cost: Record<"asked" | "decided" | "usdPerDecision" | "spentUsd" | "earlyUsd" | "fixedUsd", number>;
  from: string;
  verdict: { exitCode: number };
  notes: string[];
  candidates: {
    system: string;
    verdict: string;
    moreExamples: number | null;
    differences: { metric: string; from: number | null; difference: number | null; reason?: string }[];
    flips: { change: string; question: string | null; fromOutput: string | null; toOutput: string | null }[];
  }[];
}

const migrate = (space: TempProject, ...flags: string[]) => runAssay(space.dir, "migrate", ...flags);

describe("assay migrate", () => {
  it("judges every candidate, and exits 0 if one is non-inferior", async () => {
    const space = new TempProject(FILES);
    const models = ["--from", OLD, "--to", MINI, "--to", HAIKU];
    const files = ["--html", "out/r.html", "--markdown", "out/r.md", "--junit", "out/r.xml"];
    const { code, stdout, stderr } = await migrate(space, ...models, ...COMMON, ...files, "--output", "json");
    expect(code, stderr).toBe(0);
    const report = JSON.parse(stdout) as Report;
    expect(report).toMatchObject({ schema: "assay.migration/1", from: OLD, verdict: { exitCode: 0 } });
    const [mini, haiku] = report.candidates;
    expect(mini).toMatchObject({ system: MINI, verdict: "non-inferior", flips: [] });
    expect(mini?.differences.map(({ metric }) => metric)).toEqual(["cost_per_pass_usd", "latency_p95"]);
    expect(mini?.differences[0]?.difference).toBeLessThan(0);
    expect(haiku).toMatchObject({ system: HAIKU, verdict: "inferior" });
    expect(report.cost).toMatchObject({ asked: 2, decided: 2, tasks: 150, fixedTasks: 150 });
    expect(report.cost.usdPerDecision).toBeCloseTo(report.cost.spentUsd / 2, 12);
    expect(report.cost.earlyUsd).toBeLessThan(report.cost.fixedUsd);
    const flip = haiku?.flips[0];
    expect(flip?.change).toBe("to_fail");
    expect(flip?.question).toMatch(/^What is/);
    expect(flip?.fromOutput).not.toBe(flip?.toOutput);
    const page = readFileSync(space.path("out/r.html"), "utf8");
    expect(page).toContain("inferior");
    expect(page).toContain(flip?.question ?? "none");
    expect(readFileSync(space.path("out/r.md"), "utf8")).toContain("1 non-inferior, 1 inferior");
    expect(readFileSync(space.path("out/r.md"), "utf8")).toMatch(/cost of a decision: \$\S+, as \$\S+ decided 2 of 2/);
    expect(readFileSync(space.path("out/r.xml"), "utf8")).toContain('tests="2" failures="1"');
  });

  it("exits 1 if all are inferior, and 3 if undecided", async () => {
    const space = new TempProject(FILES);
    expect((await migrate(space, "--from", OLD, "--to", HAIKU, ...COMMON)).code).toBe(1);
    const few = await migrate(space, "--from", OLD, "--to", MINI, ...COMMON, "-n", "10");
    expect(few.code).toBe(3);
    expect(few.stdout).toMatch(/undecided: about \d+ more examples/);
    expect(few.stdout).toMatch(/spent, and nothing decided; a run of fixed size that decides would cost about \$/);
  });

  it("uses recorded outputs of a model that is gone, with several trials", async () => {
    const space = new TempProject(FILES);
    const recorded = EXAMPLES.flatMap(({ id, answer }) => [0, 1].map((trial) => ({ id, trial, response: answer })));
    space.write("old.jsonl", toLines(recorded));
    const { code, stdout, stderr } = await migrate(
      space,
      ...["--replay", "old.jsonl", "--to", MINI, ...COMMON, "--trials", "2", "--output", "json"],
    );
    expect(code, stderr).toBe(0);
    const report = JSON.parse(stdout) as Report;
    expect(report.from).toBe("old");
    expect(report.candidates[0]?.differences.map(({ metric }) => metric)).toContain("pass_hat_2");
  });

  it("counts no cost of recorded outputs as spent, and gives no pass^k for a single one of each example", async () => {
    const space = new TempProject(FILES);
    const flags = ["--replay", "old.jsonl", "--to", HAIKU, ...COMMON, "--trials", "2", "--output", "json"];
    const { code, stdout, stderr } = await migrate(space, ...flags);
    expect(code, stderr).toBe(1);
    const { cost, candidates } = JSON.parse(stdout) as Report;
    const [perPass, , passHat] = candidates[0]?.differences ?? [];
    expect(perPass?.from).toBeCloseTo(0.01, 12);
    expect(cost.spentUsd).toBeGreaterThan(0);
    expect(cost.spentUsd).toBeLessThan(0.1);
    expect(passHat).toMatchObject({ metric: "pass_hat_2", difference: null, reason: expect.stringContaining("one") });

    const early = await migrate(space, ...flags, "--until", "decided");
    const { sequential } = JSON.parse(early.stdout) as { sequential: Record<"spentUsd" | "fixedUsd", number> };
    expect(sequential.spentUsd).toBeGreaterThan(0);
    expect(sequential.fixedUsd).toBeLessThan(0.1);
  });

  it("leaves out examples without a recorded output, and spends nothing on them", async () => {
    const space = new TempProject(FILES);
    const some = EXAMPLES.slice(0, 140).map(({ id, answer }) => ({ id, response: answer }));
    space.write("old.jsonl", toLines(some));
    const flags = ["--replay", "old.jsonl", "--to", MINI, ...COMMON, "--trials", "2", "--output", "json"];
    const { code, stdout, stderr } = await migrate(space, ...flags);
    expect(code, stderr).toBe(0);
    const report = JSON.parse(stdout) as Report;
    expect(report.candidates[0]).toMatchObject({ verdict: "non-inferior", quality: { n: 140 }, unpaired: 0 });
    expect(report.notes).toContain(
      "10 of 150 examples have no recorded output of old and were left out: q140, q141, q142, q143, q144, …",
    );
    expect(stderr).toContain('a recorded output without "trial" stands for all 2 trials');
    const rows = readFileSync(space.path(`${space.runs(".assay/runs")[0]}/rows.jsonl`), "utf8");
    expect(rows.match(new RegExp(`"system":"${MINI}"`, "g"))).toHaveLength(2 * 140);
  });

  it("applies --effort to the candidates only", async () => {
    const space = new TempProject(FILES);
    const flags = ["--from", OLD, "--to", MINI, ...COMMON, "--effort", "low,high", "-n", "5", "--output", "json"];
    const { stdout, stderr } = await migrate(space, ...flags);
    expect(stdout, stderr).not.toBe("");
    const report = JSON.parse(stdout) as Report;
    expect(report.from).toBe(OLD);
    expect(report.candidates.map(({ system }) => system)).toEqual([`${MINI}@low`, `${MINI}@high`]);
  });

  it("sends its requests in batches", async () => {
    const space = new TempProject({ ...FILES, "mock.yaml": `${FILES["mock.yaml"]}batch: { delayMs: 100 }\n` });
    const { code, stderr } = await migrate(space, "--from", OLD, "--to", MINI, ...COMMON, "--batch");
    expect(code, stderr).toBe(0);
    const rows = readFileSync(space.path(`${space.runs(".assay/runs")[0]}/rows.jsonl`), "utf8");
    expect(rows.match(/"costSource":"batch"/g)).toHaveLength(2 * EXAMPLES.length);
  });

  it("resumes a stopped migration, also with another margin", async () => {
    const space = new TempProject(FILES);
    await migrate(space, "--from", OLD, "--to", MINI, ...COMMON, "-n", "40");
    const [run = ""] = space.runs(".assay/runs");
    const rows = readFileSync(space.path(`${run}/rows.jsonl`), "utf8").split("\n");
    space.write(`${run}/rows.jsonl`, `${rows.slice(0, 30).join("\n")}\n`);
    rmSync(space.path(`${run}/summary.json`));
    const again = await migrate(space, "--resume", "--margin", "0.2");
    expect(again.code, again.stderr).toBe(0);
    expect(again.stderr).toContain("Resuming");
    expect(again.stdout).toContain("margin 0.2");
  });

  it.each<[string, string[], RegExp]>([
    ["no old model", ["--to", MINI], /No model to move from/],
    ["no candidate", ["--from", OLD], /No candidate is given/],
    ["the same model twice", ["--from", OLD, "--to", OLD], /is given twice/],
    ["two old models", ["--from", OLD, "--replay", "old.jsonl", "--to", MINI], /--replay stands for --from/],
    [
      "--from twice",
      ["--from", OLD, "--from", MINI, "--to", HAIKU],
      /It is given twice, as openai\/gpt-4.1 and openai/,
    ],
    ["a list of candidates", ["--from", OLD, "--to", `${MINI},${HAIKU}`], /names several models\. Repeat the flag/],
    ["a margin above 1", ["--from", OLD, "--to", MINI, "--margin", "2"], /--margin must be between 0 and 1, got 2/],
    ["a model without its provider", ["--from", OLD, "--to", "gpt-5-mini"], /Did you mean "openai\/gpt-5-mini"\?/],
    ["a percentage as margin", ["--from", OLD, "--to", MINI, "--margin", "5"], /--margin must be between 0 and 1/],
    ["an unknown quality", ["--from", OLD, "--to", MINI, "--quality", "f1"], /Unknown --quality "f1"/],
    ["an unknown provider", ["--from", OLD, "--to", "opnai/gpt-5"], /opnai/],
    ["an unknown output format", ["--from", OLD, "--to", MINI, "--output", "xml"], /Unknown output format "xml"/],
  ])("rejects %s", async (_, flags, message) => {
    const { code, stderr } = await migrate(new TempProject(FILES), ...COMMON, ...flags);
    expect(stderr).toMatch(message);
    expect(code).toBe(2);
  });

  it("spends nothing if recordings and dataset share no id", async () => {
    const space = new TempProject({ ...FILES, "old.jsonl": '{"id":"x1","response":"1"}\n' });
    const { code, stderr } = await migrate(space, "--replay", "old.jsonl", "--to", MINI, ...COMMON);
    expect(stderr).toMatch(/no recorded output for any example: its ids, such as x1, do not occur in the dataset/);
    expect(code).toBe(2);
  });
});

describe("assay demo migrate", () => {
  it("judges simulated models offline", async () => {
    const { code, stdout } = await runAssay(new TempProject({}).dir, "demo", "migrate", "--output", "json");
    expect(code).toBe(0);
    const { candidates } = JSON.parse(stdout) as Report;
    expect(candidates.map(({ system, verdict }) => [system, verdict])).toEqual([
      ["new-model", "non-inferior"],
      ["new-mini", "inferior"],
    ]);
  });
});
