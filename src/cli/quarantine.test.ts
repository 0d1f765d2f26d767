import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Evaluator } from "../core/evaluator.js";
import type { Example } from "../core/example.js";
import type { System } from "../core/system.js";
import { evaluate } from "../evaluate.js";
import { RunList } from "../report/dashboard/run-list.js";
import { loadRun } from "../runs/load-run.js";
import { captureOutput } from "../testing/capture-output.js";
import { TempProject } from "../testing/temp-project.js";
import { executeCompare } from "./compare.js";
import { executeQuarantine, type QuarantineFlags } from "./quarantine.js";
import { executeReport } from "./report.js";
import { executeShow } from "./show.js";

const EXACT: Evaluator = {
  name: "exact",
  fields: ["em"],
  score: ({ answer }, { response }) => ({ em: response === answer ? 1 : 0 }),
};
const EXAMPLES: Example[] = ["ada", "bob", "cat", "dog"].map((id) => ({ id, question: `${id}?`, answer: id }));

/** Knows every answer but that of `bob`. */
function makeSystem(name: string): System {
  return { name, process: ({ id, answer = "" }) => ({ response: id === "bob" ? "no idea" : answer }) };
}

/** A stored run of two systems with two trials of each of four examples. */
async function storeRun(): Promise<{ runsDir: string; dir: string }> {
  const project = new TempProject();
  const runsDir = project.path("runs");
  const systems = [makeSystem("old"), makeSystem("new")];
  const { runDir } = await evaluate({ systems, dataset: EXAMPLES, evaluators: [EXACT], trials: 2, runsDir });
  return { runsDir, dir: runDir ?? "" };
}

describe("assay runs quarantine", () => {
  it("leaves trials out of every figure, says how many and why, and keeps their rows", async () => {
    const { runsDir, dir } = await storeRun();
    const quarantine = (trials: string[], flags: Partial<QuarantineFlags> = {}) =>
      captureOutput(() => executeQuarantine("latest", trials, { runsDir, ...flags }));
    const before = readFileSync(join(dir, "rows.jsonl"), "utf8");
    const reason = "the answer key is wrong";
    expect((await quarantine(["bob"], { reason })).stderr).toContain("Put aside: 4 trials.");
    await quarantine(["cat#1"], { reason: "the service was down", system: "new" });

    const note = `put aside, not counted: 5 of 16 trials (4 because "${reason}"; 1 because "the service was down")`;
    const result = await loadRun(dir);
    expect(result.rows).toHaveLength(11);
    expect(result.summary.old).toMatchObject({ pass_rate: 1, num_planned: 6, coverage: 1 });
    expect(result.notes).toContain(note);
    const report = await captureOutput(() => executeReport("latest", { runsDir, output: "json" }));
    expect(JSON.parse(report.stdout).notes).toContain(note);
    expect((await captureOutput(() => executeReport("latest", { runsDir, output: "table" }))).stdout).toContain(
      "put aside, not counted: 5 of 16 trials",
    );

    const compared = await captureOutput(() =>
      executeCompare({ a: "latest", systemA: "old", systemB: "new", seed: 0, output: "json", runsDir }),
    );
    expect(JSON.parse(compared.stdout)).toMatchObject({
      notes: expect.arrayContaining([`A: ${note}`]),
      comparisons: [{ tasks: { paired: 3 } }],
    });

    const list = await captureOutput(() => executeShow({ run: "latest", output: "text", runsDir }));
    expect(list.stdout).not.toContain("bob#0");
    expect(list.stdout).toContain("put aside, not counted: 5 of 16 trials");
    const one = await captureOutput(() =>
      executeShow({ run: "latest", trial: "bob#0", system: "old", output: "text", runsDir }),
    );
    expect(one.stdout).toMatch(/put aside +on \d{4}-\d\d-\d\d, not counted: the answer key is wrong/);

    const { runs } = await new RunList({ runsDir, load: loadRun }).list();
    expect(runs[0]).toMatchObject({ status: "complete", planned: 11, done: 11 });
    expect(readFileSync(join(dir, "rows.jsonl"), "utf8")).toBe(before);

    const listed = await quarantine([]);
    expect(listed.stdout.split("\n").filter((line) => line.endsWith(`: ${reason}`))).toHaveLength(4);
    await quarantine(["bob", "cat"], { undo: true });
    expect((await loadRun(dir)).notes).not.toContainEqual(expect.stringContaining("put aside"));
    expect((await loadRun(dir)).summary.old).toMatchObject({ pass_rate: 0.75, num_planned: 8 });
  });

  it("explains wrong input and writes nothing", async () => {
    const { runsDir, dir } = await storeRun();
    const reason = "odd";
    const wrong: [trials: string[], flags: Partial<QuarantineFlags>, message: string][] = [
      [["bbo"], { reason }, 'no trial "bbo" (among 16 trials). Did you mean "bob"?'],
      [["bob#7"], { reason }, "Of that example there are bob#0, bob#1"],
      [["bob"], {}, '--reason "the answer key is wrong"'],
      [["bob"], { reason: "  " }, "There is no reason."],
      [["bob"], { reason: "a\nb" }, "one line of plain text"],
      [["bob"], { reason: "a".repeat(501) }, "has 501 characters"],
      [["bob"], { reason, system: "odl" }, 'no system "odl". Did you mean "old"?'],
      [["bob"], { reason, dataset: "x" }, 'no dataset "x"'],
      [["bob"], { undo: true }, "is not put aside. No trial of the run is."],
      [["bob"], { undo: true, reason }, "--undo takes no --reason"],
      [[], { reason }, "--reason needs the trials"],
    ];
    for (const [trials, flags, message] of wrong)
      await expect(executeQuarantine("latest", trials, { runsDir, ...flags })).rejects.toThrow(message);
    expect(() => readFileSync(join(dir, "quarantine.jsonl"))).toThrow("ENOENT");
  });

  it("skips lines that cannot be read, and says so if nothing is left to count", async () => {
    const { runsDir, dir } = await storeRun();
    appendFileSync(join(dir, "quarantine.jsonl"), '{"schema":"assay.quarantine/1","sys');
    expect((await loadRun(dir)).rows).toHaveLength(16);
    const all = EXAMPLES.map(({ id }) => String(id));
    await captureOutput(() => executeQuarantine("latest", all, { runsDir, reason: "a dry run" }));
    await expect(loadRun(dir)).rejects.toThrow("is put aside, so there is nothing to count");
    await expect(
      executeCompare({ a: "latest", systemA: "old", systemB: "new", seed: 0, output: "table", runsDir }),
    ).rejects.toThrow("is put aside");
  });
});
