import { once } from "node:events";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { afterEach, describe, expect, it } from "vitest";
import { TrialError } from "../../core/errors.js";
import { type HttpClient, type HttpRequest, openClient } from "./client.js";
import { type ScriptedServer, type ScriptHandler, serveBytes, serveScript } from "./scripted-server.js";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function serve(handler: ScriptHandler): Promise<ScriptedServer> {
  const server = await serveScript(handler);
  closing.push(server.close);
  return server;
}

async function bytes(onRequest: Parameters<typeof serveBytes>[0]) {
  const server = await serveBytes(onRequest);
  closing.push(server.close);
  return server;
}

function client(): HttpClient {
  const made = openClient();
  closing.push(() => made.close());
  return made;
}

const call = (url: string, more: Partial<HttpRequest> = {}): HttpRequest => ({
  url,
  headers: {},
  body: "{}",
  signal: new AbortController().signal,
  ...more,
});

async function failure(promise: Promise<unknown>): Promise<TrialError> {
  const error: unknown = await promise.then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(TrialError);
  return error as TrialError;
}

describe("a call", () => {
  it("sends the body and headers, and returns status, headers and text", async () => {
    const server = await serve((request, response) => {
      response.writeHead(201, { "x-it": "yes" }).end(`got ${request.body} ✓`);
    });
    const request = call(`${server.url}/a?b=c`, { body: "snow ☃", headers: { "x-mine": "1" } });
    const answer = await client().post(request);
    expect([answer.status, answer.headers["x-it"]]).toEqual([201, "yes"]);
    expect(await answer.text(100)).toBe("got snow ☃ ✓");
    expect(server.requests[0]).toMatchObject({
      url: "/a?b=c",
      headers: { "x-mine": "1", "content-length": "8", "accept-encoding": "identity" },
    });
  });

  it("passes on chunks as they arrive", async () => {
    let next = () => {};
    const server = await serve((_, response) => {
      response.write("one");
      next = () => response.end("two");
    });
    const parts: string[] = [];
    const answer = await client().post(call(server.url));
    await answer.read((chunk) => {
      parts.push(chunk.toString());
      if (parts.length === 1) next();
    });
    expect(parts).toEqual(["one", "two"]);
  });

  it("reuses connections: at most two for sequential calls, as many as needed for a hundred parallel ones", async () => {
    const server = await serve((_, response) => response.end("ok"));
    const http = client();
    for (let n = 0; n < 5; n++) await (await http.post(call(server.url))).text(10);
    expect(server.connections()).toBeLessThanOrEqual(2);
    await Promise.all(Array.from({ length: 100 }, async () => (await http.post(call(server.url))).text(10)));
    expect(server.requests).toHaveLength(105);
    expect(server.connections()).toBeLessThanOrEqual(102);
  });

  it("accepts IPv6 addresses", async () => {
    const error = await failure(client().post(call("http://[::1]:1/")));
    expect(error.message).toMatch(/\[::1\]:1/);
  });
});

describe("compressed responses", () => {
  it.each([
    ["gzip", gzipSync],
    ["deflate", deflateSync],
    ["br", brotliCompressSync],
  ])("decodes %s, even unrequested", async (encoding, compress) => {
    const server = await serve((_, response) =>
      response.writeHead(200, { "content-encoding": encoding }).end(compress("squeezed ✓")),
    );
    expect(await (await client().post(call(server.url))).text(100)).toBe("squeezed ✓");
  });

  it.each([
    ["gzip", "no gzip at all", /compressed data that cannot be decoded/],
    ["rot13", "uryyb", /encoding "rot13"/],
  ])("reports that %s cannot be decoded", async (encoding, body, message) => {
    const server = await serve((_, response) => response.writeHead(200, { "content-encoding": encoding }).end(body));
    const error = await failure((await client().post(call(server.url))).text(100));
    expect(error.message).toMatch(message);
  });
});

describe("stopping", () => {
  it("closes the connection when the reader stops", async () => {
    let closed: Promise<unknown> = Promise.resolve();
    const server = await serve((_, response) => {
      closed = once(response, "close");
      response.write("first");
    });
    const parts: string[] = [];
    const answer = await client().post(call(server.url));
    await answer.read((chunk) => {
      parts.push(chunk.toString());
      return false;
    });
    await closed;
    expect(parts).toEqual(["first"]);
  });

  it("closes the connection of a discarded response", async () => {
    let closed: Promise<unknown> = Promise.resolve();
    const server = await serve((_, response) => {
      closed = once(response, "close");
      response.write("first");
    });
    (await client().post(call(server.url))).discard();
    await closed;
    expect(server.requests).toHaveLength(1);
  });

  it("rejects with the signal's reason before the call, before the response and within it", async () => {
    const reason = { code: "TIME_KILLED" };
    const http = client();
    const server = await serve((_, response, number) => {
      if (number === 1) abort();
      else response.write("first");
    });
    let controller = new AbortController();
    const abort = () => controller.abort(reason);
    await expect(http.post(call(server.url, { signal: AbortSignal.abort(reason) }))).rejects.toBe(reason);
    await expect(http.post(call(server.url, { signal: controller.signal }))).rejects.toBe(reason);
    controller = new AbortController();
    const answer = await http.post(call(server.url, { signal: controller.signal }));
    await expect(answer.read(() => controller.abort(reason))).rejects.toBe(reason);
  });

  it("rejects a body that was aborted before it was read", async () => {
    const controller = new AbortController();
    const server = await serve((_, response) => response.write("first"));
    const answer = await client().post(call(server.url, { signal: controller.signal }));
    controller.abort("enough");
    await backInPool();
    await expect(answer.read(() => {})).rejects.toBe("enough");
  });

  it("rethrows what the reader throws and closes the connection", async () => {
    let closed: Promise<unknown> = Promise.resolve();
    const server = await serve((_, response) => {
      closed = once(response, "close");
      response.write("first");
    });
    const answer = await client().post(call(server.url));
    const mine = new Error("mine");
    await expect(
      answer.read(() => {
        throw mine;
      }),
    ).rejects.toBe(mine);
    await closed;
  });

  it("leaves no listener on the signal", async () => {
    const { signal } = new AbortController();
    const server = await serve((_, response) => response.end("ok"));
    const http = client();
    const added: string[] = [];
    const spied = new Proxy(signal, {
      get(target, name) {
        if (name === "addEventListener" || name === "removeEventListener") {
          return (...given: Parameters<AbortSignal["addEventListener"]>) => {
            added.push(name);
            target[name](...given);
          };
        }
        return Reflect.get(target, name, target);
      },
    });
    await (await http.post(call(server.url, { signal: spied }))).text(10);
    expect(added).toEqual(["addEventListener", "removeEventListener"]);
  });
});

