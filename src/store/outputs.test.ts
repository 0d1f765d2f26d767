import { execFileSync } from "node:child_process";
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { makeRow } from "../core/row.js";
import { TempProject } from "../testing/temp-project.js";
import { readOutput, readOutputs } from "./outputs.js";

const output = (exampleId: string | number, response: string, trial = 0) => ({
  system: "s",
  dataset: "d",
  exampleId,
  trial,
  output: { response },
});

describe("readOutputs", () => {
  it("returns the last output of each trial, and none of a torn line", () => {
    const lines = [output(1, "a"), output("1", "b"), output(1, "c", 1), output(1, "d"), output(2, ',"output":')];
    const space = new TempProject({ "outputs.jsonl": lines });
    appendFileSync(space.path("outputs.jsonl"), JSON.stringify(output("1", "never finished")));
    expect([...readOutputs(space.dir)]).toEqual([lines[1], lines[2], lines[3], lines[4]]);
    expect(readOutput(space.dir, makeRow({ ...output("1", ""), outcome: "pass" })).output).toEqual({ response: "b" });
  });

  it("returns what was there at the start, although more is written meanwhile", () => {
    const space = new TempProject({ "outputs.jsonl": [output(1, "a"), output(2, "b")] });
    const outputs = readOutputs(space.dir);
    expect(outputs.next().value).toEqual(output(1, "a"));
    appendFileSync(space.path("outputs.jsonl"), `${JSON.stringify(output(2, "c"))}\n`);
    expect([...outputs]).toEqual([output(2, "b")]);
  });

  it("returns nothing if nothing was written", () => {
    expect([...readOutputs(new TempProject().dir)]).toEqual([]);
  });

  it("reads more outputs than fit into memory", () => {
    const count = 100;
    const space = new TempProject();
    for (let i = 0; i < count; i++)
      appendFileSync(space.path("outputs.jsonl"), `${JSON.stringify(output(i, `${i} ${"x".repeat(1 << 20)}`))}\n`);
    const script = `
      import { createJiti } from "jiti";
      const { readOutputs } = await createJiti(process.cwd()).import(${JSON.stringify(join(import.meta.dirname, "outputs.ts"))});
      let count = 0;
      for (const { output } of readOutputs(${JSON.stringify(space.dir)})) count += output.response.length > 1 << 20 ? 1 : 0;
      console.log(count);`;
    const args = ["--max-old-space-size=64", "--input-type=module", "-e", script];
    const told = execFileSync(process.execPath, args, { encoding: "utf8", cwd: import.meta.dirname });
    expect(Number(told)).toBe(count);
  });
});
