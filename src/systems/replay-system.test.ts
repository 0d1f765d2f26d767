import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DatasetError, ShapeError, TrialError } from "../core/errors.js";
import type { Example } from "../core/example.js";
import type { TrialContext } from "../core/system.js";
import { type ReplayRecord, ReplaySystem } from "./replay.js";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "assay-replay-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

function file(lines: readonly unknown[], name = "outputs.jsonl"): string {
  const path = join(folder, name);
  writeFileSync(path, lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line))).join("\n"));
  return path;
}

const trial = (number = 0): TrialContext => ({
  signal: new AbortController().signal,
  budget: null,
  trial: number,
  seed: 0,
  log: () => {},
});
const replay = (...records: ReplayRecord[]) => new ReplaySystem({ name: "r", records });

describe("ReplaySystem", () => {
  it("replays a recorded file, including other fields", async () => {
    const system = await ReplaySystem.fromFile(
      file([
        {
          id: "a",
          response: "A",
          usage: { input: 3, output: 2, cache_read: 1 },
          cost_usd: 0.5,
          latency: 1.25,
          model: "m",
        },
        { id: 2, context: "short" },
        { id: "n", response: null, usage: null, cost_usd: null, latency: null, trial: null },
      ]),
    );
    expect(system.name).toBe("outputs");
    expect(system.process({ id: "a" }, trial())).toEqual({
      response: "A",
      usage: { input: 3, output: 2, cacheRead: 1 },
      costUsd: 0.5,
      latency: 1.25,
      metadata: { model: "m" },
    });
    expect(system.process({ id: 2 }, trial())).toEqual({ context: "short" });
    expect(system.process({ id: "n" }, trial())).toEqual({ response: "" });
  });

  it("matches ids as strings", () => {
    const system = replay({ id: 1, response: "one" }, { id: "2", response: "two" });
    expect(system.process({ id: "1" }, trial())).toEqual({ response: "one" });
    expect(system.process({ id: 2 }, trial())).toEqual({ response: "two" });
  });

  it("prefers the record of the trial over the one for all trials", () => {
    const system = replay({ id: 1, response: "any" }, { id: 1, trial: 1, response: "second" });
    expect([0, 1, 2].map((number) => system.process({ id: 1 }, trial(number)).response)).toEqual([
      "any",
      "second",
      "any",
    ]);
  });

  it("does not confuse an id with another id's trial", () => {
    const system = replay({ id: "1:2", response: "x" });
    expect(() => system.process({ id: "2" }, trial(1))).toThrow(TrialError);
  });

  it("fails a trial without a record with a system error", () => {
    const system = replay({ id: 1, trial: 0, response: "x" });
    expect(() => system.process({ id: 1 }, trial(3))).toThrow(/"r" has no recorded output for example "1", trial 3/);
    expect(() => system.process({ id: 9 }, trial())).toThrow(expect.objectContaining({ category: "system_error" }));
  });

  describe("for a question with shuffled options", () => {
    // The file has w, x, y, z; the example shows them as y, w, z, x.
    const example = {
      id: 1,
      question: "Which?\n\nA. y\nB. w\nC. z\nD. x\n\nAnswer.",
      choices: ["y", "w", "z", "x"],
      choice_order: [2, 0, 3, 1],
      answer: "x",
      answer_index: 3,
    };
    const order = (record: object, asked: Example = example) =>
      replay({ id: 1, response: "B", ...record }).process(asked, trial()).choice_order;

    it("uses the order of the file if the record has none", () => {
      expect(order({})).toEqual([0, 1, 2, 3]);
      expect(order({ choices: null, choice_order: null })).toEqual([0, 1, 2, 3]);
    });

    it("uses the order in the record", () => {
      expect(order({ choice_order: [3, 2, 1, 0] })).toEqual([3, 2, 1, 0]);
      expect(order({ choices: ["z", " y", "x", "w"] })).toEqual([3, 2, 1, 0]);
    });

    it("rejects an order of other options", () => {
      expect(() => order({ choices: ["z", "y", "x", "v"] })).toThrow(/"choices" of example "1" are not the 4 options/);
      expect(() => order({ choices: ["z", "z", "x", "w"] })).toThrow(TrialError);
      expect(() => order({ choice_order: [0, 1, 2] })).toThrow(/"choice_order" of example "1"/);
      expect(() => order({ choice_order: "x" })).toThrow(/has the string "x" as its "choice_order"/);
      expect(() => order({ choices: [1] })).toThrow(/as its "choices"/);
    });

    it("finds the options of any example by their texts", () => {
      const { choice_order: _, ...unshuffled } = example;
      expect(order({}, unshuffled)).toBeUndefined();
      expect(order({ choices: ["w", "x", "y", "z"] }, unshuffled)).toEqual([1, 3, 0, 2]);
    });

    it("counts the records without an order", () => {
      const system = replay({ id: 1, response: "B" }, { id: 2, response: "B", choices: ["y", "w", "z", "x"] });
      expect(system.countUnknownOrders([example, { ...example, id: 2 }, { ...example, id: 3 }])).toBe(1);
      expect(system.countUnknownOrders([{ id: 1, question: "q" }])).toBe(0);
    });
  });

  it("reports missing and unknown records before a run", () => {
    const system = replay({ id: 1, response: "x" }, { id: "2", trial: 0, response: "y" }, { id: 7, response: "z" });
    expect(system.coverage(["1", 2, "three"])).toEqual({ missing: ["three"], unknown: ["7"] });
    expect(system.coverage(["1", 2], 2)).toEqual({ missing: [2], unknown: ["7"] });
    expect(system.coverage([])).toEqual({ missing: [], unknown: ["1", "2", "7"] });
  });

  it.each([
    [
      "a repeated id",
      [{ id: 1, response: "a" }, "", { id: "1", response: "b" }],
      /outputs\.jsonl:3: the record repeats the id "1" of .*outputs\.jsonl:1;/,
    ],
    [
      "a repeated trial",
      [
        { id: 1, trial: 0, response: "a" },
        { id: 1, trial: 0, response: "b" },
      ],
      /:2: the record repeats the id "1", trial 0, of .*:1;/,
    ],
    ["a malformed line", [{ id: 1, response: "a" }, "{oops"], /outputs\.jsonl:2: the record is not valid JSON/],
    ["a line that is no object", ["[1]"], /:1: the record is an array/],
    ["no id", [{ response: "a" }], /:1: the record has no "id"/],
    ["an empty id", [{ id: "", response: "a" }], /has no "id"/],
    ["an object as id", [{ id: {}, response: "a" }], /has no "id"/],
    ["nothing recorded", [{ id: 1, cost_usd: 1 }], /has neither a "response" nor a "context"/],
    ["a null context alone", [{ id: 1, context: null }], /has neither/],
    ["a number as response", [{ id: 1, response: 4 }], /has the number 4 as its "response"/],
    ["a list as context", [{ id: 1, context: [] }], /has an array as its "context"/],
    ["half a trial", [{ id: 1, trial: 0.5, response: "a" }], /trials are whole numbers from 0/],
    ["a negative trial", [{ id: 1, trial: -1, response: "a" }], /trials are whole numbers from 0/],
    ["text as cost", [{ id: 1, response: "a", cost_usd: "1" }], /has the string "1" as its "cost_usd"/],
    ["a negative latency", [{ id: 1, response: "a", latency: -1 }], /as its "latency"/],
    ["half a usage", [{ id: 1, response: "a", usage: { input: 1 } }], /has a "usage" that is not/],
    [
      "a wrong cache count",
      [{ id: 1, response: "a", usage: { input: 1, output: 1, cacheRead: "x" } }],
      /has a "usage"/,
    ],
    ["nothing at all", [], /is empty: it contains no recorded outputs/],
  ])("rejects a file with %s", async (_, lines, message) => {
    const path = file(lines);
    await expect(ReplaySystem.fromFile(path)).rejects.toThrow(DatasetError);
    await expect(ReplaySystem.fromFile(path)).rejects.toThrow(message);
  });

  it("names the invalid record and an unreadable file", async () => {
    expect(() => replay({ id: 1, response: "a" }, { id: 1, response: "b" })).toThrow(
      /^Record 2 of "r": the record repeats the id "1" of Record 1 of "r"/,
    );
    await expect(ReplaySystem.fromFile(join(folder, "missing.jsonl"))).rejects.toThrow(/File not found/);
    expect(() => new ReplaySystem({ name: "", records: [] })).toThrow(ShapeError);
  });

  it("is identified by its content, not by its path", async () => {
    const lines = [{ id: 1, response: "a" }];
    const one = await ReplaySystem.fromFile(file(lines, "one.jsonl"), { name: "n" });
    const two = await ReplaySystem.fromFile(file(lines, "two.jsonl"), { name: "n" });
    const other = await ReplaySystem.fromFile(file([{ id: 1, response: "b" }], "three.jsonl"), { name: "n" });
    expect(one.name).toBe("n");
    expect(one.fingerprint()).toBe(two.fingerprint());
    expect(one.fingerprint()).not.toBe(other.fingerprint());
    const marked = file([`\uFEFF${JSON.stringify(lines[0])}`, ""], "marked.jsonl");
    const whole = createHash("sha256").update(readFileSync(marked)).digest("hex");
    expect((await ReplaySystem.fromFile(marked)).fingerprint()).toBe(whole);
    expect(replay({ id: 1, response: "a" }).fingerprint()).toBe(replay({ id: 1, response: "a" }).fingerprint());
    expect(replay({ id: 1, response: "a" }).fingerprint()).not.toBe(replay({ id: 1, response: "b" }).fingerprint());
  });
});
