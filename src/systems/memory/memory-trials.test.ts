import { afterEach, describe, expect, it, vi } from "vitest";
import { TrialError, UsageError } from "../../core/errors.js";
import type { Example, Turn } from "../../core/example.js";
import { computeFingerprint } from "../../core/fingerprint.js";
import type { System, TrialContext } from "../../core/system.js";
import type { Conversation } from "./conversation.js";
import type { MemoryAnswer, MemoryError, MemorySystem, MemoryTrial } from "./memory-system.js";
import { MemoryTrials, type MemoryTrialsOptions } from "./memory-trials.js";

function conversationsOf(...ids: string[]): Map<string, Conversation> {
  return new Map(
    ids.map((id) => [
      id,
      { id, sessions: [{ id: "S1", date: "8 May", turns: [{ role: "user", content: `I am ${id}` }] }] },
    ]),
  );
}

function trialOf(signal = new AbortController().signal): TrialContext {
  return { signal, budget: null, trial: 0, seed: 0, log: () => {} };
}

function asking(conversation: string, id = `${conversation}-q`): Example {
  return { id, question: "Who am I?", answer: conversation, conversation };
}

/** Records its calls with the number of the memory, and answers with the last turn. */
class Diary implements MemorySystem {
  readonly name = "diary";
  readonly log: string[];
  readonly #number: number;
  turns: Turn[] = [];

  constructor(log: string[], number: number) {
    this.log = log;
    this.#number = number;
  }

  async reset(): Promise<void> {
    this.log.push(`${this.#number} reset`);
    this.turns = [];
  }

  async ingest(turns: Turn[]): Promise<void> {
    await Promise.resolve();
    this.turns.push(...turns);
    this.log.push(`${this.#number} ingest ${turns[0]?.content}`);
  }

  async query(): Promise<MemoryAnswer> {
    return { answer: String(this.turns.at(-1)?.content), contextTokens: 3 };
  }

  async close(): Promise<void> {
    this.log.push(`${this.#number} close`);
  }
}

const silent: MemorySystem = {
  name: "silent",
  reset: async () => {},
  ingest: async () => {},
  query: async () => ({ answer: "" }),
};

function diaries() {
  const log: string[] = [];
  let made = 0;
  return { log, factory: () => new Diary(log, ++made) };
}

function open(
  memory: Parameters<typeof MemoryTrials.open>[0],
  options: Partial<MemoryTrialsOptions> = {},
): Promise<MemoryTrials> {
  return MemoryTrials.open(memory, { conversations: conversationsOf("a", "b", "c"), ...options });
}

afterEach(() => {
  vi.useRealTimers();
});

