import { spawn } from "node:child_process";
import {
  appendFileSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { TrialLabel } from "./contract.js";
import { appendTrialLabel, readTrialLabels, TRIAL_LABELS_FILE } from "./trial-labels.js";

let dir = "";

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "assay-trial-labels-"));
});

afterEach(() => rmSync(dir, { recursive: true, force: true }));

function label(known: Partial<TrialLabel> = {}): TrialLabel {
  const key = { system: "a", dataset: "qa", exampleId: 1, trial: 0 };
  const said = { verdict: "right" as const, note: "", tags: [], blind: false, labeler: null };
  return { ...key, ...said, at: "2026-11-18T10:00:00.000Z", ...known };
}

const path = () => join(dir, TRIAL_LABELS_FILE);

describe("labels of trials", () => {
  it("are none without a file", () => {
    expect(readTrialLabels(dir)).toEqual([]);
  });

  it("keep the last of each trial; the number 1 and the text 1 are two examples", () => {
    appendTrialLabel(dir, label());
    appendTrialLabel(dir, label({ exampleId: "1", note: "odd\nquestion", tags: ["hard"], labeler: "Ann" }));
    appendTrialLabel(dir, label({ verdict: "wrong" }));
    expect(readTrialLabels(dir)).toEqual([
      label({ verdict: "wrong" }),
      label({ exampleId: "1", note: "odd\nquestion", tags: ["hard"], labeler: "Ann" }),
    ]);
    expect(readFileSync(path(), "utf8").trim().split("\n")).toHaveLength(3);
  });

  it("leave out a label that was cleared, but keep a note without a verdict", () => {
    appendTrialLabel(dir, label());
    appendTrialLabel(dir, label({ verdict: null }));
    appendTrialLabel(dir, label({ trial: 1, verdict: null, note: "ask again" }));
    expect(readTrialLabels(dir)).toEqual([label({ trial: 1, verdict: null, note: "ask again" })]);
  });

  it("ignore a torn last line, which does not damage the next one", () => {
    appendTrialLabel(dir, label());
    appendFileSync(path(), '{"schema":"assay.trial-label/1","system":"a","dat');
    expect(readTrialLabels(dir)).toEqual([label()]);
    appendTrialLabel(dir, label({ trial: 1 }));
    expect(readTrialLabels(dir)).toEqual([label(), label({ trial: 1 })]);
  });

  it("skip lines that are not labels", () => {
    writeFileSync(path(), '\nnull\n[]\n{"schema":"other/1"}\n{"schema":"assay.trial-label/1","verdict":"maybe"}\n');
    expect(readTrialLabels(dir)).toEqual([]);
  });

  it("are not written through links", () => {
    const outside = join(dir, "outside");
    writeFileSync(outside, "mine\n");
    for (const [name, link] of [
      ["soft", symlinkSync],
      ["hard", linkSync],
    ] as const) {
      const run = join(dir, name);
      mkdirSync(run);
      link(outside, join(run, TRIAL_LABELS_FILE));
      expect(() => appendTrialLabel(run, label())).toThrow("cannot be written");
    }
    mkdirSync(join(dir, "real"));
    symlinkSync(join(dir, "real"), join(dir, "alias"));
    expect(() => appendTrialLabel(join(dir, "alias"), label())).toThrow("the run folder is a link");
    expect(readFileSync(outside, "utf8")).toBe("mine\n");
  });

  it("are all kept when several processes write at once", async () => {
    const line = JSON.stringify({ schema: "assay.trial-label/1", ...label({ system: "other" }) });
    const script = `const fs = require("node:fs");
      for (let trial = 0; trial < 200; trial++)
        fs.appendFileSync(process.argv[1], JSON.stringify({ ...JSON.parse(process.argv[2]), trial }) + "\\n");`;
    const child = spawn(process.execPath, ["-e", script, path(), line]);
    const ended = new Promise((resolve) => child.on("exit", resolve));
    for (let trial = 0; trial < 200; trial++) {
      appendTrialLabel(dir, label({ trial }));
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(await ended).toBe(0);
    expect(readTrialLabels(dir)).toHaveLength(400);
  });
});
