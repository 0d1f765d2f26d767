import { existsSync, readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { waitUntil } from "../src/testing/agent-cli-fixtures.js";
import { EXECUTOR_COMMAND, makeEvalFile, TempEvalProject } from "../src/testing/eval-cli-fixtures.js";
import { parseReport, startAssay } from "../src/testing/run-assay.js";

const words = (text: string) => text.replaceAll(/\s+/g, " ");

/** Two eval files with their own agents and trials, and an environment of the project. */
const TWO = {
  "evals/first/eval.yaml": makeEvalFile(
    { bad: "prompt: do nothing", good: "prompt: write made.txt", ill: "prompt: fail now" },
    { name: "first", runs: 3, head: `gate: { metric: pass_hat_3, op: ">=", value: 0.3 }\nenvironment: shared\n` },
  ),
  "evals/second/other.eval.yaml": makeEvalFile({ good: "prompt: write made.txt" }, { name: "second" }).replace(
    "agent.mjs",
    "second-agent.mjs",
  ),
  "assay.config.yaml": `evals:\n  paths: [evals]\n  environments: { shared: { env: { MOOD: glad }, files: [{ dest: given.txt, content: here }] } }\n`,
};

interface Line {
  stimulus: string;
  eval: string;
  trial: number;
  outcome: string;
  score: number | null;
  grades: { type: string; passed: boolean }[];
  response: string | null;
  trajectory: unknown[] | null;
}

describe("an eval", () => {
  it("runs a canary before the trials of a program only if asked to", async () => {
    const space = new TempEvalProject({
      "eval.yaml": makeEvalFile({ good: "prompt: write made.txt" }, { runs: 10 }),
    });
    const asked = await space.eval("--canary");
    expect(asked.code, asked.stderr).toBe(3);
    expect(asked.stdout + asked.stderr).toContain("its canary failed: it did not create canary.txt");
    expect(space.readStarts()).toHaveLength(1);
    for (const flags of [[], ["--no-canary"]]) {
      const { code, stderr } = await space.eval(...flags);
      expect(code, stderr).toBe(0);
    }
    expect(space.readStarts().filter((prompt) => !prompt.startsWith("write made.txt"))).toHaveLength(1);
    expect(space.readStarts()).toHaveLength(21);
  });

  it("runs several files as one, writes the requested reports, and is reported and graded again without an agent", async () => {
    const space = new TempEvalProject(TWO);
    space.write("second-agent.mjs", space.read("agent.mjs"));
    const reports = [
      "--output-dir",
      "out",
      "--junit",
      "ci/junit.xml",
      "--markdown",
      "comment.md",
      "--github",
      "summary",
    ];
    const settings = [
      "--workers",
      "2",
      "--seed",
      "7",
      "--title",
      "both",
      "--run-tag",
      "nightly",
      "--quiet",
      "--max-retries",
      "0",
      "--min-coverage",
      "0.5",
    ];
    const flags = ["--agent-env", "LOG", ...settings, ...reports, "--keep-workspaces", "kept"];
    const env = { ...space.env(), GITHUB_STEP_SUMMARY: space.path("summary.md") };
    space.write("summary.md", "before\n");
    const { code, stdout, stderr } = await startAssay(space.dir, ["eval", "--verbose", ...flags], env).finished;
    expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.not.stringMatching(/^assay:/m) });
    expect(space.readStarts()).toHaveLength(10);
    expect(stdout).toMatch(/^# both\n\n## first: agent\n/);
    expect(words(stdout)).toContain("- gate pass_hat_3 >= 0.3: 0.5, passed");
    expect(words(stdout)).toContain("## second: second-agent");
    expect(readdirSync(space.path("kept"))).toHaveLength(10);
    expect(space.read("kept/agent-good-0/given.txt")).toBe("here");

    const lines = space
      .read("out/results.jsonl")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as Line);
    const told = lines
      .map(({ eval: name, stimulus, trial, outcome }) => `${name} ${stimulus} ${trial} ${outcome}`)
      .sort();
    expect(told).toEqual([
      ...["bad 0 fail", "bad 1 fail", "bad 2 fail", "good 0 pass", "good 1 pass", "good 2 pass"].map(
        (l) => `first ${l}`,
      ),
      ...["ill 0 error", "ill 1 error", "ill 2 error"].map((l) => `first ${l}`),
      "second good 0 pass",
    ]);
    const good = lines.find((line) => line.eval === "first" && line.outcome === "pass");
    expect(good).toMatchObject({
      score: 1,
      response: "glad: write made.txt",
      grades: [{ type: "file-exists", passed: true }],
    });
    expect(good?.trajectory).not.toBeNull();
    expect(JSON.parse(space.read("out/report.json"))).toMatchObject({
      schema: "assay.eval/1",
      parts: [{ planned: 9 }, { planned: 1 }],
    });
    expect(space.read("ci/junit.xml")).toBe(space.read("out/junit.xml"));
    expect(space.read("ci/junit.xml")).toContain(
      `<testsuite name="first: agent" tests="10" failures="3" errors="3" skipped="0"`,
    );
    expect(space.read("comment.md")).toBe(space.read("out/report.md"));
    expect(space.read("summary.md")).toBe(`before\n${space.read("comment.md")}`);

    const [run = ""] = space.runs();
    expect(JSON.parse(space.read(run, "labels.json"))).toMatchObject({ tags: ["nightly"] });
    space.write("changed.yaml", space.read("evals/first/eval.yaml").replaceAll("made.txt }", "given.txt }"));
    const [again, junit, regraded, changed] = await Promise.all([
      space.assay("report", run),
      space.assay("report", run, "--output", "junit"),
      space.assay("grade", run, "--runs-dir", "same"),
      space.assay("grade", run, "-e", "changed.yaml", "--runs-dir", "graded"),
    ]);
    expect(again).toMatchObject({ code: 0, stdout });
    expect(junit.stdout).toBe(space.read("ci/junit.xml"));
    expect(words(regraded.stdout)).toContain("gate pass_hat_3 >= 0.3: 0.5, passed");
    expect(changed.stderr).not.toMatch(/^assay:/m);
    expect(words(changed.stdout)).toContain("6 of 9 trials passed");
    expect(space.readStarts()).toHaveLength(10);
  });

  it("applies its gates, --require-pass and --threshold", async () => {
    const half = { good: "prompt: write made.txt", bad: "prompt: do nothing" };
    const gated = (metric: string, value: number) =>
      makeEvalFile(half, { head: `gate: { metric: ${metric}, op: ">=", value: ${value} }\n` });
    const weighed = `name: weighed
defaults: { executor: node agent.mjs {prompt} }
scoring: { threshold: 0.9 }
stimuli:
  - { name: half, prompt: say it, graders: [{ type: output-contains, config: { substring: say } }, { type: file-exists, config: { path: no } }] }
`.replace("node agent.mjs {prompt}", `"node agent.mjs {prompt}"`);
    const space = new TempEvalProject({
      "passed.yaml": gated("pass_rate", 0.5),
      "failed.yaml": gated("pass_rate", 0.6),
      "never.yaml": gated("pass_hat_3", 0.6),
      "weighed.yaml": weighed,
    });
    const run = (...args: string[]) => space.eval("--runs-dir", `runs-${args[1]}-${args.length}`, ...args);
    const limits = ["--fail-under", "pass_rate=0.9", "--fail-over", "mean_score=0.1"];
    const [passed, failed, never, required, weak] = await Promise.all([
      run("-e", "passed.yaml", "--columns", "quality", "--output", "table"),
      run("--eval", "failed.yaml"),
      run("-e", "never.yaml"),
      run("-e", "passed.yaml", "--require-pass", ...limits),
      run("-e", "weighed.yaml", "--threshold", "0.5"),
    ]);
    expect(passed.code).toBe(0);
    expect(passed.stdout).toContain("mean score [95 %]");
    expect(failed.code).toBe(1);
    expect(failed.stderr).toContain("tidy: agent: gate pass_rate >= 0.6: 0.5, failed");
    expect(never.code).toBe(2);
    expect(never.stderr).toContain("The gate of tidy on pass_hat_3 needs at least 3 trials");
    expect(never.stderr).toContain("Pass --runs 3");
    expect(required.code).toBe(1);
    expect(required.stderr).toContain("--require-pass: 1 trial did not pass");
    expect(required.stderr).toContain("agent: pass_rate = 0.5 is under 0.9");
    expect(required.stderr).toContain("agent: mean_score = 0.5 is over 0.1");
    expect(weak.code).toBe(0);
    expect(space.runs("runs-never.yaml-2")).toEqual([]);
  });

  it("grades what a trial has left at its --timeout", async () => {
    const space = new TempEvalProject({
      "eval.yaml": makeEvalFile({ slow: "prompt: write made.txt and wait", lazy: "prompt: sit and wait" }),
    });
    const report = parseReport(await space.eval("--timeout", "1s", "--output", "json"));
    expect(report.rows.map(({ exampleId, outcome, errorCategory }) => [exampleId, outcome, errorCategory])).toEqual([
      ["slow", "pass", "time_killed"],
      ["lazy", "fail", "time_killed"],
    ]);
  });

  it("continues with --resume after Ctrl-C, and starts no finished trial again", async () => {
    const space = new TempEvalProject({
      "eval.yaml": makeEvalFile({ one: "prompt: write made.txt", two: "prompt: write made.txt and wait" }),
    });
    const running = space.start("eval", "--agent-env", "LOG", "--workers", "1", "--junit", "junit.xml");
    await waitUntil(() => space.readStarts().includes("waiting"), "the second trial waits");
    running.child.kill("SIGINT");
    const stopped = await running.finished;
    expect(stopped.code).toBe(130);
    expect(stopped.stderr).toContain("Interrupted. Resume with: assay eval --resume .assay/runs/");
    expect(space.read("junit.xml")).toContain(`tests="3" failures="0" errors="0" skipped="1"`);
    space.write("agent.mjs", space.read("agent.mjs").replace("60_000", "0"));
    const resumed = await space.assay("eval", "--resume");
    expect(resumed.code).toBe(0);
    expect(words(resumed.stdout)).toContain("2 of 2 trials passed");
    const asked = space.readStarts().filter((line) => line !== "waiting");
    expect(asked).toEqual(["write made.txt", "write made.txt and wait", "write made.txt and wait"]);
    expect(space.runs()).toHaveLength(1);
  });

  it("keeps the run if a report cannot be written", async () => {
    const space = new TempEvalProject({ "eval.yaml": makeEvalFile({ good: "prompt: write made.txt" }), file: "" });
    const { code, stdout, stderr } = await space.eval("--output-dir", "file");
    expect(code).toBe(3);
    expect(stderr).toMatch(/^assay: file\/results\.jsonl could not be written: .*The run itself is stored\.$/m);
    expect(stdout).toContain("1 of 1 trial passed");
    const again = await space.assay("report", "--output", "markdown");
    expect(again.stdout).toContain("### ✅ tidy: agent: all gates passed");
  });
});

