import { describe, expect, it } from "vitest";
import { ShapeError, UsageError } from "../../core/errors.js";
import type { Example, Turn } from "../../core/example.js";
import { loadTokenizer } from "../../models/tokens/index.js";
import { FunctionSystem, ReplaySystem } from "../index.js";
import { bm25Memory, builtInMemory, fullHistory, lastTurns } from "./built-in.js";
import { type Conversation, listTurns } from "./conversation.js";
import { formatHistory, HistoryTokens } from "./history.js";
import { READER_INSTRUCTION, systemReader, toReader } from "./reader.js";

const TALK: Conversation = {
  id: "talk",
  sessions: [
    {
      id: "S1",
      date: "8 May 2023",
      turns: [
        { role: "user", content: "I moved to Bern." },
        { role: "assistant", content: "Good luck in Bern!" },
      ],
    },
    { id: "S2", date: "9 May 2023", turns: [{ role: "user", content: "My cello broke." }] },
    { id: "S3", turns: [{ role: "user", content: "Mira: I like tea.", speaker: "Mira" }] },
  ],
};

/** Answers with its context. */
function echo() {
  const given: Example[] = [];
  const system = new FunctionSystem({
    name: "echo",
    fn: (example) => {
      given.push(example);
      return { response: example.context ?? "nothing", usage: { input: 7, output: 2 }, costUsd: 0.25 };
    },
  });
  return { given, reader: systemReader(system, { instruction: "" }) };
}

describe("built-in memories", () => {
  it("full-history uses everything, with the dates of sessions", async () => {
    const memory = fullHistory({ reader: echo().reader });
    await memory.reset();
    await memory.ingest(listTurns(TALK));
    const { answer, contextTokens, context, usage, costUsd } = await memory.query("Where do I live?");
    expect(answer).toBe(
      "[Session of 8 May 2023]\nuser: I moved to Bern.\nassistant: Good luck in Bern!\n\n[Session of 9 May 2023]\nuser: My cello broke.\n\n[Session]\nMira: I like tea.",
    );
    expect(contextTokens).toBe(loadTokenizer("cl100k_base").count(answer));
    expect(context).toBeUndefined();
    expect({ usage, costUsd }).toEqual({ usage: { input: 7, output: 2 }, costUsd: 0.25 });
  });

  it("last-n uses the last turns and reports them as its context", async () => {
    const memory = lastTurns({ count: 2, reader: echo().reader });
    await memory.ingest(listTurns(TALK));
    const { answer, context } = await memory.query("?");
    expect(answer).toBe("[Session of 9 May 2023]\nuser: My cello broke.\n\n[Session]\nMira: I like tea.");
    expect(context).toBe(answer);
  });

  it("bm25 uses the turns that match the question, in chronological order, and searches dates and speakers", async () => {
    const memory = bm25Memory({ count: 2, reader: echo().reader });
    await memory.ingest(listTurns(TALK));
    expect((await memory.query("Is it the cello or Bern?")).answer).toMatch(/Bern(?:.|\n)*cello/);
    expect((await memory.query("What did Mira like?")).answer).toBe("[Session]\nMira: I like tea.");
    expect((await memory.query("What happened on 9?")).answer).toContain("cello");
    expect(await memory.query("zebra")).toMatchObject({ answer: "nothing", contextTokens: 0 });
  });

  it("bm25 does not search for the date of the question", async () => {
    const memory = bm25Memory({ count: 1, reader: echo().reader });
    await memory.ingest(listTurns(TALK));
    const trial = { signal: new AbortController().signal, budget: null, trial: 0, seed: 0, log: () => {} };
    const question = "Today is 9 May 2023.\nWhere is Bern?";
    expect((await memory.query(question, { ...trial, question: "Where is Bern?" })).answer).toContain("Bern");
  });

  it("forget everything on reset", async () => {
    for (const spec of ["full-history", "last-n", "bm25"]) {
      const memory = await builtInMemory(spec, { reader: echo().reader })();
      await memory.ingest(listTurns(TALK));
      await memory.reset();
      expect(await memory.query("Where is Bern?")).toMatchObject({ answer: "nothing", contextTokens: 0 });
    }
  });

  it("are created by name", async () => {
    const { reader } = echo();
    const nameOf = async (spec: string) => (await builtInMemory(spec, { reader })()).name;
    expect(await nameOf("full-history")).toBe("full-history");
    expect(await nameOf("last-n")).toBe("last-n:20");
    expect(await nameOf("last-n:3")).toBe("last-n:3");
    expect(await nameOf("bm25")).toBe("bm25:10");
    for (const wrong of ["last-n:0", "bm25:x", "bm25:", "full-history:3"])
      expect(() => builtInMemory(wrong, { reader })).toThrow(UsageError);
    expect(() => builtInMemory("bm2", { reader })).toThrow('Did you mean "bm25"?');
  });

  it("expose the properties of their reader", () => {
    const limits = { price: null, maxCostUsd: null, hardTimeoutMs: 5 };
    const system = { name: "m", model: "m-1", endpoint: "host", limits, process: () => ({ response: "" }) };
    expect(fullHistory({ reader: systemReader(system) })).toMatchObject({ model: "m-1", endpoint: "host", limits });
  });
});

