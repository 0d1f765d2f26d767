import { describe, expect, it } from "vitest";
import { RouteTable, replaceModelInPath } from "./route.js";

const routes = new RouteTable("secret");
const find = (url: string, method = "POST") => {
  const route = routes.find(method, url);
  return route === null ? null : `${route.provider.name} ${route.path}${route.query} ${route.kind} ${route.dialect}`;
};

describe("RouteTable", () => {
  it.each([
    ["/secret/openai/v1/chat/completions", "openai /chat/completions answer chat"],
    ["/secret/openai/chat/completions", "openai /chat/completions answer chat"],
    ["/secret/openai/v1/completions", "openai /completions answer chat"],
    ["/secret/openai/v1/embeddings", "openai /embeddings embedding chat"],
    ["/secret/openai/v1/responses?x=1", "openai /responses?x=1 answer responses"],
    ["/secret/openai/v1/responses/compact", "openai /responses/compact answer responses"],
    ["/secret/openai/v1/responses/input_tokens", "openai /responses/input_tokens count responses"],
    ["/secret/openai/v1x/responses", "openai /v1x/responses answer responses"],
    ["/secret/anthropic/v1/messages?beta=true", "anthropic /v1/messages?beta=true answer anthropic"],
    ["/secret/anthropic/messages", "anthropic /v1/messages answer anthropic"],
    ["/secret/anthropic/v1/messages/count_tokens", "anthropic /v1/messages/count_tokens count anthropic"],
    [
      "/secret/google/v1beta/models/m:generateContent?key=k",
      "google /v1beta/models/m:generateContent?key=k answer gemini",
    ],
    ["/secret/google/models/m:streamGenerateContent", "google /v1beta/models/m:streamGenerateContent answer gemini"],
    ["/secret/google/v1beta/openai/chat/completions", "google /v1beta/openai/chat/completions answer chat"],
    ["/secret/google/v1beta/models/m:countTokens", "google /v1beta/models/m:countTokens count gemini"],
  ])("matches %s", (url, route) => {
    expect(find(url)).toBe(route);
  });

  it.each([
    "/chat/%63ompletions",
    "/chat//completions",
    "//chat/completions",
    "/chat/completions/",
    "/chat/completions//",
    "/chat/./completions",
    "/images/../chat/completions",
    "/images/%2e%2e/chat/completions",
    "/../../chat/completions",
    "/chat%2Fcompletions",
    "/chat%5ccompletions",
    "/chat\\completions",
    "/Chat/COMPLETIONS",
    "/V1/chat/completions",
  ])("matches %s as Chat Completions and forwards it as that", (path) => {
    expect(find(`/secret/openai${path}`)).toBe("openai /chat/completions answer chat");
    expect(find(`/secret/openai/v1${path}?a=%20//..`)).toMatch(/completions\?a=%20\/\/\.\. answer chat$/);
  });

  it.each([
    ["POST", "/openai/v1/images/generations", "openai /images/generations"],
    ["POST", "/openai/v1/audio/speech/", "openai /audio/speech"],
    ["POST", "/openai/v1/files", "openai /files"],
    ["POST", "/openai/v1/batches", "openai /batches"],
    ["GET", "/openai/v1/responses/resp_1", "openai /responses/resp_1"],
    ["GET", "/openai/v1/chat/completions", "openai /chat/completions"],
    ["PUT", "/openai/v1/chat/completions", "openai /chat/completions"],
    ["DELETE", "/openai/v1/models/m", "openai /models/m"],
    ["POST", "/openai/v1/models", "openai /models"],
    ["POST", "/openai/v1/images/chat/completions", "openai /images/chat/completions"],
    ["POST", "/openai/v1/chat/completions;a=b", "openai /chat/completions;a=b"],
    ["POST", "/openai/v1/chat/%2563ompletions", "openai /chat/%2563ompletions"],
    ["POST", "/openai/v1/images/generations%3F/chat/completions", "openai /images/generations%3F/chat/completions"],
    ["POST", "/openai/v1/images/generations%23/chat/completions", "openai /images/generations%23/chat/completions"],
    ["POST", "/openai/v1/%zz/é", "openai /%25zz/%C3%A9"],
    ["POST", "/anthropic/v1/messages/batches", "anthropic /v1/messages/batches"],
    ["POST", "/anthropic/v1/complete", "anthropic /v1/complete"],
    ["POST", "/google/v1beta/models/m:batchGenerateContent", "google /v1beta/models/m:batchGenerateContent"],
    [
      "POST",
      "/google/v1beta/models/m:generateContent:countTokens",
      "google /v1beta/models/m:generateContent:countTokens",
    ],
    ["GET", "/google/v1beta/models/m:generateContent", "google /v1beta/models/m:generateContent"],
  ])("treats %s %s as unmetered", (method, url, path) => {
    expect(find(`/secret${url}`, method)).toMatch(new RegExp(`^${path.replace(/[.?+]/g, "\\$&")} unmetered `));
  });

  it.each([
    ["GET", "/openai/v1/models", "openai /models list chat"],
    ["GET", "/openai/v1/models/gpt-4o", "openai /models/gpt-4o list chat"],
    ["HEAD", "/anthropic/", "anthropic  list anthropic"],
    ["GET", "/anthropic/v1/models?limit=2", "anthropic /v1/models?limit=2 list anthropic"],
    ["GET", "/google/models", "google /v1beta/models list gemini"],
    ["GET", "/google?alt=x", "google ?alt=x list gemini"],
  ])("treats %s %s as free", (method, url, route) => {
    expect(find(`/secret${url}`, method)).toBe(route);
  });

  it.each([
    "/",
    "",
    "/secret",
    "/secret/",
    "/secret/openaix/v1/responses",
    "/secret/azure/v1",
    "/secreT/openai/v1/responses",
    "/openai/v1/responses",
    "//secret/openai/v1",
    "http://127.0.0.1/secret/openai/v1/responses",
    "/sécret/openai",
  ])("finds nothing at %s", (url) => {
    expect(find(url)).toBeNull();
  });
});

describe("the model in the path", () => {
  it.each([
    ["/google/v1beta/models/gemini-2.5-flash:streamGenerateContent", "gemini-2.5-flash"],
    ["/google/models/a%20b:generateContent", "a b"],
    ["/google/models/%zz:generateContent", "%zz"],
    ["/google/MODELS/Big:GENERATECONTENT", "Big"],
  ])("of %s is read and replaced", (url, model) => {
    const route = routes.find("POST", `/secret${url}?alt=sse&key=models/x:generateContent`);
    expect(route?.model).toBe(model);
    expect(route && replaceModelInPath(route, "o/ther")).toMatch(
      /^\/v1beta\/models\/o%2Fther:(?:streamG|g)enerateContent$/,
    );
  });
});
