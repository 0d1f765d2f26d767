import { describe, expect, it } from "vitest";
import { runPooledAssay } from "../src/testing/cli-pool.js";
import { CAPITAL_EXAMPLES, TempProject } from "../src/testing/temp-project.js";

/** Says another thing in each trial. */
const makeSystem = (name: string) =>
  `export default {
  name: ${JSON.stringify(name)},
  process: (example, { trial }) => ({
    response: trial === 0 ? "Paris" : "Lyon",
    usage: { input: 1000, output: 10 },
    costUsd: 0.01,
  }),
};`;

async function measure(): Promise<TempProject> {
  const files = { "capitals.jsonl": CAPITAL_EXAMPLES, "a.mjs": makeSystem("plain"), "b.mjs": makeSystem("team:b") };
  const space = new TempProject(files);
  const run = ["run", "--system", "./a.mjs", "--system", "./b.mjs", "--dataset", "capitals.jsonl", "--trials", "2"];
  const { code, stderr } = await runPooledAssay(space.dir, ...run, "--score-field", "exact_match", "--quiet");
  expect(code, stderr).toBe(0);
  return space;
}

describe("assay diff", () => {
  it("aligns two trials, also of two systems and of two runs", async () => {
    const space = await measure();
    const shown = await runPooledAssay(space.dir, "diff", "latest", "plain:fr#0", "plain:fr#1");
    expect(shown.code, shown.stderr).toBe(0);
    expect(shown.stdout).toContain("- first divergence: step 1 of 1, both differ\n");
    expect(shown.stdout).toContain("- from there on: A $0.0100 in 1 answer, B $0.0100 in 1 answer\n");
    expect(shown.stdout).toMatch(/\| ▶ 1 ~ +\| says Paris \| says Lyon \|/);
    const told = await runPooledAssay(space.dir, "diff", "latest", "plain:fr#0", "team:b:fr#0", "--output", "json");
    expect(JSON.parse(told.stdout)).toMatchObject({
      schema: "assay.diff/1",
      a: { system: "plain", exampleId: "fr", trial: 0, costUsd: 0.01, answers: 1, rest: null },
      b: { system: "team:b" },
      divergence: null,
      steps: [{ sign: "same", a: { kind: "says", text: "Paris" } }],
    });
    const [run = ""] = space.runs();
    const other = await runPooledAssay(space.dir, "diff", run, "plain:fr#0", "team:b:fr#1", "--run-b", "latest");
    expect(other.code, other.stderr).toBe(0);
  });

  it("says what is wrong with a request", async () => {
    const space = await measure();
    const ask = async (...args: string[]) => {
      const { code, stdout, stderr } = await runPooledAssay(space.dir, "diff", "latest", ...args);
      expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
      return stderr;
    };
    expect(await ask("plain:fr#0")).toContain("There is only one trial, plain:fr#0.");
    expect(await ask("plain:fr#0", "plain:fr#0")).toContain("are the same trial. Name two.");
    expect(await ask("fr#0", "fr#1")).toContain('"fr#0" matches 2 trials. Choose one:\n  plain:fr#0\n  team:b:fr#0');
    expect(await ask("plain:fr#0", "plain:frr#0")).toContain('The run has no trial "frr#0"');
    expect(await ask("plain:fr#0", "plain:fr#1", "--output", "yaml")).toContain('Unknown output format "yaml"');
  });
});
