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

const COMMAND = "echo hi > hello.txt";
const SCRIPT: MockScript = {
  tools: [{ command: COMMAND }, { name: "read", arguments: { path: "hello.txt" } }],
  reply: "Done.",
};

let mock: Mock;
afterEach(() => mock.close());

/** The shell as the agent of each API format offers it, with another tool. */
const OFFERED: Record<TextDialect, Record<string, unknown>> = {
  // opencode and pi
  chat: {
    tools: [
      { type: "function", function: { name: "read", parameters: {} } },
      {
        type: "function",
        function: {
          name: "bash",
          parameters: {
            type: "object",
            properties: { command: { type: "string" }, description: { type: "string" }, timeout: { type: "number" } },
            required: ["command", "description"],
          },
        },
      },
    ],
  },
  // codex
  responses: {
    tools: [
      { type: "web_search" },
      {
        type: "function",
        name: "exec_command",
        parameters: { type: "object", properties: { cmd: { type: "string" } }, required: ["cmd"] },
      },
    ],
  },
  // claude
  anthropic: {
    tools: [
      { name: "BashOutput", input_schema: {} },
      {
        name: "Bash",
        input_schema: { type: "object", properties: { command: { type: "string" } }, required: ["command"] },
      },
    ],
  },
  // gemini
  gemini: {
    tools: [
      {
        functionDeclarations: [
          { name: "read_file", parameters: {} },
          {
            name: "run_shell_command",
            parametersJsonSchema: {
              type: "object",
              properties: { command: { type: "string" }, is_background: { type: "boolean" } },
              required: ["command", "is_background"],
            },
          },
        ],
      },
    ],
  },
};

interface FoundCall {
  name: unknown;
  args: unknown;
  why: unknown;
}

/** The call of a whole answer, with parsed arguments. */
const CALL: Record<TextDialect, (body: unknown) => FoundCall> = {
  chat: (body) => {
    const call = getPath(body, "choices", 0, "message", "tool_calls", 0, "function");
    const why = getPath(body, "choices", 0, "finish_reason");
    return { name: getPath(call, "name"), args: JSON.parse(getTextAtPath(call, "arguments")), why };
  },
  responses: (body) => ({
    name: getPath(body, "output", 0, "name"),
    args: JSON.parse(getTextAtPath(body, "output", 0, "arguments")),
    why: getPath(body, "status"),
  }),
  anthropic: (body) => ({
    name: getPath(body, "content", 0, "name"),
    args: getPath(body, "content", 0, "input"),
    why: getPath(body, "stop_reason"),
  }),
  gemini: (body) => {
    const call = getPath(body, "candidates", 0, "content", "parts", 0, "functionCall");
    return {
      name: getPath(call, "name"),
      args: getPath(call, "args"),
      why: getPath(body, "candidates", 0, "finishReason"),
    };
  },
};

const joined = (events: readonly unknown[], read: (event: unknown) => string): unknown =>
  JSON.parse(events.map(read).join(""));

/** The arguments of the call in a stream, joined. */
const STREAMED: Record<TextDialect, (events: readonly unknown[]) => unknown> = {
  chat: (events) =>
    joined(events, (event) => getTextAtPath(event, "choices", 0, "delta", "tool_calls", 0, "function", "arguments")),
  responses: (events) =>
    joined(events, (event) =>
      getTextAtPath(event, "type").endsWith("arguments.delta") ? getTextAtPath(event, "delta") : "",
    ),
  anthropic: (events) => joined(events, (event) => getTextAtPath(event, "delta", "partial_json")),
  gemini: (events) =>
    events
      .map((event) => getPath(event, "candidates", 0, "content", "parts", 0, "functionCall", "args"))
      .find((args) => args !== undefined),
};

const EXPECTED: Record<TextDialect, { name: string; args: unknown; why: string }> = {
  chat: { name: "bash", args: { command: COMMAND, description: expect.any(String) }, why: "tool_calls" },
  responses: { name: "exec_command", args: { cmd: COMMAND }, why: "completed" },
  anthropic: { name: "Bash", args: { command: COMMAND }, why: "tool_use" },
  gemini: { name: "run_shell_command", args: { command: COMMAND, is_background: false }, why: "STOP" },
};

