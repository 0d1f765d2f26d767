import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { DatasetError, UsageError } from "../../core/errors.js";
import { startScriptedHub } from "../../datasets/hub/scripted-hub.js";
import { listTurns } from "./conversation.js";
import { loadMemoryQuestions, type MemoryLoadOptions } from "./load.js";
import { makeLocomoItems, makeLongMemEvalItems } from "./scripted-items.js";

let dir = "";

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "assay-memory-"));
});

afterEach(() => {
  rmSync(dir, { recursive: true, force: true });
});

function fileOf(items: unknown): string {
  const file = join(dir, "items.json");
  writeFileSync(file, JSON.stringify(items, null, 1));
  return file;
}

async function load(name: string, items: unknown, options: MemoryLoadOptions = {}) {
  return loadMemoryQuestions(name, { file: fileOf(items), ...options });
}

describe("locomo", () => {
  it("returns every question with its type, gold answer and evidence", async () => {
    const { dataset } = await load("locomo", makeLocomoItems());
    expect(dataset).toMatchObject({
      name: "locomo",
      primaryField: "f1",
      facets: ["question_type"],
      groupBy: "conversation",
    });
    const shown = dataset.examples.map(({ conversation_hash, ...example }) => {
      expect(conversation_hash).toMatch(/^[0-9a-f]{16}$/);
      return example;
    });
    const about = { conversation: "conv-1", dataset: "locomo" };
    expect(shown.slice(0, 5)).toEqual([
      {
        id: "conv-1-q1",
        question: "Where did Vera move?",
        answer: "Bern",
        question_type: "single-hop",
        evidence: ["D1:1"],
        ...about,
      },
      {
        id: "conv-1-q2",
        question: "In which year did Tobias buy a canoe?",
        answer: "2023",
        question_type: "temporal",
        evidence: ["D2:1", "D1:2"],
        ...about,
      },
      {
        id: "conv-1-q3",
        question: "Would Tobias enjoy a concert?",
        answers: ["Yes", "Yes; he plays the cello"],
        question_type: "open-domain",
        ...about,
      },
      {
        id: "conv-1-q4",
        question: "What does Vera paint?",
        unanswerable: true,
        adversarial_answer: "lakes",
        question_type: "adversarial",
        evidence: ["D10:1"],
        ...about,
      },
      {
        id: "conv-1-q5",
        question: "Who plays and who paints?",
        answer: "Tobias, Mira",
        question_type: "multi-hop",
        evidence: ["D1:2", "D10:1"],
        ...about,
      },
    ]);
    expect(shown.map(({ id }) => id).slice(5)).toEqual(["conv-2-q1", "conv-2-q2"]);
  });

  it("returns sessions by number, roles by speaker, and names and photos in the text", async () => {
    const { conversations } = await load("locomo", makeLocomoItems());
    expect(conversations.size).toBe(2);
    expect([...conversations.keys()]).toEqual(["conv-1", "conv-2"]);
    const conversation = conversations.get("conv-1");
    expect(conversation?.sessions.map(({ id, date }) => [id, date])).toEqual([
      ["D1", "1:56 pm on 8 May, 2023"],
      ["D2", "4:10 pm on 2 June, 2023"],
      ["D10", "9:00 am on 1 July, 2023"],
    ]);
    if (conversation === undefined) throw new Error("missing");
    expect(listTurns(conversation)[3]).toEqual({
      role: "user",
      content: "Mira: Lovely! [shares a photo: a photo of a lake]",
      speaker: "Mira",
      id: "D2:2",
      session: "D2",
      date: "4:10 pm on 2 June, 2023",
    });
    expect(listTurns(conversation)[2]).toMatchObject({ role: "assistant", content: "Tobias: I bought a blue canoe." });
    expect(conversations.get("conv-9")).toBeUndefined();
  });

  const broken: [string, (item: ReturnType<typeof makeLocomoItems>[1]) => unknown, string][] = [
    ["no sample_id", ({ sample_id: _, ...rest }) => rest, 'Item 2 of .* has undefined in "sample_id"'],
    ["no conversation", ({ conversation: _, ...rest }) => rest, 'Item 2 of .* has no object in "conversation"'],
    [
      "an unknown category",
      (item) => ({ ...item, qa: [{ ...item.qa[0], category: 6 }] }),
      "Item 2 of .* qa 1 that has the unknown category 6",
    ],
    [
      "no answer",
      (item) => ({ ...item, qa: [{ ...item.qa[0], answer: null }] }),
      'Item 2 of .* qa 1 that has null in "answer"',
    ],
    [
      "a stranger",
      (item) => ({ ...item, conversation: { ...item.conversation, speaker_b: "Zoe" } }),
      'Item 2 of .* session_1 that has a turn of "Paul"',
    ],
    ["no object", () => 7, "Item 2 of .* is the number 7, not an object"],
    [
      "an id that is taken",
      (item) => ({ ...item, sample_id: "conv-1" }),
      'Items 1 and 2 of .* have the same id "conv-1"',
    ],
  ];

  it.each(broken)("names the item that has %s", async (_, change, message) => {
    const [first, second] = makeLocomoItems();
    if (second === undefined) throw new Error("missing");
    const loading = load("locomo", [first, change(second)]);
    await expect(loading).rejects.toThrow(DatasetError);
    await expect(loading).rejects.toThrow(new RegExp(message));
  });
});