describe("failures", () => {
  it("explains that nothing listens", async () => {
    const server = await serve(() => {});
    await server.close();
    const error = await failure(client().post(call(server.url)));
    expect(error).toMatchObject({ category: "api_error", retry: { afterMs: null } });
    expect(error.message).toBe(
      `Nothing listens on 127.0.0.1:${server.port}: the connection was refused. Start the endpoint, or check host and port.`,
    );
  });

  it("explains an unknown host, which is not retried", async () => {
    const error = await failure(client().post(call("http://no-such-host.invalid:81/v1")));
    expect(error.category).toBe("api_error");
    expect(error.message).toMatch(/no-such-host\.invalid:81/);
    // Without a network the DNS lookup itself fails, which is temporary.
    const isUnknown = error.message.startsWith("Unknown host");
    expect(error.retry).toEqual(isUnknown ? undefined : { afterMs: null });
  });

  it("does not follow a redirect, and names its target without the query", async () => {
    const server = await serve((_, response) =>
      response.writeHead(307, { location: "https://elsewhere.example/v1?token=abc" }).end(),
    );
    const error = await failure(client().post(call(`${server.url}/v1`)));
    expect(error.message).toMatch(/redirects to https:\/\/elsewhere\.example\/v1\. Redirects are not followed/);
    expect(error.retry).toBeUndefined();
  });

  it("reports a truncated response", async () => {
    const server = await serve((_, response) => {
      response.writeHead(200, { "content-length": "100" });
      response.write("half", () => response.destroy());
    });
    const answer = await client().post(call(server.url));
    const error = await failure(answer.text(1000));
    expect(error).toMatchObject({ category: "api_error", retry: { afterMs: null } });
    expect(error.message).toMatch(/closed the connection before its response was complete/);
  });

  it("reports a response that is not HTTP", async () => {
    const server = await bytes((socket) => socket.end("SSH-2.0-OpenSSH\r\n"));
    const error = await failure(client().post(call(server.url)));
    expect(error.message).toMatch(/does not respond with HTTP/);
    expect(error.retry).toBeUndefined();
  });

  it("rejects a body that is too long, and one that is not UTF-8", async () => {
    const server = await serve((request, response) =>
      response.end(request.url === "/long" ? "x".repeat(500) : Buffer.from([0xc3, 0x28])),
    );
    const http = client();
    expect((await failure((await http.post(call(`${server.url}/long`))).text(400))).message).toMatch(/more than 400 b/);
    expect((await failure((await http.post(call(`${server.url}/bad`))).text(400))).message).toMatch(/invalid UTF-8/);
  });

  it("times out waiting for headers, and between chunks", async () => {
    const server = await serve((request, response) => {
      if (request.url === "/idle") response.write("first");
    });
    const http = client();
    const late = await failure(http.post(call(server.url, { headersTimeoutMs: 30 })));
    expect(late).toMatchObject({ category: "timeout", retry: { afterMs: null } });
    expect(late.message).toMatch(/did not start to respond within 30 ms/);
    const answer = await http.post(call(`${server.url}/idle`, { idleTimeoutMs: 30 }));
    const idle = await failure(answer.read(() => {}));
    expect(idle.category).toBe("timeout");
    expect(idle.message).toMatch(/sent no data for 30 ms in the middle of its response/);
  });

  it("times out connecting", async () => {
    // An address reserved for documentation: packets are dropped, or rejected by a network without a route.
    const error = await failure(client().post(call("http://192.0.2.1:81/", { connectTimeoutMs: 60 })));
    expect(["timeout", "api_error"]).toContain(error.category);
    expect(error.message).toMatch(/192\.0\.2\.1:81/);
    expect(error.retry).toEqual({ afterMs: null });
  });
});

/** A connection returns to the pool a moment after its response was read. */
const backInPool = () => new Promise((resolve) => setImmediate(resolve));

describe("a persistent connection that the server closes on reuse", () => {
  it("fails the call, which is sent once and can be retried", async () => {
    let handled = 0;
    const server = await bytes((socket) => {
      handled += 1;
      // The server closes the connection on its second request, as after an idle timeout.
      if (handled === 2) socket.destroy();
      else socket.write("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok");
    });
    const http = client();
    expect(await (await http.post(call(server.url))).text(10)).toBe("ok");
    await backInPool();
    const error = await failure(http.post(call(server.url)));
    expect(error).toMatchObject({ category: "api_error", retry: { afterMs: null } });
    expect([handled, server.connections()]).toEqual([2, 1]);
  });
});
