import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DatasetError, RegistryError } from "../core/errors.js";
import type { Evaluator } from "../core/evaluator.js";
import { Registry } from "../core/registry.js";
import { GraderEvaluator } from "../graders/index.js";
import { loadDataset } from "./load-dataset.js";
import { loadFile, loadFiles } from "./load-file.js";
import { createFilesDefinition } from "./named-files.js";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "assay-graded-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, content: string): string {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  return path;
}

function jsonl(name: string, rows: readonly unknown[]): string {
  return file(name, rows.map((row) => JSON.stringify(row)).join("\n"));
}

function withGraders(): Registry {
  const registry = new Registry();
  registry.register("evaluator", "graders", async () => new GraderEvaluator({ registry }));
  return registry;
}

const GRADERS = [{ type: "file-exists", config: { path: "add.js" } }];

function names(evaluators: readonly Evaluator[] | undefined): string[] {
  return (evaluators ?? []).map(({ name }) => name);
}

describe("examples with graders", () => {
  it("are scored by them, and keep them unchanged", async () => {
    const path = jsonl("tasks.jsonl", [{ id: 1, question: "Write add.js", graders: GRADERS, threshold: 0.5 }]);
    for (const load of [loadFile, loadDataset]) {
      const dataset = await load(path, { registry: withGraders() });
      expect(names(dataset.evaluators)).toEqual(["graders"]);
      expect(dataset.examples[0]).toMatchObject({ graders: GRADERS, threshold: 0.5 });
      expect(dataset.fingerprint).toBeDefined();
    }
  });

  it("are compared as text if there are none", async () => {
    const path = jsonl("plain.jsonl", [{ id: 1, question: "Why?", answer: "So.", graders: null }]);
    expect(names((await loadFile(path, { registry: new Registry() })).evaluators)).toEqual(["answer_quality"]);
    const cells = file("plain.csv", "id,question,answer,graders\n1,Why?,So.,\n");
    expect(names((await loadFile(cells, { registry: new Registry() })).evaluators)).toEqual(["answer_quality"]);
  });

  it.each([
    ["text.jsonl", '{"id":1,"question":"Why?","graders":"three people"}', ":1", 'has the string "three people"'],
    ["cell.csv", 'id,question,graders\n1,Why?,"[{""type"":""completed""}]"', ":2", "has the string "],
    ["object.json", '[{"id":1,"question":"Why?","graders":{"type":"completed"}}]', " row 1", "has an object"],
  ])("are rejected with their place if they are not a list: %s", async (name, content, place, words) => {
    const loading = loadFile(file(name, content), { registry: withGraders() });
    await expect(loading).rejects.toThrow(DatasetError);
    await expect(loading).rejects.toThrow(`${name}${place}: the row ${words}`);
    await expect(loading).rejects.toThrow('and not a list in "graders"');
  });

  it("are skipped with their row if bad rows are", async () => {
    const path = jsonl("skipped.jsonl", [
      { id: 1, question: "Write it", graders: "some" },
      { id: 2, question: "Write it", graders: GRADERS, environment: "a forest" },
      { id: 3, question: "Write it", graders: GRADERS },
    ]);
    const { examples, notes } = await loadFile(path, { registry: withGraders(), skipBadRows: true });
    expect(examples.map(({ id }) => id)).toEqual([3]);
    expect(notes).toEqual([expect.stringContaining(`2 bad rows skipped (first: ${path}:1: the row has the string`)]);
  });

  it("cannot be mixed with others", async () => {
    const path = jsonl("mixed.jsonl", [
      { id: 1, question: "Write add.js", graders: GRADERS },
      { id: "two", question: "Why?", answer: "So." },
    ]);
    const loading = loadFile(path, { registry: withGraders() });
    await expect(loading).rejects.toThrow(DatasetError);
    await expect(loading).rejects.toThrow('1 of 2 examples have graders, but "two" has none');
  });

  it("are rejected before anything runs if a grader cannot be created", async () => {
    const path = jsonl("bad.jsonl", [{ id: 1, question: "Write it", graders: [{ type: "file-exist" }] }]);
    await expect(loadFile(path, { registry: withGraders() })).rejects.toThrow('Did you mean "file-exists"?');
    await expect(loadFile(path, { registry: new Registry() })).rejects.toThrow(RegistryError);
  });

  it("are also scored by them as a named dataset, unless the config overrides it", async () => {
    const path = jsonl("named.jsonl", [{ id: 1, question: "Write add.js", graders: GRADERS }]);
    const registry = withGraders();
    registry.register("evaluator", "own", { name: "own", score: () => ({ own: 1 }) });
    registry.register("dataset", "tasks", createFilesDefinition("tasks", { files: [path] }, registry));
    registry.register(
      "dataset",
      "other",
      createFilesDefinition("other", { files: [path], evaluators: ["own"] }, registry),
    );
    expect(names((await loadDataset("tasks", { registry })).evaluators)).toEqual(["graders"]);
    expect(names((await loadDataset("other", { registry })).evaluators)).toEqual(["own"]);
  });
});

describe("environments", () => {
  it("contain the files beside the file of each example", async () => {
    file("one/app/a.txt", "first");
    file("two/app/a.txt", "second");
    const row = { question: "Do it", environment: { files: [{ src: "app", dest: "." }] } };
    const paths = [jsonl("one/tasks.jsonl", [{ id: 1, ...row }]), jsonl("two/tasks.jsonl", [{ id: 2, ...row }])];
    const { examples, fingerprint } = await loadFiles(paths, { name: "tasks" });
    expect(examples.map(({ environment }) => environment)).toEqual([
      { files: [{ dest: "a.txt", content: "first" }] },
      { files: [{ dest: "a.txt", content: "second" }] },
    ]);
    // The bytes of the dataset's files do not cover the other files.
    expect(fingerprint).toBeUndefined();
  });

  it("are rejected with the example if they cannot be read", async () => {
    const path = jsonl("gone.jsonl", [
      { id: 5, question: "Do it", environment: { files: [{ src: "gone", dest: "." }] } },
    ]);
    const loading = loadFile(path);
    await expect(loading).rejects.toThrow(DatasetError);
    await expect(loading).rejects.toThrow(`${path}:1: the example 5: "gone" of an example's environment`);
    const misspelt = jsonl("misspelt.jsonl", [
      { id: 5, question: "Do it", environment: { file: [] }, graders: GRADERS },
    ]);
    await expect(loadFile(misspelt, { registry: withGraders() })).rejects.toThrow(
      `${misspelt}:1: the row cannot be used: environment has an unknown key "file"`,
    );
  });

  it("must be objects if an example has graders", async () => {
    const path = jsonl("no-object.jsonl", [
      { id: 4, question: "Do it", graders: GRADERS },
      { id: 5, question: "Do it", environment: ["a forest"], graders: GRADERS },
    ]);
    await expect(loadFile(path, { registry: withGraders() })).rejects.toThrow(
      `${path}:2: the row cannot be used: environment is an array, not an object. Fix the row`,
    );
  });

  it("are ignored if the column is unrelated", async () => {
    const rows = ["forest", { climate: "wet" }].map((environment, id) => ({ id, question: "Where?", environment }));
    const { examples, fingerprint } = await loadFile(jsonl("columns.jsonl", rows));
    expect(examples.map(({ environment }) => environment)).toEqual(["forest", { climate: "wet" }]);
    expect(fingerprint).toBeDefined();
  });
});
