import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { Workspace } from "../src/testing/workspace.js";

const SCRIPT = fileURLToPath(new URL("../scripts/check-imports.mjs", import.meta.url));

function check(dir?: string) {
  const { status, stderr } = spawnSync(process.execPath, [SCRIPT, ...(dir === undefined ? [] : [dir])], {
    encoding: "utf8",
    cwd: dir,
  });
  return { status, problems: stderr.split("\n").filter((line) => line !== "") };
}

describe("the import direction", () => {
  it("holds in this repository", () => {
    expect(check()).toEqual({ status: 0, problems: [] });
  });

  it("is broken by every kind of wrong import", () => {
    const { dir } = new Workspace({
      "src/index.ts": `export { defineConfig } from "./cli/run-config.js";\nexport * from "./cli/main.js";`,
      "src/evaluate.ts": `import { run } from "./runner/run.js";\nimport "./cli/main.js";`,
      "src/stats/mean.ts": `import { x } from "../core/x.js";\nimport { readdirSync, readFileSync } from "node:fs";\nimport { y } from "./y.js";`,
      "src/stats/mean.test.ts": `import { it } from "vitest";`,
      "src/core/x.ts": `import { createHash } from "node:crypto";\nimport { mean } from "../stats/mean.js";`,
      "src/runner/run.ts": `import type { X } from "../core/x.js";\nimport { mean } from "../stats/mean.js";\nimport type { J } from "../store/journal.js";`,
      "src/store/journal.ts": `import type { Sink } from "../runner/ports.js";\nimport { evaluate } from "../evaluate.js";`,
      "src/report/table.ts": `export const load = () => import("../cli/run.js");`,
      "src/metrics/mean.ts": `import { journal } from "../store/journal.js";`,
      "src/evaluators/judge.ts": `import { run } from "../runner/run.js";`,
      "src/newcomer/x.ts": `import { x } from "../core/x.js";\nimport { y } from "./y.js";`,
      "src/testing/make-x.ts": `import { run } from "../cli/run.js";`,
      "src/views/x.ts": `import { makeX } from "../testing/make-x.js";`,
      "src/views/x-testing.ts": `import { makeX } from "../testing/make-x.js";`,
      "src/cli/run.ts": `import { evaluate } from "../evaluate.js";\nimport { table } from "../report/table.js";\nimport x from "../../scripts/x.mjs";`,
    });
    const { status, problems } = check(dir);
    expect(status).toBe(1);
    expect(problems).toEqual([
      'src/cli/run.ts:3: imports "../../scripts/x.mjs", but src imports nothing outside of src',
      'src/core/x.ts:2: imports "../stats/mean.js", but core may import only core',
      'src/evaluate.ts:2: imports "./cli/main.js", but nothing imports the command line',
      'src/evaluators/judge.ts:1: imports "../runner/run.js", but evaluators may import only evaluators, core, workers, sandbox',
      'src/index.ts:2: imports "./cli/main.js", but nothing imports the command line',
      'src/metrics/mean.ts:1: imports "../store/journal.js", but metrics may import only metrics, core, stats',
      'src/newcomer/x.ts:1: imports "../core/x.js", but newcomer has no rule in scripts/check-imports.mjs: give it one',
      'src/report/table.ts:1: imports "../cli/run.js", but nothing imports the command line',
      'src/runner/run.ts:3: imports "../store/journal.js", but runner may import only runner, core, stats',
      'src/stats/mean.ts:1: imports "../core/x.js", but stats may import only stats',
      'src/stats/mean.ts:2: imports "node:fs", but stats imports nothing from outside',
      'src/store/journal.ts:2: imports "../evaluate.js", but only the command line and the files beside it import a file directly in src',
      'src/views/x.ts:1: imports "../testing/make-x.js", but only tests import src/testing',
    ]);
  });

  it("is what docs/architecture.md says of every folder", () => {
    const documented = documentedRules();
    const folders = [...documented.keys()];
    const inSrc = readdirSync(new URL("../src", import.meta.url), { withFileTypes: true });
    const there = inSrc.filter((entry) => entry.isDirectory()).map(({ name }) => name);
    expect(["testing", ...folders].sort()).toEqual(["", ...there].sort());
    const pathTo = (folder: string) => (folder === "" ? "../x.js" : `../${folder}/x.js`);
    const everything = folders.map((folder) => `import "${pathTo(folder)}";`).join("\n");
    const files = folders.map((folder) => [
      folder === "" ? "src/y.ts" : `src/${folder}/y.ts`,
      folder === "" ? everything.replaceAll("../", "./") : everything,
    ]);
    const { problems } = check(new Workspace(Object.fromEntries(files)).dir);
    // The sentence above the table: every folder but stats may import utils.
    const mayImport = (from: string, to: string) =>
      to === from || (to === "utils" && from !== "stats") || documented.get(from)?.includes(to);
    const refused = folders.flatMap((from) =>
      folders.filter((to) => !mayImport(from, to)).map((to) => `${from || "."} → ${to || "."}`),
    );
    const found = problems.map((problem) => {
      const [, file = "", target = ""] = /^src\/(\S+?):\d+: imports "(\S+)"/.exec(problem) ?? [];
      const to = target.replace(/^\.+\//, "");
      return `${file.includes("/") ? file.split("/")[0] : "."} → ${to.includes("/") ? to.split("/")[0] : "."}`;
    });
    expect(found.sort()).toEqual(refused.sort());
  });
});

/** The table of import rules, with "" for the files directly in src. */
function documentedRules(): Map<string, readonly string[]> {
  const text = readFileSync(new URL("../docs/architecture.md", import.meta.url), "utf8");
  const section = text.slice(text.indexOf("## Import direction"));
  const lines = [...section.matchAll(/^\| `([^`]+)` +\| ([^|]+) \|/gm)];
  const folders = lines.map(([, folder = ""]) => (folder === "src/*.ts" ? "" : folder));
  return new Map(
    lines.map(([, , cell = ""], i) => {
      const named = [...cell.matchAll(/`(\w+)`/g)].map(([, name = ""]) => name);
      const rule = cell.startsWith("everything") ? folders.filter((folder) => !named.includes(folder)) : named;
      return [folders[i] ?? "", rule];
    }),
  );
}