describe("selection of an eval", () => {
  it("works by suite, tags, test cases, agents and models, and is shown by --dry-run", async () => {
    const space = new TempEvalProject({
      "evals/js/eval.yaml": makeEvalFile(
        { quick: "prompt: a, tags: { area: js }", long: "prompt: b, tags: { area: js, slow: true }" },
        { name: "js", runs: 2 },
      ),
      "evals/ts/eval.yaml": makeEvalFile({ typed: "prompt: c, tags: { area: ts }" }, { name: "ts" }),
      "project.yaml": "evals:\n  paths: [evals]\n  suites: { fast: { tags: ['!slow'] } }\n",
    });
    const plan = async (...args: string[]) => {
      const { stdout, stderr } = await space.eval("--config", "project.yaml", "--dry-run", "--output", "json", ...args);
      expect(stderr).toBe("");
      const { planned, systems, examples } = JSON.parse(stdout) as Record<string, unknown>;
      return { planned, systems, examples };
    };
    const other = ["--executor", "node other.mjs {prompt}", "--model", "openai/gpt-5,openai/gpt-5-mini"];
    const agents = ["--executor", EXECUTOR_COMMAND, ...other];
    const [all, suite, both, not, one, more] = await Promise.all([
      plan(),
      plan("--suite", "fast"),
      plan("--suite", "fast", "--tag", "area=js,ts", "--tag", "!area=ts"),
      plan("--tag", "!area=js"),
      plan("--stimulus", "long", "--stimulus", "typed", "--runs", "5"),
      plan("--stimulus", "typed", ...agents),
    ]);
    expect(all).toEqual({ planned: 5, systems: ["agent"], examples: 3 });
    expect(suite).toMatchObject({ planned: 3, examples: 2 });
    expect(both).toMatchObject({ planned: 2, examples: 1 });
    expect(not).toMatchObject({ planned: 1, examples: 1 });
    expect(one).toMatchObject({ planned: 10, examples: 2 });
    const systems = ["agent", "other"].flatMap((name) => [`${name}:openai/gpt-5`, `${name}:openai/gpt-5-mini`]);
    expect(more).toEqual({ planned: 4, systems, examples: 1 });
    expect(existsSync(space.path(".assay"))).toBe(false);
    expect(space.readStarts()).toEqual([]);
  });
});