describe("longmemeval", () => {
  it("returns each question with its date, and sessions in chronological order", async () => {
    const { dataset, conversations } = await load("longmemeval:oracle", makeLongMemEvalItems());
    expect(dataset.examples[0]).toMatchObject({
      id: "a1b2c3",
      conversation: "a1b2c3",
      question_type: "knowledge-update",
      question_date: "2023/06/01 (Thu) 10:00",
      answer: "green tea",
      evidence: ["S1", "S3"],
      dataset: "longmemeval:oracle",
    });
    expect(conversations.get("a1b2c3")?.sessions.map(({ id, date, turns }) => [id, date, turns.length])).toEqual([
      ["S1", "2023/05/01 (Mon) 12:00", 1],
      ["S2", "2023/05/02 (Tue) 09:30", 2],
      ["S3", "2023/05/30 (Tue) 08:00", 1],
    ]);
  });

  it("does not reveal which sessions or turns contain the answer", async () => {
    const { conversations } = await load("longmemeval", makeLongMemEvalItems());
    const told = JSON.stringify([...conversations.values()]);
    expect(told).not.toMatch(/answer_|has_answer/);
  });

  it("detects abstention by the suffix of the id, and accepts numbers as answers", async () => {
    const { dataset } = await load("longmemeval:s", makeLongMemEvalItems());
    expect(dataset.examples.map(({ unanswerable }) => unanswerable)).toEqual([undefined, true, undefined]);
    expect(dataset.examples[2]).toMatchObject({ id: "777", answer: "3" });
  });

  it("names the item whose lists differ in length", async () => {
    const [first, second] = makeLongMemEvalItems();
    const loading = load("longmemeval", [first, { ...second, haystack_dates: [] }]);
    await expect(loading).rejects.toThrow(/Item 2 of .* has 2 haystack_sessions, but 2 haystack_session_ids and 0/);
  });
});

