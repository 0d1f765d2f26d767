import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createZip } from "../../testing/write-zip.js";
import { type HubPlan, type ScriptedHub, startScriptedHub } from "../hub/scripted-hub.js";
import type { CatalogEntry, HubSource } from "./entry.js";
import { loadEntry } from "./load-entry.js";
import { requireText } from "./row-fields.js";

const folder = mkdtempSync(join(tmpdir(), "assay-open-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let hub: ScriptedHub | undefined;
let count = 0;
beforeEach(() => {
  count += 1;
  const own = join(folder, `test-${count}`);
  mkdirSync(join(own, "temporary"), { recursive: true });
  vi.stubEnv("ASSAY_DATASETS_CACHE", join(own, "cache"));
  vi.stubEnv("TMPDIR", join(own, "temporary"));
});
afterEach(async () => {
  const left = readdirSync(process.env.TMPDIR ?? "");
  vi.unstubAllEnvs();
  await hub?.close();
  expect(left).toEqual([]);
});

type Files = Readonly<Record<string, string | Buffer>>;

interface Serving extends Pick<HubPlan, "faults"> {
  converted?: Files;
  isPrivate?: boolean;
}

async function serve(files: Files, { converted, isPrivate = false, faults = [] }: Serving = {}): Promise<ScriptedHub> {
  const bytesOf = (texts: Files) =>
    Object.fromEntries(Object.entries(texts).map(([path, content]) => [path, Buffer.from(content)]));
  const revisions = {
    main: { files: bytesOf(files) },
    ...(converted === undefined ? {} : { "refs/convert/parquet": { files: bytesOf(converted) } }),
  };
  hub = await startScriptedHub({ repos: { "me/toy": { revisions, isPrivate } }, faults });
  vi.stubEnv("HF_ENDPOINT", hub.url);
  return hub;
}

function entryOf(source: HubSource): CatalogEntry {
  return {
    about: "A toy.",
    repo: "me/toy",
    license: "mit",
    size: 2,
    sources: () => [source],
    columns: ["q", "a"],
    examples: (row) => ({ question: requireText(row, "q"), answer: requireText(row, "a") }),
    evaluators: ["answer_quality"],
    primaryField: "f1",
  };
}

async function load(source: HubSource, options: { files?: string[]; revision?: string } = {}) {
  const { examples, origin } = await loadEntry({ name: "toy", entry: entryOf(source) }, options);
  return { asked: examples.map(({ question, answer }) => `${question}${answer}`), origin };
}

const JSONL = '{"q":"one?","a":"1"}\n{"q":"two?","a":"2"}\n';
const ZIPPED: HubSource = { files: ["toy.zip"], member: "toy/test.jsonl" };
const TEXTS: HubSource = { lines: { columns: { q: "data/test.q", a: "data/test.a" }, lineBreak: "BREAK" } };
const SPLIT = { config: "default", split: "test" };
const ARCHIVE = createZip({ "toy/train.jsonl": "{}\n", "toy/test.jsonl": JSONL });

describe("a file in an archive", () => {
  it("is read, also offline, and leaves nothing unpacked behind", async () => {
    await serve({ "toy.zip": ARCHIVE });
    const { asked, origin } = await load(ZIPPED);
    expect(asked).toEqual(["one?1", "two?2"]);
    expect(origin).toMatchObject({ repo: "me/toy", files: ["toy.zip"] });
    vi.stubEnv("HF_HUB_OFFLINE", "1");
    expect((await load(ZIPPED)).asked).toEqual(asked);
  });

  it("is named in messages with its archive and line", async () => {
    await serve({ "toy.zip": createZip({ "toy/test.jsonl": `${JSONL}{"q":"three?","a":null}\n` }) });
    await expect(load(ZIPPED)).rejects.toThrow('me/toy toy.zip toy/test.jsonl:3: the row has null in "a"');
  });

  it.each([
    [
      "a file that it lacks",
      createZip({ "toy/": "", "toy/dev\u001b.jsonl": "" }),
      /no file "toy\/test\.jsonl" inside\. It contains: toy\/dev\?\.jsonl\./,
    ],
    ["no files at all", createZip({}), /It contains: nothing\./],
    [
      "a page in its place",
      Buffer.from("<html>"),
      /"me\/toy toy\.zip" is not a zip archive, or is truncated.* Download it again\./,
    ],
    [
      "damage",
      Buffer.concat([Buffer.from("x"), createZip({ "toy/test.jsonl": JSONL }).subarray(1)]),
      /"me\/toy toy\.zip" is damaged/,
    ],
  ])("is reported if missing: %s", async (_, archive, message) => {
    await serve({ "toy.zip": archive });
    const failed = load(ZIPPED);
    await expect(failed).rejects.toMatchObject({ code: "DATASET" });
    await expect(failed).rejects.toThrow(message);
  });

  it("may be a local archive", async () => {
    const path = join(folder, "mine.zip");
    writeFileSync(path, ARCHIVE);
    expect((await load(ZIPPED, { files: [path] })).asked).toEqual(["one?1", "two?2"]);
    await expect(load({ files: ["toy.jsonl"] }, { files: [path] })).rejects.toThrow("is an archive. Unpack it");
  });
});

describe("text files with aligned lines", () => {
  it("become rows by line", async () => {
    await serve({ "data/test.q": "one?\n twoBREAKtwo? \n", "data/test.a": "1\n2" });
    const { asked, origin } = await load(TEXTS);
    expect(asked).toEqual(["one?1", "two\ntwo?2"]);
    expect(origin?.files).toEqual(["data/test.q", "data/test.a"]);
  });

  it("must have the same number of lines", async () => {
    await serve({ "data/test.q": "one?\ntwo?\n", "data/test.a": "1\n" });
    await expect(load(TEXTS)).rejects.toThrow("has 1 lines of a and more of the others");
  });

  it("must all exist", async () => {
    await serve({ "data/test.q": "one?\n" });
    await expect(load(TEXTS)).rejects.toThrow('has no file "data/test.a"');
  });

  it("may be local, in any order, matched by name", async () => {
    const paths = ["test.a", "test.q"].map((name) => join(folder, name));
    writeFileSync(paths[0] ?? "", "1\n2\n");
    writeFileSync(paths[1] ?? "", "one?\ntwo?\n");
    expect((await load(TEXTS, { files: paths })).asked).toEqual(["one?1", "two?2"]);
    await expect(load(TEXTS, { files: paths.slice(0, 1) })).rejects.toThrow('has the extension ".a"');
  });

  it("may be large", async () => {
    const numbers = Array.from({ length: 2345 }, (_, at) => `${at}`);
    await serve({ "data/test.q": numbers.map((each) => `${each}?\n`).join(""), "data/test.a": numbers.join("\n") });
    expect((await load(TEXTS)).asked).toEqual(numbers.map((each) => `${each}?${each}`));
  });
});

describe("a fallback", () => {
  const source: HubSource = { ...SPLIT, fallback: { files: ["gone.jsonl"], fallback: ZIPPED } };

  it("is used if the repository has no files of the source, also offline", async () => {
    await serve({ "toy.zip": ARCHIVE });
    expect((await load(source)).asked).toEqual(["one?1", "two?2"]);
    vi.stubEnv("HF_HUB_OFFLINE", "1");
    expect((await load(source)).asked).toEqual(["one?1", "two?2"]);
  });

  it("is not used if there are some", async () => {
    await serve({ "test.jsonl": '{"q":"own?","a":"0"}\n', "toy.zip": ARCHIVE });
    expect((await load(source)).asked).toEqual(["own?0"]);
  });

  it("is not used for a damaged converted file", async () => {
    await serve({ "toy.zip": ARCHIVE }, { converted: { "default/test/0000.parquet": "PAR1 no more" } });
    await expect(load(source)).rejects.toThrow("default/test/0000.parquet");
  });

  it("keeps the first error if it is missing too", async () => {
    await serve({ "other.txt": "…" });
    await expect(load(source)).rejects.toThrow('holds the split "test" of the config "default". It has: other.txt.');
  });

  it("is read at the requested revision, which has no conversion", async () => {
    const { commit } = await serve({ "toy.zip": ARCHIVE }, { converted: { "default/test/0000.parquet": "PAR1" } });
    const { origin } = await load(source, { revision: commit("me/toy") });
    expect(origin).toMatchObject({ revision: commit("me/toy"), files: ["toy.zip"] });
  });

  it.each<[string, Serving, RegExp]>([
    ["a repository that is not to be seen", { isPrivate: true }, /No dataset me\/toy|token/],
    ["a hub that refuses", { faults: [{ kind: "status", status: 403, times: 9 }] }, /does not let this account/],
    [
      "a hub that refuses to say whether it has converted files",
      { faults: [{ kind: "status", status: 503, headers: { "retry-after": "0" }, times: 9, path: "refs/convert" }] },
      /503/,
    ],
  ])("does not hide other errors: %s", async (_, serving, message) => {
    const { requests } = await serve({ "toy.zip": ARCHIVE }, serving);
    await expect(load(source)).rejects.toThrow(message);
    expect(requests.filter(({ path }) => path.includes("toy.zip"))).toEqual([]);
  });
});
