import { Command } from "commander";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { type Bench, openBench } from "../experiments/experiment-testing.js";
import { addExperiment } from "./experiment-command.js";

const AGENT = 'console.log(process.env.STYLE + ": " + process.argv[2]);';

const names = ["one", "two", "three", "four", "five", "six"];

const stimuli = names.map(
  (name) =>
    `  - { name: ${name}, prompt: hello ${name}, graders: [{ type: output-contains, config: { substring: fancy } }] }`,
);

const EXPERIMENT = `name: style
eval: eval.yaml
baseline: plain
vary: [/environment/env/STYLE]
variants:
  plain: {}
  fancy: { /environment/env/STYLE: fancy }
`;

let bench: Bench;
let dir: string;
let runs: string[];

interface Said {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs the command as it is called, and collects what it says. */
async function assay(...args: string[]): Promise<Said> {
  const said = { code: -1, stdout: "", stderr: "" };
  const spies = (["stdout", "stderr"] as const).map((name) =>
    vi.spyOn(process[name], "write").mockImplementation((text) => {
      said[name] += String(text);
      return true;
    }),
  );
  const program = new Command("assay").exitOverride();
  addExperiment(program, (code) => {
    said.code = code;
  });
  try {
    await program.parseAsync(["node", "assay", "experiment", ...args, "--runs-dir", `${dir}/runs`]);
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
  return said;
}

function runDirIn({ stderr }: Said): string {
  return /Stored in (.*)/.exec(stderr)?.[1] ?? "";
}

beforeAll(async () => {
  bench = openBench();
  dir = bench.dir;
  bench.write("agent.mjs", AGENT);
  bench.write("experiment.yaml", EXPERIMENT);
  bench.write(
    "eval.yaml",
    `name: greeting
defaults: { runs: 1, timeout: 60s, executor: "node ${dir}/agent.mjs {prompt}" }
environment: { env: { STYLE: plain } }
stimuli:
${stimuli.join("\n")}
`,
  );
  const shards: Said[] = [];
  for (const shard of ["1/2", "2/2"])
    shards.push(await assay("run", `${dir}/experiment.yaml`, "--shard", shard, "--quiet", "--output", "json"));
  expect(shards.map(({ code }) => code)).toEqual([0, 0]);
  runs = shards.map(runDirIn);
}, 120_000);

afterAll(() => bench.remove());

describe("assay experiment", () => {
  test("merges shards into the report of the whole", async () => {
    const { code, stdout } = await assay("merge", ...runs, "--output", "json");
    const report = JSON.parse(stdout);
    expect(code).toBe(0);
    expect(report.variants.map((each: { name: string; trials: object }) => [each.name, each.trials])).toEqual([
      ["plain", { pass: 0, fail: 6, error: 0, unscored: 0, skipped: 0 }],
      ["fancy", { pass: 6, fail: 0, error: 0, unscored: 0, skipped: 0 }],
    ]);
    // Six of six stimuli gained: 2 of 2^6 assignments of signs.
    expect(report.lifts[0]).toMatchObject({ variant: "fancy", lift: "better", paired: 6 });
    expect(report.lifts[0].passRate.p).toBeCloseTo(2 / 64, 12);
    expect(report.stimuli.fancy.map((each: { stimulus: string }) => each.stimulus).sort()).toEqual([...names].sort());
    expect(report).toMatchObject({ missing: [], runs });
  });

  test("says which shards are missing, and exits with 3", async () => {
    const { code, stdout, stderr } = await assay("merge", runs[1] ?? "");
    expect(code).toBe(3);
    expect(stderr).toContain("shards that were not given: 1/2");
    expect(stdout).toContain("- shards that were not given: 1/2");
  });

  test("refuses a shard that is given twice", async () => {
    await expect(assay("merge", ...runs, runs[0] ?? "")).rejects.toThrow("These parts are there twice: 1/2");
  });

  test("reports a stored shard again, the latest experiment unless told", async () => {
    const { code, stdout } = await assay("report");
    expect(code).toBe(0);
    expect(stdout).toContain("# style\n");
    expect(stdout).toContain("- this is shard 2/2: experiment merge joins all of them");
  });

  test("goes on with a run of the same plan and shard only", async () => {
    const again = await assay("run", `${dir}/experiment.yaml`, "--shard", "1/2", "--quiet", "--resume", runs[0] ?? "");
    expect(again.code).toBe(0);
    expect(runDirIn(again)).toBe(runs[0]);
    await expect(assay("run", `${dir}/experiment.yaml`, "--resume", runs[0] ?? "")).rejects.toThrow(
      "is 1/2 of the experiment, not the whole. Pass the same --shard.",
    );
    await expect(
      assay("run", `${dir}/experiment.yaml`, "--shard", "1/2", "--runs", "4", "--resume", runs[0] ?? ""),
    ).rejects.toThrow("is of another plan");
  });

  test("prints its plan and runs nothing", async () => {
    const { code, stdout, stderr } = await assay("run", `${dir}/experiment.yaml`, "--dry-run", "--runs", "3");
    expect(code).toBe(0);
    expect(stdout).toContain('- variant fancy: /environment/env/STYLE "fancy"\n');
    expect(stdout).toContain("36 planned trials");
    expect(stderr).not.toContain("Stored in");
    const plan = JSON.parse((await assay("run", `${dir}/experiment.yaml`, "--dry-run", "--output", "json")).stdout);
    expect(plan).toMatchObject({ schema: "assay.plan/1", planned: 12, experiment: { name: "style", stimuli: 6 } });
  });

  test("refuses what cannot be used", async () => {
    const file = `${dir}/experiment.yaml`;
    await expect(assay("run", file, "--output", "xml")).rejects.toThrow('There is no output "xml"');
    await expect(assay("run", file, "--shard", "3/2")).rejects.toThrow("--shard must look like 1/4");
    await expect(assay("merge", dir)).rejects.toThrow("is not a run folder");
  });
});
