import { describe, expect, it } from "vitest";
import { runPooledAssay } from "../src/testing/cli-pool.js";
import { parseReport } from "../src/testing/run-assay.js";
import { CAPITAL_EXAMPLES, ORACLE_SYSTEM, PARIS_SYSTEM, TempProject } from "../src/testing/temp-project.js";

const files = { "capitals.jsonl": CAPITAL_EXAMPLES, "oracle.mjs": ORACLE_SYSTEM, "paris.mjs": PARIS_SYSTEM };

const YAML = `title: From YAML
systems: [./oracle.mjs, ./paris.mjs]
datasets:
  - capitals.jsonl
trials: 2
threshold: 0.9
output: json
failUnder:
  pass_rate: 0.5
`;

describe("config file", () => {
  it("in YAML is found by name and describes the run", async () => {
    const space = new TempProject({ ...files, "assay.config.yaml": YAML });
    const finished = await runPooledAssay(space.dir);
    expect(parseReport(finished).config).toMatchObject({ title: "From YAML", trials: 2, threshold: 0.9 });
    expect(finished.code).toBe(1);
    expect(finished.stderr).toContain("paris: pass_rate = 0.25 is under 0.5");
  });

  it("is overridden by flags", async () => {
    const space = new TempProject({ ...files, "nightly.yaml": YAML });
    const flags = ["--system", "./oracle.mjs", "--trials", "1", "--title", "From flags"];
    const finished = await runPooledAssay(space.dir, "run", "--config", "nightly.yaml", ...flags);
    expect(finished.code).toBe(0);
    const { config, rows } = parseReport(finished);
    expect(config).toMatchObject({ title: "From flags", trials: 1, threshold: 0.9, systems: ["oracle"] });
    expect(rows).toHaveLength(4);
  });

  it("in TypeScript may contain systems, evaluators, metrics and examples as objects", async () => {
    const config = `
      interface Asked { id: number; question: string; answer: string }
      const examples: Asked[] = [{ id: 1, question: "2+2?", answer: "4" }];
      export default {
        systems: [{ name: "inline", process: (example: Asked) => ({ response: example.answer }) }],
        datasets: [examples],
        evaluators: [{ name: "same", score: (example: Asked, output: { response: string }) => ({ same: Number(example.answer === output.response) }) }],
        metrics: [{ name: "rows", compute: (rows: unknown[]) => ({ rows: rows.length }) }],
        output: "json",
      };`;
    const finished = await runPooledAssay(new TempProject({ "assay.config.ts": config }).dir);
    expect(finished.stderr).not.toMatch(/^assay:/m);
    expect(parseReport(finished)).toMatchObject({
      rows: [{ system: "inline", outcome: "pass", scores: { same: 1 } }],
      summary: { inline: { rows: 1 } },
    });
  });

  it("in JavaScript may export `config`", async () => {
    const config = `export const config = { systems: ["./oracle.mjs"], datasets: ["capitals.jsonl"], maxExamples: 2, head: true, output: "json" };`;
    const finished = await runPooledAssay(new TempProject({ ...files, "assay.config.mjs": config }).dir);
    expect(parseReport(finished).rows.map(({ exampleId }) => exampleId)).toEqual(["fr", "it"]);
  });

  it.each([
    [
      "an unknown key",
      "systems: []\ntrails: 3\n",
      'broken.yaml:2:1: unknown key "trails". Did you mean "trials"? Known: against, againstSystem, agentEnv, agentHome, ',
    ],
    ["a wrong value", "systems: []\ndatasets: []\nthreshold: 70\n", "broken.yaml:3:12: threshold: "],
    [
      "a wrong item",
      "systems:\n  - ./a.mjs\n  - 7\n",
      "broken.yaml:3:5: systems.1: must be a name, a path, { name, command, ",
    ],
    ["broken YAML", "systems: [a\ntrials: 2\n", "broken.yaml:2:1: "],
    ["no mapping", "- a\n", "broken.yaml:1:1: the config: "],
  ])("with %s is rejected with line and column", async (_, text, message) => {
    const space = new TempProject({ "broken.yaml": text });
    const { code, stdout, stderr } = await runPooledAssay(space.dir, "--config", "broken.yaml");
    expect(stderr).toContain(message);
    expect(stderr).not.toMatch(/^\s+at /m);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  });

  it("in a module is rejected by key, and if it exports nothing", async () => {
    const space = new TempProject({
      "keys.config.mjs": `export default { sistems: [] };`,
      "empty.config.ts": `export const other = 1;`,
    });
    const keys = await runPooledAssay(space.dir, "--config", "keys.config.mjs");
    expect(keys.stderr).toContain('keys.config.mjs: unknown key "sistems". Did you mean "systems"?');
    const empty = await runPooledAssay(space.dir, "--config", "empty.config.ts");
    expect(empty.stderr).toContain("empty.config.ts has no default export. Write: export default {");
    const missing = await runPooledAssay(space.dir, "--config", "missing.yaml");
    expect(missing.stderr).toMatch(/The config file \S*missing\.yaml does not exist\./);
    expect([keys.code, empty.code, missing.code]).toEqual([2, 2, 2]);
  });

  it("resolves the files of an agent's command relative to itself", async () => {
    const space = new TempProject({
      "nightly/c.yaml": `datasets: [capitals.jsonl]\nagents:\n  - command: node 'my agent.mjs' {prompt_file}\noutput: json\n`,
      "nightly/capitals.jsonl": CAPITAL_EXAMPLES.slice(0, 1),
      "nightly/my agent.mjs": `import { readFileSync } from "node:fs";
        process.stdout.write(readFileSync(process.argv[2], "utf8").includes("France") ? "Paris" : "no task");`,
    });
    const report = parseReport(await runPooledAssay(space.dir, "--config", "nightly/c.yaml"));
    expect(report.rows.map(({ system, outcome }) => [system, outcome])).toEqual([["my agent", "pass"]]);
  });

  it("must be the only one of its folder", async () => {
    const space = new TempProject({ "assay.config.yaml": "{}", "assay.config.mjs": "export default {}" });
    const { code, stderr } = await runPooledAssay(space.dir);
    expect(code).toBe(2);
    expect(stderr).toContain("Found several config files");
    expect(stderr).toContain("Choose one with --config.");
  });
});
