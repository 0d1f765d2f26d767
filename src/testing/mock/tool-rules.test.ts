import { afterEach, describe, expect, it } from "vitest";
import {
  askMock,
  getPath,
  getTextAtPath,
  parseEvents,
  sendRaw,
  TEXT_DIALECTS,
  type TextDialect,
} from "./raw-client.js";
import type { MockScript } from "./script.js";
import { type Mock, startMock } from "./server.js";

let mock: Mock;
afterEach(() => mock.close());

const RULES: MockScript = {
  tools: [
    { match: "sort the list", steps: [{ command: "sort list" }, { text: "Sorted." }] },
    { match: "/^fix .*bug$/im", steps: [{ command: "patch" }], model: "m" },
    { match: "bug", steps: [{ command: "shrug" }] },
  ],
  reply: "Nothing to do.",
};

const SHELL = { type: "object", properties: { command: { type: "string" } }, required: ["command"] };
const OFFERED: Record<TextDialect, Record<string, unknown>> = {
  chat: { tools: [{ type: "function", function: { name: "bash", parameters: SHELL } }] },
  responses: { tools: [{ type: "function", name: "bash", parameters: SHELL }] },
  anthropic: { tools: [{ name: "Bash", input_schema: SHELL }] },
  gemini: { tools: [{ functionDeclarations: [{ name: "bash", parameters: SHELL }] }] },
};

/** A conversation of several user texts and tool results. */
const SAYING: Record<TextDialect, (texts: readonly string[], results?: number) => Record<string, unknown>> = {
  chat: (texts, results = 0) => ({
    messages: [
      { role: "system", content: "sort the list" },
      ...texts.map((content) => ({ role: "user", content })),
      ...Array.from({ length: results }, () => ({ role: "tool", tool_call_id: "c", content: "bug" })),
    ],
  }),
  responses: (texts, results = 0) => ({
    instructions: "sort the list",
    input: [
      ...texts.map((text) => ({ role: "user", content: [{ type: "input_text", text }] })),
      ...Array.from({ length: results }, () => ({ type: "function_call_output", call_id: "c", output: "bug" })),
    ],
  }),
  anthropic: (texts, results = 0) => ({
    system: "sort the list",
    messages: [
      { role: "user", content: texts.map((text) => ({ type: "text", text })) },
      {
        role: "user",
        content: Array.from({ length: results }, () => ({ type: "tool_result", tool_use_id: "c", content: "bug" })),
      },
    ],
  }),
  gemini: (texts, results = 0) => ({
    systemInstruction: { parts: [{ text: "sort the list" }] },
    contents: [
      ...texts.map((text) => ({ role: "user", parts: [{ text }] })),
      ...Array.from({ length: results }, () => ({ role: "user", parts: [{ functionResponse: { name: "bash" } }] })),
    ],
  }),
};

describe.each(TEXT_DIALECTS)("rules for an agent that uses %s", (dialect) => {
  const say = async (texts: readonly string[], results = 0, model = "m") => {
    const more = { ...OFFERED[dialect], ...SAYING[dialect](texts, results) };
    return (await askMock(mock.url, dialect, { model, more })).text;
  };

  it("are chosen by any user text, the first match, and for their model", async () => {
    mock = await startMock(RULES);
    const reminder = "<reminder>be brief</reminder>";
    expect(await say(["please sort the list", reminder])).toContain("sort list");
    expect(await say([reminder, "Fix the bug", reminder])).toContain("patch");
    expect(await say(["Fix the bug"], 0, "other")).toContain("shrug");
    expect(await say([reminder])).toContain("Nothing to do.");
  });

  it("choose steps by the tool results in a conversation, several at a time too", async () => {
    mock = await startMock(RULES);
    expect(await say(["sort the list"], 1)).toContain("Sorted.");
    expect(await say(["sort the list"], 2)).toContain("Nothing to do.");
    expect(await say(["the bug"], 1)).toContain("Nothing to do.");
  });

  it("do not apply if no tools are offered", async () => {
    mock = await startMock(RULES);
    const { text } = await askMock(mock.url, dialect, { more: SAYING[dialect](["sort the list"]) });
    expect(text).toContain("Nothing to do.");
  });

  it.each([true, false])("pad a turn with a text before the call, streamed: %s", async (stream) => {
    mock = await startMock({ tools: [{ command: "ls -l", outputTokens: 50 }], chunkTokens: 3 });
    const { text } = await askMock(mock.url, dialect, { stream, more: OFFERED[dialect] });
    expect(mock.requests[0]?.usage?.output).toBe(50);
    const { said, command, why } = READ[dialect](stream ? parseEvents(text) : JSON.parse(text), stream);
    expect(said.length + JSON.stringify({ command: "ls -l" }).length).toBe(200);
    expect(command).toEqual({ command: "ls -l" });
    expect(why).toBe(WHY[dialect]);
  });
});

const WHY: Record<TextDialect, string> = {
  chat: "tool_calls",
  responses: "completed",
  anthropic: "tool_use",
  gemini: "STOP",
};

interface Read {
  said: string;
  command: unknown;
  why: unknown;
}

const joined = (events: readonly unknown[], ...path: readonly (string | number)[]) =>
  events.map((event) => getTextAtPath(event, ...path)).join("");