/** The conversation after this many tool results. */
const LATER: Record<TextDialect, (results: number) => Record<string, unknown>> = {
  chat: (results) => ({
    messages: [{ role: "user", content: "Go" }, ...times(results, { role: "tool", tool_call_id: "c", content: "ok" })],
  }),
  responses: (results) => ({
    input: [
      { role: "user", content: "Go" },
      ...times(results, { type: "function_call_output", call_id: "c", output: "ok" }),
    ],
  }),
  anthropic: (results) => ({
    messages: [
      { role: "user", content: "Go" },
      { role: "user", content: times(results, { type: "tool_result", tool_use_id: "c", content: "ok" }) },
    ],
  }),
  gemini: (results) => ({
    contents: [
      { role: "user", parts: [{ text: "Go" }] },
      { role: "user", parts: times(results, { functionResponse: { name: "t", response: {} } }) },
    ],
  }),
};

function times(count: number, item: object): object[] {
  return Array.from({ length: count }, () => item);
}

describe.each(TEXT_DIALECTS)("an agent that uses %s", (dialect) => {
  it("gets a call of the shell it offers", async () => {
    mock = await startMock(SCRIPT);
    const { text } = await askMock(mock.url, dialect, { more: OFFERED[dialect] });
    expect(CALL[dialect](JSON.parse(text))).toEqual(EXPECTED[dialect]);
  });

  it("gets the same call in a stream", async () => {
    mock = await startMock({ ...SCRIPT, chunkTokens: 1 });
    const { text } = await askMock(mock.url, dialect, { stream: true, more: OFFERED[dialect] });
    expect(STREAMED[dialect](parseEvents(text))).toEqual(EXPECTED[dialect].args);
    expect(text).toContain(`"name":"${EXPECTED[dialect].name}"`);
    expect(text).toContain(`"${EXPECTED[dialect].why}"`);
  });

  it("gets the next step with each result, and the reply at the end", async () => {
    mock = await startMock(SCRIPT);
    const turn = async (results: number) => {
      const { text } = await askMock(mock.url, dialect, { more: { ...OFFERED[dialect], ...LATER[dialect](results) } });
      return text;
    };
    expect(CALL[dialect](JSON.parse(await turn(1)))).toMatchObject({ name: "read", args: { path: "hello.txt" } });
    const last = await turn(2);
    expect(last).toContain("Done.");
    expect(last).not.toMatch(/tool_calls":\[|function_call|tool_use|functionCall/);
  });

  it("gets the reply if it offers no tools", async () => {
    mock = await startMock(SCRIPT);
    expect((await askMock(mock.url, dialect)).text).toContain("Done.");
  });
});

it("gets the text of a final step, and no calls if its task fails", async () => {
  mock = await startMock({
    tools: [{ text: "I did it." }],
    models: { poor: { tools: [{ command: "x" }], successRate: 0 } },
  });
  expect((await askMock(mock.url, "chat", { more: OFFERED.chat })).text).toContain("I did it.");
  const { text } = await askMock(mock.url, "chat", { model: "poor", more: OFFERED.chat });
  expect(text).not.toContain('"tool_calls":[');
});

it("uses the built-in shell of Responses", async () => {
  mock = await startMock(SCRIPT);
  const body = { model: "m", stream: true, input: "Go", tools: [{ type: "local_shell" }] };
  const { text } = await sendRaw(`${mock.url}/responses`, { body });
  const last = parseEvents(text).at(-1);
  expect(last).toMatchObject({
    response: {
      output: [{ type: "local_shell_call", action: { type: "exec", command: ["bash", "-lc", COMMAND] } }],
    },
  });
  expect(text).not.toContain("function_call_arguments");
});

it("passes a list to a shell that takes one, and only text without a shell", async () => {
  mock = await startMock(SCRIPT);
  const tool = (name: string, properties: object) => ({
    type: "function",
    function: { name, parameters: { properties } },
  });
  const listed = await askMock(mock.url, "chat", { more: { tools: [tool("shell", { command: { type: "array" } })] } });
  expect(CALL.chat(JSON.parse(listed.text)).args).toEqual({ command: ["bash", "-lc", COMMAND] });
  const none = await askMock(mock.url, "chat", { more: { tools: [tool("browse", {})] } });
  expect(JSON.parse(none.text).choices[0].message.content).toBe("Done.");
});
