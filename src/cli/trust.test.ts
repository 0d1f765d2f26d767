import { existsSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { writeTestRun } from "../store/history/run-testing.js";
import { isCommandMissing } from "../testing/system-command.js";
import { TempProject } from "../testing/temp-project.js";
import { buildProgram } from "./program.js";
import { isTrustedFile } from "./trust.js";

/** Leaves a file when it is run. */
const MARK = 'import { writeFileSync } from "node:fs";\nwriteFileSync(new URL("ran", import.meta.url), "");\n';

const SPEC = `name: sums
defaults: { executor: "sh -c 'touch RAN' {prompt}", model: m }
environment:
  files: [{ dest: a.txt, content: old }]
  commands: ["touch RAN"]
stimuli:
  - name: fix
    prompt: Mend it.
    golden_patch: { path: golden.diff }
    graders:
      - { type: all-of, config: { graders: [{ type: run-command, config: { command: "grep -q new a.txt && touch RAN" } }] } }
`;
const GOLDEN =
  "diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-old\n\\ No newline at end of file\n+new\n";

/** A folder of another project, with everything that could be run. */
function foreign(): TempProject {
  const space = new TempProject({
    "assay.config.mjs": `${MARK}export default { datasets: ["needle"], systems: ["truncate:0.5"] };\n`,
    "plugin.mjs": `${MARK}export function register() {}\n`,
    "plugins.yaml": "plugins: [plugin.mjs]\nsystems: ['truncate:0.5']\ndatasets: [needle]\n",
    "data.yaml": "systems: ['truncate:0.5']\ndatasets: [needle]\nmaxExamples: 1\n",
    "experiment.yaml": "name: x\nevals: [eval.yaml]\nvariants: { a: {}, b: {} }\n",
    "golden.diff": GOLDEN,
  });
  space.write("eval.yaml", SPEC.replaceAll("RAN", space.path("ran")));
  const flags = { plugins: [space.path("plugin.mjs")], systems: ["truncate:0.5"], datasets: ["needle"] };
  const invocation = { command: "run", cwd: space.dir, configFile: space.path("assay.config.mjs"), flags };
  writeTestRun(space.path("run"), { manifest: { invocation }, rows: [] });
  return space;
}

interface Said {
  code: number | null;
  /** Its output, or the message of the error. */
  text: string;
}

/** Runs a command in a folder. */
async function assayIn(dir: string, ...args: string[]): Promise<Said> {
  const before = process.cwd();
  process.chdir(dir);
  onTestFinished(() => process.chdir(before));
  let text = "";
  const spies = (["stdout", "stderr"] as const).map((name) =>
    vi.spyOn(process[name], "write").mockImplementation((piece) => {
      text += String(piece);
      return true;
    }),
  );
  const restore = () => spies.map((spy) => spy.mockRestore());
  onTestFinished(() => void restore());
  try {
    return { code: await buildProgram(["node", "assay", ...args]).run(), text };
  } catch (error) {
    return { code: null, text: `${text}${error instanceof Error ? error.message : String(error)}` };
  } finally {
    restore();
    process.chdir(before);
  }
}

describe("isTrustedFile", () => {
  it("is true only in the working folder and directly in its parents", () => {
    const { dir } = new TempProject({ "p/q/own.mjs": "", "p/beside/x.mjs": "", "p/up.mjs": "", "p-2/x.mjs": "" });
    const before = process.cwd();
    process.chdir(join(dir, "p", "q"));
    onTestFinished(() => process.chdir(before));
    const own = ["own.mjs", "not/there/yet.mjs", "../up.mjs", join(dir, "p/up.mjs"), "../.assay/runs/r/manifest.json"];
    expect(own.filter(isTrustedFile)).toEqual(own);
    expect(["../beside/x.mjs", join(dir, "p-2/x.mjs"), "/usr/bin/env"].filter(isTrustedFile)).toEqual([]);
    mkdirSync("node_modules");
    symlinkSync(join(dir, "p-2"), "node_modules/linked");
    expect(isTrustedFile("node_modules/linked/x.mjs")).toBe(true);
  });
});

describe("a folder of another project", () => {
  it("is linted without running any of its code, even from within", async () => {
    const { dir, path } = bound(foreign());
    const inside = await assayIn(dir, "lint", "--disable", "EVAL-EXECUTOR");
    expect(inside.text).toContain(`Not run, because lint runs no code: ${path("assay.config.mjs")}`);
    expect(inside.text).toContain("--trust runs it");
    const named = await assayIn(
      new TempProject().dir,
      "lint",
      dir,
      "--config",
      path("plugins.yaml"),
      "--plugin",
      path("plugin.mjs"),
    );
    expect(named.text).toContain("plugin.mjs");
    expect(existsSync(path("ran"))).toBe(false);
    await assayIn(dir, "lint", "--trust");
    expect(existsSync(path("ran"))).toBe(true);
  });

  it.each<[string, (at: (file: string) => string) => string[]]>([
    ["run --config", (at) => ["run", "--dry-run", "--config", at("assay.config.mjs")]],
    ["run --config, YAML with a plugin", (at) => ["run", "--dry-run", "--config", at("plugins.yaml")]],
    ["run --plugin", (at) => ["run", "--dry-run", "--config", at("data.yaml"), "--plugin", at("plugin.mjs")]],
    ["eval --config", (at) => ["eval", "--dry-run", "-e", at("eval.yaml"), "--config", at("assay.config.mjs")]],
    ["oracle --config", (at) => ["oracle", "-e", at("eval.yaml"), "--config", at("assay.config.mjs")]],
    ["datasets --config", (at) => ["datasets", "--config", at("assay.config.mjs")]],
    ["datasets --plugin", (at) => ["datasets", "--plugin", at("plugin.mjs")]],
    ["report --plugin", (at) => ["report", at("run"), "--plugin", at("plugin.mjs")]],
    ["run --resume", (at) => ["run", "--resume", at("run")]],
    ["grade", (at) => ["grade", at("run")]],
  ])("has no code run by %s unless trusted", async (_, args) => {
    const { path } = bound(foreign());
    const mine = new TempProject();
    const refused = await assayIn(mine.dir, ...args(path));
    expect(refused).toMatchObject({
      code: null,
      text: expect.stringMatching(/is outside the current project .*--trust/),
    });
    expect(existsSync(path("ran"))).toBe(false);
    await assayIn(mine.dir, ...args(path), "--trust");
    expect(existsSync(path("ran"))).toBe(true);
  });

  it.each<[string, (at: (file: string) => string) => string[]]>([
    ["eval", (at) => ["eval", "-e", at("eval.yaml")]],
    ["experiment", (at) => ["experiment", "run", at("experiment.yaml")]],
    ["oracle", (at) => ["oracle", "-e", at("eval.yaml")]],
  ])("has no command run by %s unless trusted", async (_, args) => {
    const { path } = bound(foreign());
    const { code, text } = await assayIn(new TempProject().dir, ...args(path));
    expect(text).toMatch(/is outside the current project .*--trust/);
    expect(code).toBe(null);
    expect(existsSync(path("ran"))).toBe(false);
  });

  it("can be planned, because that runs nothing", async () => {
    const { path } = bound(foreign());
    const mine = new TempProject().dir;
    expect((await assayIn(mine, "run", "--dry-run", "--config", path("data.yaml"))).code).toBe(0);
    expect((await assayIn(mine, "eval", "--dry-run", "-e", path("eval.yaml"))).text).not.toContain("--trust");
    expect(existsSync(path("ran"))).toBe(false);
  });

  it.skipIf(isCommandMissing("git"))("is reported by oracle with the commands that it runs", async () => {
    const { path } = bound(foreign());
    const { text } = await assayIn(new TempProject().dir, "oracle", "-e", path("eval.yaml"), "--trust", "--quiet");
    const [setup, grader] = [`touch ${path("ran")}`, `grep -q new a.txt && touch ${path("ran")}`];
    expect(text).toContain(`Runs with your permissions, in temporary folders: ${setup}; ${grader}`);
    expect(existsSync(path("ran"))).toBe(true);
  });
});

it("is trusted once: a run does not store it", async () => {
  const { path } = bound(foreign());
  const mine = new TempProject();
  await assayIn(mine.dir, "run", "--config", path("data.yaml"), "--trust", "--quiet");
  const manifest = readFileSync(mine.path(mine.runs()[0] ?? "", "manifest.json"), "utf8");
  expect(JSON.parse(manifest).invocation.flags).not.toHaveProperty("trust");
});

function bound(space: TempProject): { dir: string; path: (file: string) => string } {
  return { dir: space.dir, path: (file) => space.path(file) };
}