const listAt = (value: unknown, ...path: readonly (string | number)[]) => getPath(value, ...path) as readonly unknown[];

/** The text and the call of an answer, read by the rules of each API format. */
const READ: Record<TextDialect, (answer: unknown, stream: boolean) => Read> = {
  chat: (answer, stream) => {
    if (!stream) {
      const call = getTextAtPath(answer, "choices", 0, "message", "tool_calls", 0, "function", "arguments");
      const why = getPath(answer, "choices", 0, "finish_reason");
      return { said: getTextAtPath(answer, "choices", 0, "message", "content"), command: JSON.parse(call), why };
    }
    const events = answer as readonly unknown[];
    const named = events.filter((event) => getPath(event, "choices", 0, "delta", "tool_calls", 0, "id") !== undefined);
    expect(named).toHaveLength(1);
    const call = joined(events, "choices", 0, "delta", "tool_calls", 0, "function", "arguments");
    const why = joined(events, "choices", 0, "finish_reason");
    return { said: joined(events, "choices", 0, "delta", "content"), command: JSON.parse(call), why };
  },
  responses: (answer, stream) => {
    const response = stream ? getPath((answer as unknown[]).at(-1), "response") : answer;
    if (stream) expectOrder(answer as readonly unknown[]);
    const [message, call] = listAt(response, "output");
    const command = JSON.parse(getTextAtPath(call, "arguments"));
    return { said: getTextAtPath(message, "content", 0, "text"), command, why: getPath(response, "status") };
  },
  anthropic: (answer, stream) => {
    if (!stream) {
      const [said, call] = listAt(answer, "content");
      return {
        said: getTextAtPath(said, "text"),
        command: getPath(call, "input"),
        why: getPath(answer, "stop_reason"),
      };
    }
    const events = answer as readonly unknown[];
    const of = (index: number) => events.filter((event) => getPath(event, "index") === index);
    expect(getPath(of(1)[0], "content_block", "type")).toBe("tool_use");
    expect(events.indexOf(of(0).at(-1))).toBeLessThan(events.indexOf(of(1)[0]));
    const command = JSON.parse(joined(of(1), "delta", "partial_json"));
    return { said: joined(of(0), "delta", "text"), command, why: joined(events, "delta", "stop_reason") };
  },
  gemini: (answer, stream) => {
    const events = stream ? (answer as readonly unknown[]) : [answer];
    const parts = events.flatMap((event) => listAt(event, "candidates", 0, "content", "parts"));
    const call = parts.find((part) => getPath(part, "functionCall") !== undefined);
    const why = joined(events, "candidates", 0, "finishReason");
    return { said: joined(parts, "text"), command: getPath(call, "functionCall", "args"), why };
  },
};

/** Responses events are numbered, and every item is done before the next is added. */
function expectOrder(events: readonly unknown[]): void {
  expect(events.map((event) => getPath(event, "sequence_number"))).toEqual(events.map((_, number) => number));
  const items = events.filter((event) => getTextAtPath(event, "type").startsWith("response.output_item."));
  expect(items.map((event) => [getTextAtPath(event, "type").slice(21), getPath(event, "output_index")])).toEqual([
    ["added", 0],
    ["done", 0],
    ["added", 1],
    ["done", 1],
  ]);
}

describe("step", () => {
  it("can have its own latency", async () => {
    mock = await startMock({ tools: [{ command: "a", latencyMs: 2000 }, { text: "b" }], latencyMs: 1 });
    const answered: number[] = [];
    const askStep = async (results: number) => {
      await askMock(mock.url, "chat", { more: { ...OFFERED.chat, ...SAYING.chat(["Go"], results) } });
      answered.push(results);
    };
    await Promise.all([askStep(0), askStep(1)]);
    expect(answered).toEqual([1, 0]);
  });

  it("with a text is padded too, and a text too long for the client is truncated before its call", async () => {
    mock = await startMock({
      tools: [
        { command: "a", outputTokens: 40 },
        { text: "Done.", outputTokens: 30 },
      ],
    });
    const more = (results: number) => ({ ...OFFERED.chat, ...SAYING.chat(["Go"], results) });
    await askMock(mock.url, "chat", { more: more(1) });
    const { text } = await askMock(mock.url, "chat", { more: more(0), maxTokens: 10 });
    expect(mock.requests.map(({ usage }) => usage?.output)).toEqual([30, 10]);
    expect(getPath(JSON.parse(text), "choices", 0, "finish_reason")).toBe("length");
    expect(text).not.toContain("tool_calls");
  });

  it("that streams slowly can be cut in the text before its call", async () => {
    mock = await startMock({ tools: [{ command: "a", outputTokens: 40 }], faults: [{ kind: "cut" }] });
    const { text } = await askMock(mock.url, "anthropic", { stream: true, more: OFFERED.anthropic });
    expect(text).toContain("text_delta");
    expect(text).not.toContain("tool_use");
  });
});

it("rejects WebSockets at once, with the status that codex falls back on", async () => {
  mock = await startMock({});
  const headers = { connection: "Upgrade", upgrade: "websocket" };
  const { status } = await sendRaw(`${mock.url}/v1/responses`, { method: "GET", headers });
  expect(status).toBe(426);
});
