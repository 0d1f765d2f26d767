import { appendFileSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RunFolderError } from "../../core/errors.js";
import type { TrialKey } from "../../core/row.js";
import { encodeKey } from "../../store/row-codec.js";
import { TrialFiles } from "./trial-files.js";
import { createEmptyFolder, type WrittenTrial, writeRunFolder } from "./trial-testing.js";

const HOSTILE = fc.oneof(
  fc.string({ unit: "binary", maxLength: 8 }),
  fc.constantFrom(',"output":', "\\", '"', "\u2028", "id\n", "é".repeat(600), "x".repeat(2000)),
);

function trial(exampleId: string | number, response: string, more: Partial<TrialKey> = {}): WrittenTrial {
  return { row: { system: "a", dataset: "d", outcome: "pass", ...more, exampleId }, output: { response } };
}

const key = (exampleId: string | number): TrialKey => ({ system: "a", dataset: "d", exampleId, trial: 0 });

describe("TrialFiles", () => {
  it("finds each trial by its key, whatever that is", async () => {
    const aKey = fc.record({
      system: HOSTILE,
      dataset: HOSTILE,
      exampleId: fc.oneof(HOSTILE, fc.integer()),
      trial: fc.nat(3),
    });
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(aKey, { selector: encodeKey, maxLength: 12 }), async (keys) => {
        const dir = createEmptyFolder();
        const trials = keys.map((each, i) => trial(each.exampleId, `answer ${i}`, each));
        const examples = keys.map(({ dataset, exampleId }) => ({ id: exampleId, dataset, question: "?" }));
        writeRunFolder(dir, trials, examples);
        const files = new TrialFiles();
        for (const [i, each] of keys.entries()) {
          expect((await files.readOutput(dir, each))?.output).toEqual({ response: `answer ${i}` });
          expect(await files.readExample(dir, each)).toEqual({
            id: each.exampleId,
            dataset: each.dataset,
            question: "?",
          });
        }
        expect(await files.readOutput(dir, key("not there"))).toBeNull();
      }),
      { numRuns: 40 },
    );
  });

  it("distinguishes the number 1 from the text 1 and from 12", async () => {
    const dir = createEmptyFolder();
    const ids = [12, "1", 1];
    const trials = ids.map((id) => trial(id, JSON.stringify(id)));
    writeRunFolder(
      dir,
      trials,
      ids.map((id) => ({ id, dataset: "d", question: JSON.stringify(id) })),
    );
    const files = new TrialFiles();
    for (const id of ids) {
      expect((await files.readOutput(dir, key(id)))?.output.response).toBe(JSON.stringify(id));
      expect((await files.readExample(dir, key(id)))?.question).toBe(JSON.stringify(id));
    }
  });

  it("reads on after a run has continued, and uses the last output of a trial", async () => {
    const dir = createEmptyFolder();
    writeRunFolder(dir, [trial(1, "first"), trial(2, "two")]);
    const files = new TrialFiles();
    expect((await files.readOutput(dir, key(1)))?.output.response).toBe("first");
    // A line that is being written has no end yet.
    appendFileSync(join(dir, "outputs.jsonl"), `{${encodeKey(key(3))},"output":{"resp`);
    expect(await files.readOutput(dir, key(3))).toBeNull();
    appendFileSync(join(dir, "outputs.jsonl"), 'onse":"three"}}\n');
    writeRunFolder(dir, [trial(1, "second")]);
    expect((await files.readOutput(dir, key(3)))?.output.response).toBe("three");
    expect((await files.readOutput(dir, key(1)))?.output.response).toBe("second");
    expect((await files.readOutput(dir, key(2)))?.output.response).toBe("two");
  });

  it("notices a replaced file, also one with the same inode", async () => {
    const dir = createEmptyFolder();
    writeRunFolder(dir, [trial(1, "one"), trial(2, "two")]);
    const files = new TrialFiles();
    await files.readOutput(dir, key(1));
    const path = join(dir, "outputs.jsonl");
    const [first = "", second = ""] = readFileSync(path, "utf8").trim().split("\n");
    const third = second.replace('"exampleId":2', '"exampleId":3');
    writeFileSync(path, `${second}\n${third}\n${first}\n`);
    expect((await files.readOutput(dir, key(2)))?.output.response).toBe("two");
    writeFileSync(`${path}.new`, `${third}\n${first}\n${second}\n${first}\n`);
    renameSync(`${path}.new`, path);
    expect((await files.readOutput(dir, key(1)))?.output.response).toBe("one");
  });

  it("reads outputs in separate files", async () => {
    const dir = createEmptyFolder();
    const long = "é".repeat(2_000_000);
    writeRunFolder(dir, [trial(1, long), trial(2, "short")]);
    const files = new TrialFiles();
    expect((await files.readOutput(dir, key(1)))?.output.response).toBe(long);
    expect((await files.readOutput(dir, key(2)))?.output.response).toBe("short");
  });

  it("indexes a file once for concurrent requests", async () => {
    const dir = createEmptyFolder();
    writeRunFolder(
      dir,
      Array.from({ length: 3000 }, (_, i) => trial(i, `${i} ${"x".repeat(500)}`)),
    );
    const files = new TrialFiles();
    const found = await Promise.all(Array.from({ length: 200 }, (_, i) => files.readOutput(dir, key(i * 15))));
    expect(found.map((each) => each?.output.response?.split(" ")[0])).toEqual(found.map((_, i) => String(i * 15)));
  });

  it("names the damaged trial, and keeps the others", async () => {
    const dir = createEmptyFolder();
    writeRunFolder(dir, [trial(1, "one")]);
    appendFileSync(join(dir, "outputs.jsonl"), `{${encodeKey(key(2))},"output":{"resp\nnonsense\n`);
    const files = new TrialFiles();
    await expect(files.readOutput(dir, key(2))).rejects.toThrow(RunFolderError);
    expect((await files.readOutput(dir, key(1)))?.output.response).toBe("one");
  });

  it("returns null where nothing is stored", async () => {
    const files = new TrialFiles();
    const dir = createEmptyFolder();
    expect(await files.readOutput(dir, key(1))).toBeNull();
    expect(await files.readExample(dir, key(1))).toBeNull();
  });
});
