import { readFileSync } from "node:fs";
import { Command } from "commander";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { createExperimentFolder, type ExperimentFolder } from "../evals/experiment/experiment-testing.js";
import { evaluate } from "../evaluate.js";
import { startMock } from "../testing/mock/index.js";
import { addExperimentCommand } from "./commands/experiment.js";

const AGENT = 'console.log(process.env.STYLE + ": " + process.argv[2]);';

const names = ["one", "two", "three", "four", "five", "six"];

const stimuli = names.map(
  (name) =>
    `  - { name: ${name}, prompt: hello ${name}, tags: { area: ${name} }, graders: [{ type: output-contains, config: { substring: fancy } }] }`,
);

const EXPERIMENT = `name: style
eval: eval.yaml
baseline: plain
vary: [/environment/env/STYLE]
variants:
  plain: {}
  fancy: { /environment/env/STYLE: fancy }
`;

let bench: ExperimentFolder;
let dir: string;
let runs: string[];

interface Said {
  code: number;
  stdout: string;
  stderr: string;
}

function assay(...args: string[]): Promise<Said> {
  return assayOn(`${dir}/runs`, ...args);
}

/** Runs the command and collects its output. */
async function assayOn(runsDir: string, ...args: string[]): Promise<Said> {
  const said = { code: -1, stdout: "", stderr: "" };
  const spies = (["stdout", "stderr"] as const).map((name) =>
    vi.spyOn(process[name], "write").mockImplementation((text) => {
      said[name] += String(text);
      return true;
    }),
  );
  const program = new Command("assay").exitOverride();
  addExperimentCommand(program, (code) => {
    said.code = code;
  });
  try {
    await program.parseAsync([
      "node",
      "assay",
      "experiment",
      ...args,
      ...(args[0] === "run" ? ["--trust"] : []),
      "--runs-dir",
      runsDir,
    ]);
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
  return said;
}

function runDirIn({ stderr }: Said): string {
  return /Stored in (.*)/.exec(stderr)?.[1] ?? "";
}

beforeAll(async () => {
  bench = createExperimentFolder();
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
  test("merges shards into the complete report", async () => {
    const { code, stdout } = await assay("merge", ...runs, "--output", "json");
    const report = JSON.parse(stdout);
    expect(code).toBe(0);
    expect(report.variants.map((each: { name: string; trials: object }) => [each.name, each.trials])).toEqual([
      ["plain", { pass: 0, fail: 6, error: 0, unscored: 0, skipped: 0 }],
      ["fancy", { pass: 6, fail: 0, error: 0, unscored: 0, skipped: 0 }],
    ]);
    // Six of six test cases gained: 2 of 2^6 assignments of signs.
    expect(report.lifts[0]).toMatchObject({ variant: "fancy", lift: "better", paired: 6 });
    expect(report.lifts[0].passRate.p).toBeCloseTo(2 / 64, 12);
    expect(report.stimuli.fancy.map((each: { stimulus: string }) => each.stimulus)).toEqual(names);
    expect(report.variants.map((each: { coverage: number }) => each.coverage)).toEqual([1, 1]);
    expect(report).toMatchObject({ missing: [], runs });
  });

  test("merges shards in any order to the same report", async () => {
    for (const output of ["json", "markdown"]) {
      const merged = await assay("merge", ...runs, "--output", output);
      expect(await assay("merge", ...runs.toReversed(), "--output", output)).toEqual(merged);
    }
  });

  test("reports missing shards, and exits with 3", async () => {
    const { code, stdout, stderr } = await assay("merge", runs[1] ?? "");
    expect(code).toBe(3);
    expect(stderr).toContain("missing shards: 1/2");
    expect(stdout).toContain("- missing shards: 1/2");
    expect(stdout).toMatch(/plain \(baseline\).* 50 % ⚠ \|/);
    expect(stderr).toContain("fancy: only 50 % of the planned trials were scored");
  });

  test("rejects a shard that is given twice", async () => {
    await expect(assay("merge", ...runs, runs[0] ?? "")).rejects.toThrow("Given twice: 1/2");
  });

  test("reports a stored shard again, by default the latest experiment", async () => {
    const { code, stdout } = await assay("report");
    expect(code).toBe(0);
    expect(stdout).toContain("# style\n");
    expect(stdout).toContain("- this is shard 2/2: combine all of them with experiment merge");
    expect(stdout).toMatch(/plain \(baseline\).* 100 % \|/);
  });

  test("says that there are runs, but no experiments", async () => {
    const others = `${dir}/others`;
    await expect(assayOn(others, "report")).rejects.toThrow(`There is no run in ${others}`);
    const example = { id: 1, question: "?", answer: "!" };
    await evaluate({
      systems: [{ name: "s", process: () => ({ response: "!" }) }],
      dataset: [example],
      runsDir: others,
    });
    const words = `${others} has runs, but no experiments. Start one with assay experiment run`;
    await expect(assayOn(others, "report")).rejects.toThrow(words);
    await expect(assayOn(others, "merge", "latest")).rejects.toThrow(words);
  });

  test("prints folders relative to the working folder", async () => {
    const before = process.cwd();
    try {
      process.chdir(dir);
      const { stderr } = await assayOn("here", "run", "experiment.yaml", "--tag", "area=one", "--quiet");
      expect(stderr).toMatch(/^Stored in here\//m);
      const { stdout } = await assayOn("here", "report", "--output", "json");
      expect(JSON.parse(stdout).runs[0]).toMatch(/^here\//);
    } finally {
      process.chdir(before);
    }
  });

  test("calls the named judge at its URL", async () => {
    const mock = await startMock({ reply: '{"reasoning":"It is.","verdict":"pass","score":1}' });
    const judged = "graders: [{ type: prompt, config: { prompt: Is it polite? } }]";
    const text = readFileSync(`${dir}/eval.yaml`, "utf8");
    bench.write("judged/eval.yaml", text.replaceAll(/graders: .*\]/g, judged));
    bench.write("judged/experiment.yaml", EXPERIMENT);
    process.env.JUDGE_KEY_OF_A_TEST = "sk-test";
    try {
      const flags = [
        "--judge-model",
        "gpt-5-mini",
        "--judge-url",
        mock.url,
        "--judge-api-key-env",
        "JUDGE_KEY_OF_A_TEST",
      ];
      const { code } = await assay("run", `${dir}/judged/experiment.yaml`, "--tag", "area=one", "--quiet", ...flags);
      expect(code).toBe(0);
      expect(mock.requests.map(({ model }) => model)).toEqual(["gpt-5-mini", "gpt-5-mini"]);
    } finally {
      delete process.env.JUDGE_KEY_OF_A_TEST;
      await mock.close();
    }
  });

  test("resumes only a run with the same plan and shard", async () => {
    const again = await assay("run", `${dir}/experiment.yaml`, "--shard", "1/2", "--quiet", "--resume", runs[0] ?? "");
    expect(again.code).toBe(0);
    expect(runDirIn(again)).toBe(runs[0]);
    await expect(assay("run", `${dir}/experiment.yaml`, "--resume", runs[0] ?? "")).rejects.toThrow(
      "is shard 1/2, not the whole experiment. Pass the same --shard.",
    );
    await expect(
      assay("run", `${dir}/experiment.yaml`, "--shard", "1/2", "--runs", "4", "--resume", runs[0] ?? ""),
    ).rejects.toThrow("has a different plan");
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

  test("varies the effort, one variant for each", async () => {
    bench.write("thinking.yaml", `name: t\ndefaults: { executor: codex }\nstimuli:\n${stimuli.join("\n")}\n`);
    bench.write("efforts.yaml", "name: efforts\neval: thinking.yaml\nmatrix: { /defaults/effort: [low, high] }\n");
    const { stdout } = await assay("run", `${dir}/efforts.yaml`, "--dry-run");
    expect(stdout).toContain('- variant high: /defaults/effort "high"\n');
    expect(stdout).toContain("- systems: low, high\n");
    bench.write("efforts.yaml", "name: efforts\neval: thinking.yaml\nmatrix: { /defaults/effort: [low, huge] }\n");
    await expect(assay("run", `${dir}/efforts.yaml`, "--dry-run")).rejects.toThrow(/huge/);
  });

  test("prints each note of a plan once", async () => {
    const noted = EXPERIMENT.replace("vary: [", "vary: [/description, ");
    bench.write("noted.yaml", noted.replace("eval.yaml", "renamed.yaml"));
    bench.write("renamed.yaml", readFileSync(`${dir}/eval.yaml`, "utf8").replace("defaults:", "config:"));
    const { stdout, stderr } = await assay("run", `${dir}/noted.yaml`, "--dry-run");
    const said = `${stdout}${stderr}`;
    expect(said.match(/vary names \/description/g)).toHaveLength(1);
    expect(said.match(/config is read as defaults/g)).toHaveLength(1);
    expect(stderr).toBe("");
  });

  test("rejects invalid files and flags", async () => {
    const file = `${dir}/experiment.yaml`;
    await expect(assay("run", file, "--output", "xml")).rejects.toThrow('Unknown output format "xml"');
    await expect(assay("run", file, "--dry-run", "--until", "soon")).rejects.toThrow("Unknown question --until soon");
    await expect(assay("run", file, "--shard", "3/2")).rejects.toThrow("--shard expects a value like 1/4");
    await expect(assay("merge", dir)).rejects.toThrow("is not a run folder");
  });
});
