import { describe, expect, it } from "vitest";
import { UsageError } from "../core/errors.js";
import { Registry } from "../core/registry.js";
import { isDatasetFile, mapSpecPaths, parseDatasetSpec } from "./dataset-spec.js";

const registry = new Registry();
registry.register("dataset", "mmlu", { hasTemplate: true, load: () => [] });
registry.register("dataset", "needle", { load: () => [] });

describe("parseDatasetSpec", () => {
  it.each([
    ["mmlu", { name: "mmlu" }],
    ["mmlu:anatomy", { name: "mmlu", config: "anatomy" }],
    ["mmlu@v1", { name: "mmlu", revision: "v1" }],
    ["mmlu:anatomy@refs/pr/3", { name: "mmlu", config: "anatomy", revision: "refs/pr/3" }],
    ["mmlu=./a.jsonl", { name: "mmlu", files: ["./a.jsonl"] }],
    ["mmlu:law=a.csv,b/c.tsv.gz", { name: "mmlu", config: "law", files: ["a.csv", "b/c.tsv.gz"] }],
    ["needle:lengths=500;depths=0,1", { name: "needle", config: "lengths=500;depths=0,1" }],
    ["needle:x@y", { name: "needle", config: "x@y" }],
  ])("reads %s", (spec, parts) => {
    expect(parseDatasetSpec(spec, registry)).toEqual(parts);
  });

  it("rejects contradictions", () => {
    expect(() => parseDatasetSpec("mmlu@", registry)).toThrow(UsageError);
    expect(() => parseDatasetSpec("mmlu@v1=a.csv", registry)).toThrow(/has a revision and files/);
  });
});

describe("isDatasetFile and mapSpecPaths", () => {
  it.each([
    ["data.jsonl", ["data.jsonl"]],
    ["data.parquet.gz", ["data.parquet.gz"]],
    ["./folder=1/data.csv", ["./folder=1/data.csv"]],
    ["mmlu", []],
    ["needle:lengths=500", []],
    ["gsm8k=test.jsonl", ["test.jsonl"]],
    ["bfcl:simple=a.json,possible_answer/a.json", ["a.json", "possible_answer/a.json"]],
  ])("%s", (spec, paths) => {
    expect(isDatasetFile(spec)).toBe(paths.length === 1 && paths[0] === spec);
    const changed: string[] = [];
    mapSpecPaths(spec, (path) => {
      changed.push(path);
      return path;
    });
    expect(changed).toEqual(paths);
  });
});

describe("ambiguous names", () => {
  it("treats slashes after @ as a revision, and a dot as a folder", () => {
    expect(isDatasetFile("gsm8k@refs/pr/1")).toBe(false);
    expect(isDatasetFile("mmlu:law@refs/pr/1")).toBe(false);
    expect(isDatasetFile("who@host/data.jsonl")).toBe(true);
    expect(isDatasetFile(".")).toBe(true);
  });

  it("rejects files for a dataset without a template", () => {
    expect(() => parseDatasetSpec("needle=x.jsonl", registry)).toThrow(
      /needle does not read files.*Give only the file/,
    );
    expect(() => parseDatasetSpec("lang=en/p.jsonl", registry)).toThrow(
      /there is no dataset "lang".*\.\/lang=en\/p\.jsonl/,
    );
  });
});