describe("MemoryTrials with a factory", () => {
  it("ingests each conversation once for any number of concurrent trials", async () => {
    const { log, factory } = diaries();
    const trials = await open(factory);
    const ids = ["a", "b", "a", "a", "b", "a"];
    const outputs = await Promise.all(ids.map((id, i) => trials.process(asking(id, `q${i}`), trialOf())));
    expect(outputs.map(({ response }) => response)).toEqual(ids.map((id) => `I am ${id}`));
    expect(log.toSorted()).toEqual(["1 ingest I am a", "1 reset", "2 ingest I am b", "2 reset"]);
    expect(outputs.map(({ metadata }) => metadata?.ingestMs !== undefined)).toEqual([
      true,
      true,
      false,
      false,
      false,
      false,
    ]);
    await trials.close();
    expect(log.slice(4).toSorted()).toEqual(["1 close", "2 close"]);
  });

  it("reports the query's own latency, tokens and the ingest time", async () => {
    let now = 0;
    const memory = {
      name: "slow",
      reset: async () => {
        now += 1;
      },
      ingest: async () => {
        now += 3000;
      },
      query: async () => {
        now += 250;
        return {
          answer: "yes",
          context: "one two",
          usage: { input: 5, output: 1 },
          costUsd: 0.5,
          metadata: { hits: 2 },
        };
      },
    };
    const tokenizer = { count: (text: string) => text.split(/\s+/).length };
    const trials = await open(() => memory, { clock: () => now, tokenizer });
    expect(await trials.process(asking("a"), trialOf())).toEqual({
      response: "yes",
      latency: 0.25,
      usage: { input: 5, output: 1 },
      costUsd: 0.5,
      retrieved: { context: "one two" },
      metadata: { hits: 2, queryMs: 250, ingestMs: 3000, contextTokens: 2, historyTokens: 8 },
    });
  });

  it("overrides a memory's own values with measured ones", async () => {
    const metadata = { ingestMs: -1, queryMs: -1, historyTokens: -1, contextTokens: -1, hits: 2 };
    const lying = { ...silent, query: async () => ({ answer: "yes", metadata }) };
    const tokenizer = { count: () => 8 };
    const trials = await open(() => lying, { clock: () => 0, tokenizer });
    const first = await trials.process(asking("a"), trialOf());
    expect(first.metadata).toEqual({ hits: 2, queryMs: 0, ingestMs: 0, historyTokens: 8 });
    const second = await trials.process(asking("a"), trialOf());
    expect(second.metadata).toEqual({ hits: 2, queryMs: 0, historyTokens: 8 });
  });

  it.each([-1, Number.NaN, Number.POSITIVE_INFINITY, "12", null, {}])(
    "rejects %j as a token count, and bills the cost",
    async (contextTokens) => {
      const answer = { answer: "yes", contextTokens: contextTokens as number, costUsd: 0.5 };
      const trials = await open(() => ({ ...silent, query: async () => answer }));
      const failing = trials.process(asking("a"), trialOf());
      await expect(failing).rejects.toThrow(/query\(\) of the memory "silent" returned .* as `contextTokens`/);
      await expect(failing).rejects.toMatchObject({ category: "system_error", spent: { costUsd: 0.5 } });
    },
  );

  it("rejects a context that is not a string, and treats null metadata as none", async () => {
    const answering = async (answer: unknown) =>
      (await open(() => ({ ...silent, query: async () => answer as never }))).process(asking("a"), trialOf());
    await expect(answering({ answer: "yes", context: ["a"] })).rejects.toThrow(/returned an array as `context`/);
    const { metadata } = await answering({ answer: "yes", metadata: null });
    expect(Object.keys(metadata ?? {}).toSorted()).toEqual(["historyTokens", "ingestMs", "queryMs"]);
  });

  it("does no work of its own while a synchronous query is timed", async () => {
    let inQuery = 0;
    const busy: number[] = [];
    const tokenizer = { count: () => busy.push(inQuery) };
    const conversations = conversationsOf("a", "b", "c");
    const read = {
      get: (id: string) => {
        busy.push(inQuery);
        return conversations.get(id);
      },
    };
    const memory: MemorySystem = {
      ...silent,
      query: async () => {
        inQuery += 1;
        for (let turn = 0; turn < 20; turn++) await Promise.resolve();
        inQuery -= 1;
        return { answer: "yes", context: "what was said" };
      },
    };
    const trials = await open(() => ({ ...memory }), { conversations: read, tokenizer });
    const ids = ["a", "b", "c", "a", "b", "c"];
    await Promise.all(ids.map((id, i) => trials.process(asking(id, `q${i}`), trialOf())));
    expect(busy.length).toBeGreaterThan(9);
    expect(busy.filter((count) => count > 0)).toEqual([]);
  });

  it("holds no more conversations than allowed, and closes the least recently used first", async () => {
    const { log, factory } = diaries();
    const trials = await open(factory, { maxOpen: 2 });
    for (const id of ["a", "b", "a", "c", "a", "b"]) await trials.process(asking(id), trialOf());
    expect(log.filter((line) => !line.includes("reset"))).toEqual([
      "1 ingest I am a",
      "2 ingest I am b",
      "2 close",
      "3 ingest I am c",
      "3 close",
      "4 ingest I am b",
    ]);
  });

  it("makes trials wait while all slots are in use, and stops waiting on abort", async () => {
    let finish = () => {};
    const gate = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const { log, factory } = diaries();
    const held = () => Object.assign(factory(), { query: () => gate.then(() => ({ answer: "" })) });
    const trials = await open(held, { maxOpen: 1 });
    const first = trials.process(asking("a"), trialOf());
    const stop = new AbortController();
    const waiting = trials.process(asking("b"), trialOf(stop.signal));
    const last = trials.process(asking("c"), trialOf());
    stop.abort(new Error("stopped"));
    await expect(waiting).rejects.toThrow("stopped");
    finish();
    await Promise.all([first, last]);
    expect(log.filter((line) => line.includes("ingest"))).toEqual(["1 ingest I am a", "2 ingest I am c"]);
  });

  it("retries a failed ingest with the next question, and at once for a waiting trial", async () => {
    let calls = 0;
    const memory: MemorySystem = {
      name: "shaky",
      reset: async () => {},
      ingest: async () => {
        calls += 1;
        if (calls < 3) throw new Error(`no room ${calls}`);
      },
      query: async () => ({ answer: "fine" }),
    };
    const trials = await open(() => memory);
    const outcomes = await Promise.allSettled([1, 2, 3, 4].map((n) => trials.process(asking("a", `q${n}`), trialOf())));
    expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected", "fulfilled", "fulfilled"]);
    const [first] = outcomes;
    const { message, code } = (first?.status === "rejected" ? first.reason : null) as MemoryError;
    expect({ message, code }).toEqual({ message: 'ingest() of the memory "shaky" failed: no room 1', code: "MEMORY" });
    expect(calls).toBe(3);
  });

  it("reports the ingest time on the next row if the query after it failed", async () => {
    let asked = 0;
    const memory: MemorySystem = {
      name: "m",
      reset: async () => {},
      ingest: async () => {},
      query: async () => {
        asked += 1;
        if (asked === 1) throw new TrialError("rate_limit", "later", { retry: { afterMs: 1 } });
        return { answer: "" };
      },
    };
    const trials = await open(() => memory);
    await expect(trials.process(asking("a"), trialOf())).rejects.toMatchObject({
      category: "rate_limit",
      retry: { afterMs: 1 },
    });
    const { metadata } = await trials.process(asking("a"), trialOf());
    expect(metadata?.ingestMs).toBeGreaterThanOrEqual(0);
  });

  it("frees the slot of a memory that never stops", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const { log, factory } = diaries();
    const stop = new AbortController();
    const stuck = new Promise<void>((resolve) => {
      const hangs = async () => {
        resolve();
        return new Promise<never>(() => {});
      };
      let made = 0;
      const hanging = () => (++made === 1 ? Object.assign(factory(), { query: hangs }) : factory());
      void open(hanging, { maxOpen: 1 }).then((trials) => {
        void trials.process(asking("a"), trialOf(stop.signal));
        next = trials.process(asking("b"), trialOf());
      });
    });
    let next: Promise<unknown> = Promise.resolve();
    await stuck;
    stop.abort(new Error("stopped"));
    expect(log.filter((line) => line.startsWith("2"))).toEqual([]);
    vi.advanceTimersByTime(2000);
    expect(await next).toMatchObject({ response: "I am b" });
    expect(log).toContain("2 ingest I am b");
  });

  it("makes a memory again after its factory failed", async () => {
    const { factory } = diaries();
    let made = 0;
    const sometimes = () => {
      made += 1;
      if (made === 2) throw new Error("no connection");
      return factory();
    };
    const trials = await open(sometimes);
    await trials.process(asking("a"), trialOf());
    await expect(trials.process(asking("b"), trialOf())).rejects.toThrow("no connection");
    expect(await trials.process(asking("b"), trialOf())).toMatchObject({ response: "I am b" });
  });
});

