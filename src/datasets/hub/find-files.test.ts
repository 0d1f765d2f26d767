import { afterEach, describe, expect, it } from "vitest";
import { findFiles, type HubFileQuery } from "./find-files.js";
import { TestHub } from "./test-hub.js";

let bench: TestHub | undefined;
afterEach(() => bench?.close());

const filesOf = (paths: readonly string[]) => ({
  files: Object.fromEntries(paths.map((path) => [path, Buffer.from(path)])),
});

interface Layout {
  readonly main: readonly string[];
  readonly converted?: readonly string[];
}

async function begin({ main, converted }: Layout): Promise<TestHub> {
  const branch = converted === undefined ? {} : { "refs/convert/parquet": filesOf(converted) };
  const revisions = { main: filesOf([...main, "README.md", ".gitattributes"]), ...branch };
  bench = await TestHub.start({ repos: { "me/toy": { revisions } } });
  return bench;
}

async function found(layout: Layout, source: Omit<HubFileQuery, "repo">): Promise<string[]> {
  const { paths } = await findFiles((await begin(layout)).openHub(), { repo: "me/toy", ...source });
  return paths;
}

const DECOYS = ["test_matched-0.parquet", "latest-0.parquet", "pretest.parquet", "tests.parquet", "my_test-0.parquet"];
const under = (folder: string) => DECOYS.map((name) => `${folder}${name}`);

describe("Parquet files by the hub's conventions", () => {
  it.each<[string, readonly string[], Omit<HubFileQuery, "repo">, readonly string[]]>([
    [
      "config/split-…",
      ["a/test-00001-of-2.parquet", "a/test-00000-of-2.parquet", "ab/test-0.parquet"],
      { config: "a" },
      ["a/test-00000-of-2.parquet", "a/test-00001-of-2.parquet"],
    ],
    [
      "config/split/…",
      ["a/test/0000.parquet", "a/test/0001.parquet", "a/latest/0.parquet"],
      { config: "a" },
      ["a/test/0000.parquet", "a/test/0001.parquet"],
    ],
    ["data/split-…", ["data/test-0.parquet", "data/train-0.parquet"], {}, ["data/test-0.parquet"]],
    [
      "data/split-… for a config without a folder",
      ["data/test-0.parquet"],
      { config: "default" },
      ["data/test-0.parquet"],
    ],
    ["split-…", ["test-0.parquet", "train-0.parquet"], {}, ["test-0.parquet"]],
    ["one file", ["test.parquet"], {}, ["test.parquet"]],
    ["config/config-split", ["a/a-test.parquet", "a/a-train.parquet"], { config: "a" }, ["a/a-test.parquet"]],
    ["config-split", ["a-test.parquet", "ab-test.parquet", "a-train.parquet"], { config: "a" }, ["a-test.parquet"]],
    [
      "data/config/split-…",
      ["data/a/test-0.parquet", "data/b/test-0.parquet"],
      { config: "a" },
      ["data/a/test-0.parquet"],
    ],
    ["default among several", ["default/test-0.parquet", "other/test-0.parquet"], {}, ["default/test-0.parquet"]],
    ["the only config", ["plain_text/test-0.parquet", "docs/x.md"], {}, ["plain_text/test-0.parquet"]],
    [
      "a config with dots and pluses",
      ["v1.0+x/test-0.parquet", "v1a0+x/test-0.parquet"],
      { config: "v1.0+x" },
      ["v1.0+x/test-0.parquet"],
    ],
  ])("%s", async (_, main, source, expected) => {
    const all = [...main, ...under(""), ...under("data/"), ...under("a/")];
    const configured = source.config === undefined ? [...main, ...under("")] : all;
    expect(await found({ main: configured }, { split: "test", ...source })).toEqual(expected);
  });

  it("asks for the config if several have the split", async () => {
    const main = ["de/test-0.parquet", "en/test-0.parquet"];
    await expect(found({ main }, { split: "test" })).rejects.toThrow(
      'me/toy has the split "test" in several configs. Choose one: de, en.',
    );
  });
});

