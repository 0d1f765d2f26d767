import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { assay, reportOf } from "./assay.js";
import { lacksIsolation } from "./isolation.js";
import { Workspace } from "./workspace.js";

const PYTHON = { id: "py", question: "Write add(a, b).", language: "python", test: "assert add(1, 2) == 3" };
const JAVASCRIPT = { id: "js", question: "Write add.", language: "javascript", test: "assert.equal(add(1, 2), 3)" };
const OUTPUTS = [
  { id: "py", response: "def add(a, b):\n    return a + b" },
  { id: "js", response: "function add(a, b) { return a + b }" },
];

const SCRIPT = `
import { CodeExecution } from "assay";
const evaluator = new CodeExecution();
const scores = await Promise.all(JSON.parse(process.argv[2]).map(([example, output]) => evaluator.score(example, output)));
if (process.argv[3] === "close") await evaluator.close();
console.log(JSON.stringify(scores));
`;

describe.skipIf(await lacksIsolation())("code_execution in a process of its own", () => {
  const kinds = { Python: [PYTHON], JavaScript: [JAVASCRIPT], both: [PYTHON, JAVASCRIPT] };

  it.each(Object.entries(kinds))("assay run scores %s", async (_, examples) => {
    const recorded = OUTPUTS.filter(({ id }) => examples.some((example) => example.id === id));
    const space = new Workspace({ "tasks.jsonl": examples, "outputs.jsonl": recorded });
    const sources = ["--dataset", "tasks.jsonl", "--replay", "outputs.jsonl"];
    const finished = await assay(space.dir, "run", ...sources, "--evaluator", "code_execution", "--output", "json");
    expect(finished).toMatchObject({ code: 0, signal: null });
    expect(finished.stderr).not.toContain("Warning");
    expect(reportOf(finished).rows.map(({ scores }) => scores.pass_at_1)).toEqual(examples.map(() => 1));
  });

  it.each(["close", "leave"])("ends with a program that uses the library (%s)", async (ending) => {
    const space = new Workspace({ "score.mjs": SCRIPT });
    space.linkAssay();
    const pairs = Array.from({ length: 6 }, () => [JAVASCRIPT, OUTPUTS[1]]);
    const args = ["score.mjs", JSON.stringify(pairs), ending];
    const { stdout, stderr } = await promisify(execFile)(process.execPath, args, { cwd: space.dir, timeout: 30_000 });
    expect(JSON.parse(stdout)).toEqual(pairs.map(() => ({ pass_at_1: 1 })));
    expect(stderr).toBe("");
  });
});
