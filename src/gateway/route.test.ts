import { describe, expect, it } from "vitest";
import { modelInPath, RouteTable, withModelInPath } from "./route.js";

const routes = new RouteTable("secret");
const find = (url: string, method = "POST") => {
  const route = routes.find(method, url);
  return route === null ? null : `${route.provider.name} ${route.path} ${route.dialect}`;
};

describe("RouteTable", () => {
  it.each([
    ["/secret/openai/v1/chat/completions", "openai /chat/completions chat"],
    ["/secret/openai/chat/completions", "openai /chat/completions chat"],
    ["/secret/openai/v1/responses?x=1", "openai /responses?x=1 responses"],
    ["/secret/openai/v1/embeddings", "openai /embeddings null"],
    ["/secret/openai/v1x/responses", "openai /v1x/responses responses"],
    ["/secret/anthropic/v1/messages?beta=true", "anthropic /v1/messages?beta=true anthropic"],
    ["/secret/anthropic/messages", "anthropic /v1/messages anthropic"],
    ["/secret/anthropic/v1/messages/count_tokens", "anthropic /v1/messages/count_tokens null"],
    ["/secret/google/v1beta/models/m:generateContent?key=k", "google /v1beta/models/m:generateContent?key=k gemini"],
    ["/secret/google/models/m:streamGenerateContent", "google /v1beta/models/m:streamGenerateContent gemini"],
    ["/secret/google/v1beta/openai/chat/completions", "google /v1beta/openai/chat/completions chat"],
    ["/secret/google/v1beta/models/m:countTokens", "google /v1beta/models/m:countTokens null"],
  ])("takes %s", (url, route) => {
    expect(find(url)).toBe(route);
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
  ])("knows nothing at %s", (url) => {
    expect(find(url)).toBeNull();
  });

  it("meters nothing but POST: other methods make no model answer", () => {
    expect(find("/secret/openai/v1/responses", "GET")).toBe("openai /responses null");
  });
});

describe("the model in a path", () => {
  it("is read and replaced, the query untouched", () => {
    const path = "/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse&key=models/x:generateContent";
    expect(modelInPath(path)).toBe("gemini-2.5-flash");
    expect(withModelInPath(path, "other")).toBe(path.replace("gemini-2.5-flash", "other"));
    expect(modelInPath("/models/a%20b:generateContent")).toBe("a b");
    expect(modelInPath("/models/%zz:generateContent")).toBe("%zz");
    expect(modelInPath("/models")).toBeNull();
  });
});