describe("systemReader", () => {
  const trial = { signal: new AbortController().signal, budget: null, trial: 0, seed: 0, log: () => {} };

  it("puts the instruction before the context and leaves the question unchanged", async () => {
    const given: Example[] = [];
    const fn = (example: Example) => `answer ${given.push(example)}`;
    const asked = { ...trial, exampleId: "q7", dataset: "d" };
    await systemReader(new FunctionSystem({ name: "f", fn })).answer("what was said", "Why?", asked);
    expect(given).toEqual([
      { id: "q7", dataset: "d", context: `${READER_INSTRUCTION}\n\nwhat was said`, question: "Why?" },
    ]);
  });

  it("replays recordings by the id of the example", async () => {
    const replay = new ReplaySystem({ name: "old", records: [{ id: "q1", response: "Bern" }] });
    const reader = systemReader(replay);
    expect(reader.isRecorded).toBe(true);
    const asked = { ...trial, exampleId: "q1" };
    expect(await reader.answer("", "Where?", asked)).toMatchObject({ response: "Bern" });
  });

  it("rejects a missing response and a value that is not a reader", async () => {
    const system = new FunctionSystem({ name: "f", fn: () => ({ context: "shorter" }) });
    await expect(systemReader(system).answer("", "?", trial)).rejects.toThrow(/"f" returned no response/);
    expect(() => toReader({ name: "x" } as never)).toThrow(ShapeError);
  });

  it("has a fingerprint that depends on its instruction", () => {
    const system = new FunctionSystem({ name: "f", fn: () => "" });
    const printOf = (instruction: string) => JSON.stringify(systemReader(system, { instruction }).fingerprint?.());
    expect(printOf("a")).not.toBe(printOf("b"));
  });
});

describe("the context tokens of a built-in memory", () => {
  const trial = { signal: new AbortController().signal, budget: null, trial: 0, seed: 0, log: () => {} };

  it.each(["full-history", "last-n:2", "bm25:2"])("are counted after %s has answered", async (spec) => {
    const counted: string[] = [];
    const tokenizer = {
      count: (text: string) => {
        counted.push(text);
        return text.length;
      },
    };
    const memory = await builtInMemory(spec, { reader: echo().reader, tokenizer })();
    await memory.reset();
    await memory.ingest(listTurns(TALK));
    const answer = await memory.query("Where is Bern?", trial);
    expect(counted).toEqual([]);
    expect(answer.contextTokens).toBe(answer.answer.length);
    expect(counted).toEqual([answer.answer]);
    const again = await memory.query("Where is Bern?", trial);
    await memory.reset();
    expect(again.contextTokens).toBe(answer.contextTokens);
  });

  it("are not counted again if the context is the whole conversation", async () => {
    const tokenizer = { count: () => Number.NaN };
    const memory = await builtInMemory("full-history", { reader: echo().reader, tokenizer })();
    await memory.ingest(listTurns(TALK));
    const { contextTokens } = await memory.query("?", { ...trial, historyTokens: 77 });
    expect(contextTokens).toBe(77);
  });
});

describe("HistoryTokens", () => {
  it("counts each conversation once in advance, reports progress, and stops when aborted", async () => {
    const talks = new Map(["a", "b", "c"].map((id) => [id, { ...TALK, id }]));
    let counted = 0;
    const tokenizer = { count: () => ++counted };
    const told: string[] = [];
    const history = new HistoryTokens(talks, tokenizer);
    const onProgress = (done: number, total: number) => void told.push(`${done}/${total}`);
    await history.countAll(["a", "b", "a", "none"], { onProgress });
    expect(told).toEqual(["1/3", "2/3", "3/3"]);
    expect(counted).toBe(6);
    expect(await history.get("b")).toBe(4 + 5 + 6);
    expect(counted).toBe(6);
    await history.countAll(["c"], { signal: AbortSignal.abort() });
    expect(counted).toBe(6);
  });

  it("yields between two conversations", async () => {
    const talks = new Map(["a", "b"].map((id) => [id, { id, sessions: TALK.sessions.slice(0, 1) }]));
    const order: string[] = [];
    const tokenizer = { count: () => order.push("count") };
    setImmediate(() => order.push("other"));
    await new HistoryTokens(talks, tokenizer).countAll(["a", "b"]);
    expect(order.indexOf("other")).toBeLessThan(order.lastIndexOf("count"));
  });

  it("counts the same session by session as for the whole text", async () => {
    const texts = ["Fine.", "Fine!\n", "  a\n\nb ", "— €😀", ""];
    const turns: Turn[] = texts.map((content) => ({ role: "user", content }));
    const sessions = [1, 2, 3, 4].map((n) => ({ id: `S${n}`, date: `2023/05/0${n}`, turns: turns.slice(n - 1) }));
    const talk = { id: "t", sessions: [...sessions, { id: "S9", turns: [] }] };
    const tokenizer = loadTokenizer("cl100k_base");
    const counted = await new HistoryTokens(new Map([["t", talk]]), tokenizer).get("t");
    expect(counted).toBe(tokenizer.count(formatHistory(listTurns(talk))));
    expect(counted).toBeGreaterThan(20);
  });
});