describe("loadMemoryQuestions", () => {
  it("takes a seeded sample, the first questions, or those that match a filter", async () => {
    const idsOf = async (options: MemoryLoadOptions) =>
      (await load("locomo", makeLocomoItems(), options)).dataset.examples.map(({ id }) => id);
    expect(await idsOf({ maxExamples: 2, head: true })).toEqual(["conv-1-q1", "conv-1-q2"]);
    const sample = await idsOf({ maxExamples: 3, seed: 4 });
    expect(sample).toHaveLength(3);
    expect(await idsOf({ maxExamples: 3, seed: 99, shuffleSeed: 4 })).toEqual(sample);
    expect(await idsOf({ filter: { question_type: "adversarial" } })).toEqual(["conv-1-q4"]);
    await expect(idsOf({ filter: { question_type: "hard" } })).rejects.toThrow(/question_type=hard.*multi-hop/);
    await expect(idsOf({ maxExamples: 0 })).rejects.toThrow(UsageError);
    await expect(idsOf({ signal: AbortSignal.abort() })).rejects.toThrow(/aborted/);
  });

  it("lists the fields if a filter names an unknown one", async () => {
    const filtered = (filter: Record<string, string>) => load("locomo", makeLocomoItems(), { filter });
    await expect(filtered({ nope: "1" })).rejects.toThrow(DatasetError);
    await expect(filtered({ nope: "1" })).rejects.toThrow(
      /No question of locomo has a field "nope".* Its fields: .*question_type.*conversation/,
    );
    await expect(filtered({ question_typ: "temporal" })).rejects.toThrow('Did you mean "question_type"?');
    await expect(filtered({ conversation: "conv-9" })).rejects.toThrow(
      /No question of locomo has conversation=conv-9\. Values of conversation: conv-1, conv-2\./,
    );
    const both = { question_type: "adversarial", unanswerable: "true" };
    expect((await filtered(both)).dataset.examples.map(({ id }) => id)).toEqual(["conv-1-q4"]);
  });

  const lines = () =>
    makeLocomoItems()
      .map((item) => JSON.stringify(item))
      .join("\n\n");
  it.each([
    ["locomo.json.gz", () => gzipSync(JSON.stringify(makeLocomoItems()))],
    ["compressed.json", () => gzipSync(JSON.stringify(makeLocomoItems(), null, 2))],
    ["plain.json.gz", () => JSON.stringify(makeLocomoItems())],
    ["locomo.jsonl", () => lines()],
    ["marked.jsonl", () => `\uFEFF${lines()}\r\n`],
    ["locomo.jsonl.gz", () => gzipSync(`${lines()}\n`)],
  ])("reads %s like the published file", async (name, content) => {
    const published = await load("locomo", makeLocomoItems());
    const file = join(dir, name);
    writeFileSync(file, content());
    const { dataset, conversations } = await loadMemoryQuestions("locomo", { file });
    const bare = (examples: typeof dataset.examples) => examples.map(({ conversation_hash: _, ...rest }) => rest);
    expect(bare(dataset.examples)).toEqual(bare(published.dataset.examples));
    expect([...conversations]).toEqual([...published.conversations]);
  });

  it.each([
    ["cut.json.gz", () => gzipSync(JSON.stringify(makeLocomoItems())).subarray(0, 200), /is truncated/],
    ["broken.jsonl", () => `${lines()}\n{"a":`, /Item 4 of ".*broken\.jsonl" is not valid JSON/],
    ["empty.jsonl", () => "\n", /contains no questions/],
    ["bytes.jsonl", () => Buffer.of(0x22, 0xff, 0x22, 0x0a), /Item 1 of .* is not valid UTF-8/],
  ])("says what is wrong with %s", async (name, content, message) => {
    const file = join(dir, name);
    writeFileSync(file, content());
    await expect(loadMemoryQuestions("locomo", { file })).rejects.toThrow(DatasetError);
    await expect(loadMemoryQuestions("locomo", { file })).rejects.toThrow(message);
  });

  it("identifies conversations by their content", async () => {
    const [first] = makeLocomoItems();
    const hashOf = async (items: unknown) => (await load("locomo", items)).dataset.examples[0]?.conversation_hash;
    const changed = structuredClone(first);
    changed?.conversation.session_1.pop();
    expect(await hashOf([first])).toBe(await hashOf([first]));
    expect(await hashOf([changed])).not.toBe(await hashOf([first]));
  });

  it("detects a file that was changed or removed afterwards", async () => {
    const file = fileOf(makeLocomoItems());
    const { conversations } = await loadMemoryQuestions("locomo", { file });
    writeFileSync(file, JSON.stringify(makeLocomoItems().toReversed(), null, 1));
    expect(() => conversations.get("conv-1")).toThrow(/Item 1 of .* has changed since/);
    rmSync(file);
    expect(() => conversations.get("conv-1")).toThrow(/File not found/);
  });

  it("suggests names, and reports unknown datasets and files", async () => {
    await expect(loadMemoryQuestions("lokomo")).rejects.toThrow('Did you mean "locomo"?');
    await expect(loadMemoryQuestions("longmemeval:xl")).rejects.toThrow(/no config "xl".*oracle/);
    await expect(loadMemoryQuestions("locomo:s")).rejects.toThrow('remove ":s"');
    await expect(loadMemoryQuestions("locomo", { file: join(dir, "none.json") })).rejects.toThrow(/File not found/);
    writeFileSync(join(dir, "bad.json"), "[]");
    await expect(loadMemoryQuestions("locomo", { file: join(dir, "bad.json") })).rejects.toThrow(
      /contains no questions/,
    );
  });

  it("downloads the file of the requested config from the hub, and reports its origin", async () => {
    const file = Buffer.from(JSON.stringify(makeLongMemEvalItems()));
    const repo = "xiaowu0162/longmemeval-cleaned";
    const hub = await startScriptedHub({
      repos: { [repo]: { revisions: { main: { files: { "longmemeval_m_cleaned.json": file } } } } },
    });
    try {
      const options = { hub: { endpoint: hub.url, cacheDir: join(dir, "cache"), env: {} } };
      const { dataset, conversations } = await loadMemoryQuestions("longmemeval:m", options);
      expect(dataset.examples).toHaveLength(3);
      expect(dataset.origin).toEqual({ repo, revision: hub.commit(repo), files: ["longmemeval_m_cleaned.json"] });
      expect(conversations.get("777")?.sessions).toHaveLength(1);
    } finally {
      await hub.close();
    }
  });
});
