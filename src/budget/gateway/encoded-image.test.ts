import { describe, expect, it } from "vitest";
import type { DialectName } from "../../models/index.js";
import { makePng } from "../../testing/images.js";
import { parseGatewayRequest } from "./request.js";
import { RouteTable } from "./route.js";

const data = makePng(1024, 1024).toString("base64");
const dataUrl = `data:image/png;base64,${data}`;
const link = "https://example.com/a.png";
const ask = (part: object) => [{ role: "user", content: [part] }];

const PATHS: Readonly<Record<string, string>> = {
  chat: "openai/chat/completions",
  responses: "openai/responses",
  anthropic: "anthropic/v1/messages",
  gemini: "google/v1beta/models/gemini-3.8-flash:generateContent",
};

function countPrompt(dialect: DialectName, body: object): number {
  const route = new RouteTable("t").find("POST", `/t/${PATHS[dialect]}`) ?? expect.unreachable();
  return parseGatewayRequest(route, Buffer.from(JSON.stringify(body)), (model) => model).promptTokens;
}

describe("the prompt of a request with an image", () => {
  const claude = "claude-opus-5-5";

  it.each<[string, DialectName, object, number]>([
    ["a data URL", "chat", { model: "gpt-4o", messages: ask({ image_url: { url: dataUrl } }) }, 765],
    ["a link", "chat", { model: "gpt-4o", messages: ask({ image_url: { url: link } }) }, 1445],
    ["a data URL", "responses", { model: "gpt-4o", input: ask({ image_url: dataUrl }) }, 765],
    ["a link", "responses", { model: "gpt-4o", input: ask({ image_url: link }) }, 1445],
    ["content", "anthropic", { model: claude, messages: ask({ source: { type: "base64", data } }) }, 1399],
    ["a link", "anthropic", { model: claude, messages: ask({ source: { type: "url", url: link } }) }, 4784],
    ["content", "gemini", { contents: [{ parts: [{ inlineData: { mimeType: "image/png", data } }] }] }, 1120],
    [
      "a damaged header",
      "chat",
      { model: "gpt-4o", messages: ask({ image_url: { url: dataUrl.slice(0, 45) } }) },
      1445,
    ],
  ])("counts the most that it can be billed as: %s in %s", (_, dialect, body, tokens) => {
    const count = countPrompt(dialect, body);
    expect(count).toBeGreaterThanOrEqual(tokens);
    // The rest are the few words around it.
    expect(count).toBeLessThan(tokens + 20);
  });

  it("counts addresses and other encoded content as before", () => {
    expect(countPrompt("chat", { model: "m", tools: [{ url: link, server_url: link }] })).toBeLessThan(20);
    expect(
      countPrompt("chat", { model: "m", messages: ask({ file: { file_data: "A".repeat(100_000) } }) }),
    ).toBeLessThan(20);
    expect(countPrompt("chat", { model: "m", messages: ask({ type: "text", text: dataUrl }) })).toBeGreaterThan(50);
  });
});
