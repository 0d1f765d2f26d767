import { describe, expect, it } from "vitest";
import { UsageError } from "../../core/errors.js";
import { isLoopback } from "../../core/loopback.js";
import { parseEndpointHost, requireSafeEndpoint } from "./endpoint.js";

describe("parseEndpointHost", () => {
  it.each([
    ["http://127.0.0.1:8080/v1", "127.0.0.1:8080"],
    ["https://api.openai.com/v1", "api.openai.com"],
    ["https://api.openai.com:443", "api.openai.com"],
    ["http://api.openai.com:443", "api.openai.com:443"],
    ["http://[::1]:9/", "[::1]:9"],
  ])("returns host and port of %s", (url, name) => expect(parseEndpointHost(url)).toBe(name));
});

describe("isLoopback", () => {
  it.each(["localhost", "a.localhost", "127.0.0.1", "127.9.9.9", "::1", "[::1]", "LOCALHOST"])(
    "recognizes %s",
    (host) => expect(isLoopback(host)).toBe(true),
  );

  it.each(["http://127.1/", "http://0x7f.1/", "http://[::ffff:127.0.0.1]/"])("recognizes the host of %s", (url) =>
    expect(isLoopback(new URL(url).hostname)).toBe(true),
  );

  it.each([
    "127.0.0.1.evil.com",
    "localhost.evil.com",
    "10.0.0.1",
    "notlocalhost",
    "128.0.0.1",
    "[::2]",
    "::ffff:8f00:1",
  ])("does not accept %s as this machine", (host) => expect(isLoopback(host)).toBe(false));
});

describe("requireSafeEndpoint", () => {
  it("allows a key over https, and over http to this machine", () => {
    for (const url of ["https://api.example.com/v1", "http://localhost:1", "http://127.0.0.1:1/v1"]) {
      expect(requireSafeEndpoint({ url, hasKey: true }).href).toBe(new URL(url).href);
    }
  });

  it("rejects a key over plain http to another machine, unless allowed or without a key", () => {
    const url = "http://10.1.2.3:8080/v1";
    expect(() => requireSafeEndpoint({ url, hasKey: true })).toThrow(UsageError);
    expect(() => requireSafeEndpoint({ url, hasKey: true })).toThrow(/10\.1\.2\.3:8080 .*plain http.*allowInsecure/);
    expect(requireSafeEndpoint({ url, hasKey: true, allowInsecure: true }).port).toBe("8080");
    expect(requireSafeEndpoint({ url, hasKey: false }).port).toBe("8080");
  });

  it.each(["", "api.openai.com", "ftp://host/", "file:///etc/passwd", "http://"])("rejects %j", (url) =>
    expect(() => requireSafeEndpoint({ url, hasKey: false })).toThrow(/not an http or https URL/),
  );

  it("rejects a password in the URL without repeating it", () => {
    const check = () => requireSafeEndpoint({ url: "https://me:hunter2@host/v1", hasKey: false });
    expect(check).toThrow(/user name or a password/);
    expect(check).not.toThrow(/hunter2/);
  });
});
