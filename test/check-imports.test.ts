import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { TempProject } from "../src/testing/temp-project.js";

const SCRIPT = fileURLToPath(new URL("../scripts/check-imports.mjs", import.meta.url));

function check(dir?: string) {
  const { status, stderr } = spawnSync(process.execPath, [SCRIPT, ...(dir === undefined ? [] : [dir])], {
    encoding: "utf8",
    cwd: dir,
  });
  return { status, problems: stderr.split("\n").filter((line) => line !== "") };
}

describe("import rules", () => {
  it("hold in this repository", () => {
    expect(check()).toEqual({ status: 0, problems: [] });
  });

  it("are violated by every kind of wrong import", () => {
    const { dir } = new TempProject({
      "src/index.ts": `export { defineConfig } from "./cli/run-config.js";\nexport * from "./cli/main.js";`,
      "src/public/testing.ts": `export { startMock } from "../testing/mock/index.js";`,
      "src/public/models.ts": `import "../index.js";\nexport { startMock } from "../testing/mock/index.js";`,
      "src/evaluate.ts": `import { run } from "./runner/run.js";\nimport "./cli/main.js";`,
      "src/stats/mean.ts": `import { x } from "../core/x.js";\nimport { readdirSync, readFileSync } from "node:fs";\nimport { y } from "./y.js";`,
      "src/stats/mean.test.ts": `import { it } from "vitest";`,
      "src/core/x.ts": `import { createHash } from "node:crypto";\nimport { mean } from "../stats/mean.js";`,
      "src/runner/run.ts": `import type { X } from "../core/x.js";\nimport type { J } from "../store/journal.js";`,
      "src/store/journal.ts": `import type { Sink } from "../runner/ports.js";\nimport { evaluate } from "../evaluate.js";`,
      "src/report/table.ts": `export const load = () => import("../cli/run.js");`,
      "src/newcomer/x.ts": `import { x } from "../core/x.js";\nimport { y } from "./y.js";`,
      "src/testing/make-x.ts": `import { run } from "../cli/run.js";`,
      "src/evals/x.ts": `import { makeX } from "../testing/make-x.js";`,
      "src/evals/x-testing.ts": `import { makeX } from "../testing/make-x.js";`,
      "src/cli/run.ts": `import { evaluate } from "../evaluate.js";\nimport { makeX } from "../testing/make-x.js";\nimport x from "../../scripts/x.mjs";`,
    });
    const { status, problems } = check(dir);
    expect(status).toBe(1);
    expect(problems).toEqual([
      'src/cli/run.ts:3: imports "../../scripts/x.mjs", but src imports nothing outside of src',
      'src/evals/x.ts:1: imports "../testing/make-x.js", but only tests, the command line and public/testing.ts import src/testing',
      'src/evaluate.ts:2: imports "./cli/main.js", but cli is in a layer above .',
      'src/index.ts:2: imports "./cli/main.js", but cli is in a layer above .',
      'src/newcomer/x.ts:1: imports "../core/x.js", but newcomer has no layer in scripts/check-imports.mjs: give it one',
      'src/public/models.ts:2: imports "../testing/mock/index.js", but only tests, the command line and public/testing.ts import src/testing',
      'src/report/table.ts:1: imports "../cli/run.js", but cli is in a layer above report',
      'src/runner/run.ts:2: imports "../store/journal.js", but store is in a layer above runner',
      'src/stats/mean.ts:1: imports "../core/x.js", but stats imports no other folder',
      'src/stats/mean.ts:2: imports "node:fs", but stats imports nothing from outside',
      'src/store/journal.ts:2: imports "../evaluate.js", but ../evaluate.js is in a layer above store',
    ]);
  });

  it("are violated by folders of one layer that import each other", () => {
    const { dir } = new TempProject({
      "src/store/a.ts": `import "../queue/b.js";`,
      "src/queue/b.ts": `import "../evals/c.js";`,
      "src/evals/c.ts": `import "../store/a.js";\nimport "../report/d.js";`,
      "src/report/d.ts": `import "node:fs";`,
    });
    expect(check(dir).problems).toEqual([
      'src/evals/c.ts:1: imports "../store/a.js", but store imports evals too, through queue',
      'src/queue/b.ts:1: imports "../evals/c.js", but evals imports queue too, through store',
      'src/store/a.ts:1: imports "../queue/b.js", but queue imports store too, through evals',
    ]);
  });

  it("are violated by an import past the index.ts of a folder, unless it is lazy, in a test, or for the page", () => {
    const { dir } = new TempProject({
      "src/core/index.ts": `export { x } from "./x.js";`,
      "src/core/x.ts": "export const x = 1;",
      "src/runner/run.ts": `import { x } from "../core/x.js";\nimport { x as y } from "../core/index.js";`,
      "src/runner/lazy.ts": `export const load = () => import("../core/x.js");`,
      "src/runner/run.test.ts": `import { x } from "../core/x.js";`,
      "src/report/contract.ts": `import type { x } from "../core/x.js";`,
      "web/src/main.tsx": `import type { X } from "../../src/report/contract.js";`,
    });
    expect(check(dir).problems).toEqual([
      'src/runner/run.ts:1: imports "../core/x.js", but core is entered through core/index.ts',
    ]);
  });

  it("are violated by folders of the page that import upwards, sideways or past an index.ts", () => {
    const { dir } = new TempProject({
      "src/core/x.ts": "",
      "web/src/main.tsx": `import "./shell/index.js";\nimport "./styles/index.css";`,
      "web/src/ui/table.tsx": `import "./format.js";\nimport { useSource } from "../data/index.js";`,
      "web/src/charts/trend.tsx": `import "../data/index.js";`,
      "web/src/charts/trend.test.ts": `import "../data/source.js";`,
      "web/src/pages/run/page.tsx": `import "../../ui/index.js";\nimport type { Tab } from "../../ui/tabs.js";`,
    });
    expect(check(dir)).toEqual({
      status: 1,
      problems: [
        'web/src/charts/trend.tsx: imports "../data/index.js", but data is not in a layer below charts',
        'web/src/pages/run/page.tsx: imports "../../ui/tabs.js", but ui is entered through ui/index.ts',
        'web/src/ui/table.tsx: imports "../data/index.js", but data is not in a layer below ui',
      ],
    });
  });

  it("are violated by modules that import each other, unless only types do", () => {
    const { dir } = new TempProject({
      "src/core/a.ts": `import { b } from "./b.js";`,
      "src/core/b.ts": `import { c } from "./c.js";`,
      "src/core/c.ts": `import { a } from "./a.js";`,
      "src/core/d.ts": `import type { E } from "./e.js";`,
      "src/core/e.ts": `import { d } from "./d.js";`,
    });
    expect(check(dir).problems).toEqual([
      'src/core/c.ts:1: imports "./a.js", but that makes a cycle: core/a.ts → core/b.ts → core/c.ts → core/a.ts',
    ]);
  });
});