describe("MemoryTrials with an object", () => {
  it("serves one trial at a time, and ingests again when the conversation changes", async () => {
    const log: string[] = [];
    let inUse = 0;
    let most = 0;
    const diary = Object.assign(new Diary(log, 1), {
      query: async function (this: Diary) {
        most = Math.max(most, ++inUse);
        await new Promise((resolve) => setImmediate(resolve));
        inUse -= 1;
        return { answer: String(this.turns.map(({ content }) => content)) };
      },
    });
    const trials = await open(diary);
    const ids = ["a", "a", "b", "b", "a"];
    const outputs = await Promise.all(ids.map((id, i) => trials.process(asking(id, `q${i}`), trialOf())));
    expect(outputs.map(({ response }) => response)).toEqual(ids.map((id) => `I am ${id}`));
    expect(most).toBe(1);
    expect(log.filter((line) => line.includes("ingest"))).toHaveLength(3);
    expect(log.filter((line) => line.includes("reset"))).toHaveLength(3);
    await trials.close();
    expect(log).not.toContain("1 close");
  });

  it("passes the date and id of the question, and nothing of the gold answer", async () => {
    const seen: [string, MemoryTrial | undefined][] = [];
    const memory: MemorySystem = {
      name: "m",
      reset: async () => {},
      ingest: async () => {},
      query: async (question, trial) => {
        seen.push([question, trial]);
        return { answer: "" };
      },
    };
    const trials = await open(memory);
    await trials.process({ ...asking("a"), question_date: "1 June 2023", dataset: "d" }, trialOf());
    const [[question, trial] = []] = seen;
    expect(question).toBe("Today is 1 June 2023.\nWho am I?");
    expect(trial).toMatchObject({ exampleId: "a-q", dataset: "d", question: "Who am I?", date: "1 June 2023" });
    expect(trial).not.toHaveProperty("answer");
  });

  it("stops between steps when aborted", async () => {
    const stop = new AbortController();
    const steps: string[] = [];
    const memory: MemorySystem = {
      name: "m",
      reset: async () => void steps.push("reset"),
      ingest: async () => {
        steps.push("ingest");
        stop.abort(new Error("stopped"));
      },
      query: async () => {
        steps.push("query");
        return { answer: "" };
      },
    };
    const trials = await open(memory);
    await expect(trials.process(asking("a"), trialOf(stop.signal))).rejects.toThrow("stopped");
    expect(steps).toEqual(["reset", "ingest"]);
    await trials.process(asking("a"), trialOf());
    expect(steps).toEqual(["reset", "ingest", "query"]);
  });
});

