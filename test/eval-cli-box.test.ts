import { chmodSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { lacksBoxes } from "../src/testing/boxes.js";
import { EXECUTOR_COMMAND, makeEvalFile, TempEvalProject } from "../src/testing/eval-cli-fixtures.js";

const NOTE = "Agents run without isolation, with your permissions: --isolation box keeps them in a box.";

/** Passes if it sees the allowed file and nothing else of the project. */
const BOXED_AGENT = `import { copyFileSync, existsSync, readdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
const project = dirname(fileURLToPath(import.meta.url));
const seen = readdirSync(project).filter((name) => name !== "package.json" && name !== "node_modules").sort().join();
if (seen === "allowed,boxed.mjs" && !existsSync("/var/log")) copyFileSync(project + "/allowed/word.txt", "made.txt");
writeFileSync("seen.txt", seen);
`;

const EVAL = makeEvalFile({ good: "prompt: write made.txt" }).replace(EXECUTOR_COMMAND, "node boxed.mjs {prompt}");
const ORACLE_EVAL = EVAL.replace(
  "prompt: write made.txt",
  'prompt: x, golden_patch: golden.diff, environment: { commands: ["test ! -e /var/log"] }',
);
const GOLDEN =
  "diff --git a/made.txt b/made.txt\nnew file mode 100644\n--- /dev/null\n+++ b/made.txt\n@@ -0,0 +1 @@\n+hello\n";

function openProject(files: Readonly<Record<string, string>> = {}): TempEvalProject {
  const space = new TempEvalProject({
    "boxed.mjs": BOXED_AGENT,
    "allowed/word.txt": "hello\n",
    "eval.yaml": EVAL,
    ...files,
  });
  chmodSync(space.path("allowed"), 0o755);
  return space;
}

const ALLOWED = ["--allow-path", "allowed"];

describe.skipIf(await lacksBoxes())("assay eval in a box", () => {
  it("shows the agent its trial and what is allowed, and records the box", async () => {
    const space = openProject();
    const flags = [
      "--isolation",
      "box",
      ...ALLOWED,
      "--allow-host",
      "registry.example.org",
      "--box-limit",
      "memoryGib=1",
    ];
    const { code, stderr, stdout } = await space.eval(...flags, "--box-limit", "cpus=1", "--output", "json");
    expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.not.stringContaining(NOTE) });
    expect(stdout).toMatch(/"kind": ?"box"/);
    const { rows } = JSON.parse(stdout) as { rows: { metadata: { isolation: unknown } }[] };
    expect(rows[0]?.metadata.isolation).toMatchObject({
      limits: { memoryGib: 1, cpus: 1, processes: 1024, diskGib: 8 },
      allowHosts: ["registry.example.org"],
      allowPaths: [space.path("allowed")],
    });
  });

  it("reads the same from the config, also for experiments and the oracle", async () => {
    const config = "isolation: box\nallowPaths: [allowed]\nboxLimits: { memoryGib: 1 }\n";
    const experiment =
      "name: both\neval: eval.yaml\nbaseline: one\nvary: [/defaults/runs]\nvariants: { one: {}, two: { /defaults/runs: 2 } }\n";
    const space = openProject({
      "assay.config.yaml": config,
      "experiment.yaml": experiment,
      "oracle/eval.yaml": ORACLE_EVAL,
      "oracle/golden.diff": GOLDEN,
    });
    const evaluated = await space.eval("-e", "eval.yaml", "--require-pass");
    expect(evaluated).toMatchObject({ code: 0, stderr: expect.not.stringContaining(NOTE) });
    const compared = await space.assay("experiment", "run", "experiment.yaml", "--quiet");
    expect(compared).toMatchObject({ code: 0, stdout: expect.stringContaining("1 (1/1)") });
    expect(await space.assay("oracle", "-e", "oracle")).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("Runs in boxes: test ! -e /var/log"),
    });
    expect(await space.assay("oracle", "-e", "oracle", "--isolation", "none")).toMatchObject({ code: 3 });
  });
});

describe("assay eval without a box", () => {
  it("says so, unless that was asked for", async () => {
    const space = new TempEvalProject({ "eval.yaml": makeEvalFile({ good: "prompt: write made.txt" }) });
    expect((await space.eval()).stderr).toContain(NOTE);
    expect((await space.eval("--isolation", "none")).stderr).not.toContain(NOTE);
    expect((await space.eval("--dry-run")).stderr).not.toContain(NOTE);
  });

  it.each([
    [["--isolation", "bx"], 'Unknown isolation "bx". Did you mean "box"?'],
    [["--allow-host", "a.org"], "--allow-host is only for a box. Add --isolation box, or remove it."],
    [["--isolation", "box", "--allow-host", "https://a.org"], "is not a host. Write HOST, HOST:PORT or *.HOST"],
    [["--isolation", "box", "--allow-path", "gone"], "--allow-path gone: there is no such file or folder."],
    [["--isolation", "box", "--box-limit", "memory=1"], 'Unknown --box-limit "memory".'],
    [["--isolation", "box", "--box-limit", "memoryGib"], "--box-limit expects NAME=NUMBER"],
    [["--isolation", "box", "--agent-home", "inherit"], "--agent-home cannot be used in a box"],
  ])("refuses %j", async (flags, message) => {
    const { code, stderr } = await new TempEvalProject({ "eval.yaml": EVAL, "boxed.mjs": BOXED_AGENT }).eval(...flags);
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
  });
});