describe("the branch of conversions", () => {
  const converted = ["a/test/0000.parquet", "a/partial-train/0000.parquet", "ab/train/0000.parquet"];

  it("is used if the repository has no Parquet files", async () => {
    const { hub, server } = { hub: (await begin({ main: ["a.py"], converted })).openHub(), server: bench?.server };
    const { listing, paths } = await findFiles(hub, { repo: "me/toy", config: "a", split: "test" });
    expect(paths).toEqual(["a/test/0000.parquet"]);
    expect(listing.revision).toBe(server?.commit("me/toy", "refs/convert/parquet"));
  });

  it.each([
    [["x/toy-test.parquet", "x/toy-train.parquet"], { config: "x" }, ["x/toy-test.parquet"]],
    [["default/test/0.parquet", "b/test/0.parquet"], {}, ["default/test/0.parquet"]],
    [["only/test/0.parquet", "b/train/0.parquet"], {}, ["only/test/0.parquet"]],
  ])("in %o has %o at %o", async (there, source, expected) => {
    expect(await found({ main: ["toy.py"], converted: there }, { split: "test", ...source })).toEqual(expected);
  });

  it("is not used for another config, a part of a split, or another revision", async () => {
    const layout = { main: ["a.py"], converted };
    await expect(found(layout, { config: "a", split: "train" })).rejects.toThrow(/No file of me\/toy/);
    await bench?.close();
    const { server } = await begin(layout);
    const pinned = { repo: "me/toy", config: "a", split: "test", revision: server.commit("me/toy") };
    const hub = bench?.openHub();
    await expect(hub && findFiles(hub, pinned)).rejects.toThrow(/No file of me\/toy/);
  });
});

describe("files of other formats", () => {
  it.each([
    [["test.jsonl", "test.csv", "latest.jsonl"], {}, ["test.jsonl"]],
    [["data/test.json.gz"], {}, ["data/test.json.gz"]],
    [["a/test.tsv", "test.jsonl"], { config: "a" }, ["a/test.tsv"]],
    [["test_matched.jsonl", "test.csv.gz"], {}, ["test.csv.gz"]],
  ])("of %o with %o are %o", async (main, source, expected) => {
    expect(await found({ main }, { split: "test", ...source })).toEqual(expected);
  });

  it("are found offline although it is unknown whether there are conversions", async () => {
    const hub = (await begin({ main: ["test.jsonl"] })).openHub();
    const online = await findFiles(hub, { repo: "me/toy", split: "test" });
    const offline = bench?.openHub({ offline: true }) ?? hub;
    expect(await findFiles(offline, { repo: "me/toy", split: "test" })).toEqual(online);
    await expect(findFiles(offline, { repo: "me/toy", split: "train" })).rejects.toThrow(/HF_HUB_OFFLINE/);
  });
});

describe("named files", () => {
  const main = ["x/a_1.json", "x/a_2.json", "x/y/a_3.json", "data/test-0.parquet", "b.json"];

  it("come first, in the order of their patterns", async () => {
    const source = { files: ["b.json", "x/a_*.json", "*.json"], split: "test" };
    expect(await found({ main }, source)).toEqual(["b.json", "x/a_1.json", "x/a_2.json"]);
  });

  it("fall back to the split if none of them exists", async () => {
    expect(await found({ main }, { files: ["nope*.json"], split: "test" })).toEqual(["data/test-0.parquet"]);
  });

  it("are an error that lists the existing files if they are missing", async () => {
    await expect(found({ main }, { files: ["nope.json"] })).rejects.toThrow(
      /No file of me\/toy \([0-9a-f]{12}\) fits nope\.json\. It has: b\.json, data\/test-0\.parquet, x\/a_1\.json/,
    );
  });
});

describe("a missing split", () => {
  it("is an error that suggests a config and lists the files", async () => {
    const main = ["english/test-0.parquet", "german/test-0.parquet"];
    await expect(found({ main }, { config: "englich", split: "test" })).rejects.toThrow(
      /holds the split "test" of the config "englich"\. Did you mean the config "english"\? It has: english\/test-0/,
    );
  });
});