describe("MemoryTrials", () => {
  const memory = (more: Partial<MemorySystem> = {}): MemorySystem => ({
    name: "m",
    reset: async () => {},
    ingest: async () => {},
    query: async () => ({ answer: "" }),
    ...more,
  });

  it("exposes the properties of its memory", async () => {
    const limits = { price: null, maxCostUsd: null, hardTimeoutMs: 9 };
    const said = { model: "x", endpoint: "host", limits, isRecorded: true };
    expect(await open(memory(said))).toMatchObject({ name: "m", ...said });
  });

  it("is identified by its memory, not by what that has ingested", async () => {
    const print = (system: System) => computeFingerprint(system, "process");
    const { factory } = diaries();
    const used = await open(factory());
    const before = print(used);
    await used.process(asking("a"), trialOf());
    expect(print(used)).toBe(before);
    expect(print(await open(memory({ fingerprint: () => 1 })))).not.toBe(
      print(await open(memory({ fingerprint: () => 2 }))),
    );
    expect(print(await open(memory(), { fingerprint: "file 1" }))).not.toBe(
      print(await open(memory(), { fingerprint: "file 2" })),
    );
  });

  it("says what is wrong with a conversation, an answer or an option", async () => {
    const trials = await open(memory({ query: async () => "yes" as never }));
    await expect(trials.process({ id: 1, question: "?" }, trialOf())).rejects.toThrow(
      /Example "1" must name its conversation in `conversation`/,
    );
    await expect(trials.process(asking("zz"), trialOf())).rejects.toThrow('The dataset has no conversation "zz"');
    await expect(trials.process(asking("a"), trialOf())).rejects.toThrow(
      /query\(\) of the memory "m" returned the string "yes"/,
    );
    await expect(open(memory(), { maxOpen: 0 })).rejects.toThrow(UsageError);
    await expect(open({ name: "m" } as never)).rejects.toThrow("has no method reset()");
  });
});
