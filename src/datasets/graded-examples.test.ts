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
import { namedFiles } from "./named-files.js";

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
  it("are scored by them, and keep them as they are", async () => {
    const path = jsonl("tasks.jsonl", [{ id: 1, question: "Write add.js", graders: GRADERS, threshold: 0.5 }]);
    for (const load of [loadFile, loadDataset]) {
      const dataset = await load(path, { registry: withGraders() });
      expect(names(dataset.evaluators)).toEqual(["graders"]);
      expect(dataset.examples[0]).toMatchObject({ graders: GRADERS, threshold: 0.5 });
      expect(dataset.fingerprint).toBeDefined();
    }
  });

  it("are compared as text where there are none", async () => {
    const path = jsonl("plain.jsonl", [{ id: 1, question: "Why?", answer: "So.", graders: "three people" }]);
    expect(names((await loadFile(path, { registry: new Registry() })).evaluators)).toEqual(["answer_quality"]);
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

  it("are refused before anything runs when a grader cannot be made", async () => {
    const path = jsonl("bad.jsonl", [{ id: 1, question: "Write it", graders: [{ type: "file-exist" }] }]);
    await expect(loadFile(path, { registry: withGraders() })).rejects.toThrow('Did you mean "file-exists"?');
    await expect(loadFile(path, { registry: new Registry() })).rejects.toThrow(RegistryError);
  });

  it("are scored by them under a name, too, unless the config says otherwise", async () => {
    const path = jsonl("named.jsonl", [{ id: 1, question: "Write add.js", graders: GRADERS }]);
    const registry = withGraders();
    registry.register("evaluator", "own", { name: "own", score: () => ({ own: 1 }) });
    registry.register("dataset", "tasks", namedFiles("tasks", { files: [path] }, registry));
    registry.register("dataset", "other", namedFiles("other", { files: [path], evaluators: ["own"] }, registry));
    expect(names((await loadDataset("tasks", { registry })).evaluators)).toEqual(["graders"]);
    expect(names((await loadDataset("other", { registry })).evaluators)).toEqual(["own"]);
  });
});

describe("environments", () => {
  it("hold the content of what lies beside the file of each example", async () => {
    file("one/app/a.txt", "first");
    file("two/app/a.txt", "second");
    const row = { question: "Do it", environment: { files: [{ src: "app", dest: "." }] } };
    const paths = [jsonl("one/tasks.jsonl", [{ id: 1, ...row }]), jsonl("two/tasks.jsonl", [{ id: 2, ...row }])];
    const { examples, fingerprint } = await loadFiles(paths, { name: "tasks" });
    expect(examples.map(({ environment }) => environment)).toEqual([
      { files: [{ dest: "a.txt", content: "first" }] },
      { files: [{ dest: "a.txt", content: "second" }] },
    ]);
    // The bytes of the dataset's files do not tell what the others hold.
    expect(fingerprint).toBeUndefined();
  });

  it("that cannot be read are refused with the example", async () => {
    const path = jsonl("gone.jsonl", [
      { id: 5, question: "Do it", environment: { files: [{ src: "gone", dest: "." }] } },
    ]);
    const loading = loadFile(path);
    await expect(loading).rejects.toThrow(DatasetError);
    await expect(loading).rejects.toThrow("The example 5: ");
    const misspelt = jsonl("misspelt.jsonl", [
      { id: 5, question: "Do it", environment: { file: [] }, graders: GRADERS },
    ]);
    await expect(loadFile(misspelt, { registry: withGraders() })).rejects.toThrow('unknown key "file"');
  });

  it("are left alone where the column is about something else", async () => {
    const rows = ["forest", { climate: "wet" }].map((environment, id) => ({ id, question: "Where?", environment }));
    const { examples, fingerprint } = await loadFile(jsonl("columns.jsonl", rows));
    expect(examples.map(({ environment }) => environment)).toEqual(["forest", { climate: "wet" }]);
    expect(fingerprint).toBeDefined();
  });
});
