import { afterEach, describe, expect, it } from "vitest";
import { askMock, getPath, sendRaw, TEXT_DIALECTS, type TextDialect } from "./raw-client.js";

import { type Mock, type MockOptions, startMock } from "./server.js";

let mock: Mock | undefined;
afterEach(() => mock?.close());

async function start(script: MockOptions): Promise<string> {
  mock = await startMock(script);
  return mock.url;
}

const RESULT = "x".repeat(4000);

/** A conversation with a tool result, in each API format. */
const WITH_RESULT: Record<TextDialect, (result: string) => object> = {
  chat: (content) => ({
    messages: [
      { role: "user", content: "Go" },
      { role: "tool", tool_call_id: "1", content },
    ],
  }),
  responses: (output) => ({
    input: [
      { role: "user", content: "Go" },
      { type: "function_call_output", call_id: "1", output },
    ],
  }),
  anthropic: (content) => ({
    messages: [
      {
        role: "user",
        content: [
          { type: "text", text: "Go" },
          { type: "tool_result", tool_use_id: "1", content },
        ],
      },
    ],
  }),
  gemini: (output) => ({
    contents: [{ role: "user", parts: [{ text: "Go" }, { functionResponse: { name: "f", response: { output } } }] }],
  }),
};

describe.each(TEXT_DIALECTS)("%s", (dialect) => {
  it("counts tool results as input", async () => {
    const url = await start({ reply: "Done." });
    for (const result of ["", RESULT]) await askMock(url, dialect, { more: { ...WITH_RESULT[dialect](result) } });
    const [without = 0, with_ = 0] = mock?.requests.map(({ usage }) => usage?.input) ?? [];
    expect(with_ - without).toBeGreaterThanOrEqual(1000);
    expect(with_ - without).toBeLessThanOrEqual(1010);
  });

  it("rejects parameters that its model does not support, and names them", async () => {
    const url = await start({ refuses: ["temperature"], reply: "Hi" });
    const settings = dialect === "gemini" ? { generationConfig: { temperature: 0 } } : { temperature: 0 };
    const refused = await askMock(url, dialect, { more: settings });
    expect(refused.status).toBe(400);
    const body = JSON.parse(refused.text);
    expect(getPath(body, "error", "message")).toContain("temperature");
    if (dialect === "chat" || dialect === "responses")
      expect(body).toMatchObject({ error: { param: "temperature", code: "unsupported_value" } });
    expect((await askMock(url, dialect, {})).status).toBe(200);
    expect(mock?.requests[0]).toMatchObject({ fault: "refuses", status: 400 });
  });
});

it("accepts a tool choice that leaves it to the model", async () => {
  const url = await start({ refuses: ["tool_choice"] });
  for (const [choice, status] of [
    ["auto", 200],
    ["required", 400],
  ] as const)
    expect((await askMock(url, "chat", { more: { tool_choice: choice } })).status).toBe(status);
});

it("accepts tools offered by an input item, and scripts that call them", async () => {
  const url = await start({ tools: [{ command: "echo hi" }], reply: "Done." });
  const exec = {
    type: "custom",
    name: "exec",
    description: "declare const tools: { exec_command(args: { cmd: string }) }",
  };
  const item = (tools: object[]) => ({ type: "additional_tools", role: "developer", tools });
  const input = (tools: object[]) => ({ model: "m", input: [item(tools), { role: "user", content: "Go" }] });
  const group = { type: "namespace", name: "functions", tools: [exec, { type: "function", name: "wait" }] };
  const scripted = await sendRaw(`${url}/v1/responses`, { body: input([group]) });
  expect(getPath(JSON.parse(scripted.text), "output", 0)).toMatchObject({
    type: "custom_tool_call",
    name: "exec",
    input: 'text(await tools.exec_command({"cmd":"echo hi"}));',
  });
  const plain = { type: "function", name: "shell", parameters: { properties: { command: { type: "string" } } } };
  const called = await sendRaw(`${url}/v1/responses`, { body: input([plain]) });
  expect(getPath(JSON.parse(called.text), "output", 0)).toMatchObject({ type: "function_call", name: "shell" });
});
