import { once } from "node:events";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { afterEach, describe, expect, it } from "vitest";
import { TrialError } from "../../core/errors.js";
import { type HttpClient, type HttpRequest, openClient } from "./client.js";
import { type Handler, type ScriptedServer, serveBytes, serveScript } from "./scripted-server.js";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function serve(handler: Handler): Promise<ScriptedServer> {
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
  it("sends the body and the headers, and gives status, headers and text", async () => {
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

  it("hands over the parts of the body as they come", async () => {
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

  it("uses connections again: two at most for calls one after the other, for a hundred at a time as many", async () => {
    const server = await serve((_, response) => response.end("ok"));
    const http = client();
    for (let n = 0; n < 5; n++) await (await http.post(call(server.url))).text(10);
    expect(server.connections()).toBeLessThanOrEqual(2);
    await Promise.all(Array.from({ length: 100 }, async () => (await http.post(call(server.url))).text(10)));
    expect(server.requests).toHaveLength(105);
    expect(server.connections()).toBeLessThanOrEqual(102);
  });

  it("reads IPv6 addresses", async () => {
    const error = await failure(client().post(call("http://[::1]:1/")));
    expect(error.message).toMatch(/\[::1\]:1/);
  });
});

describe("compressed answers", () => {
  it.each([
    ["gzip", gzipSync],
    ["deflate", deflateSync],
    ["br", brotliCompressSync],
  ])("decodes %s, though it did not ask for it", async (encoding, compress) => {
    const server = await serve((_, response) =>
      response.writeHead(200, { "content-encoding": encoding }).end(compress("squeezed ✓")),
    );
    expect(await (await client().post(call(server.url))).text(100)).toBe("squeezed ✓");
  });

  it.each([
    ["gzip", "no gzip at all", /compressed data that cannot be read/],
    ["rot13", "uryyb", /encoding "rot13"/],
  ])("says so when %s cannot be read", async (encoding, body, message) => {
    const server = await serve((_, response) => response.writeHead(200, { "content-encoding": encoding }).end(body));
    const error = await failure((await client().post(call(server.url))).text(100));
    expect(error.message).toMatch(message);
  });
});

describe("stopping", () => {
  it("ends the connection when the reader has enough", async () => {
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

  it("ends the connection of an answer nobody wants", async () => {
    let closed: Promise<unknown> = Promise.resolve();
    const server = await serve((_, response) => {
      closed = once(response, "close");
      response.write("first");
    });
    (await client().post(call(server.url))).discard();
    await closed;
    expect(server.requests).toHaveLength(1);
  });

  it("rejects with the signal's reason, before the call, before the answer and within it", async () => {
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

  it("rejects a body that was aborted before anybody read it", async () => {
    const controller = new AbortController();
    const server = await serve((_, response) => response.write("first"));
    const answer = await client().post(call(server.url, { signal: controller.signal }));
    controller.abort("enough");
    await backInPool();
    await expect(answer.read(() => {})).rejects.toBe("enough");
  });

  it("hands on what the reader throws, and ends the connection", async () => {
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

describe("what goes wrong", () => {
  it("says that nothing listens", async () => {
    const server = await serve(() => {});
    await server.close();
    const error = await failure(client().post(call(server.url)));
    expect(error).toMatchObject({ category: "api_error", retry: { afterMs: null } });
    expect(error.message).toBe(
      `Nothing listens on 127.0.0.1:${server.port}: the connection was refused. Start the endpoint, or check host and port.`,
    );
  });

  it("says that there is no such host, which no second try will change", async () => {
    const error = await failure(client().post(call("http://no-such-host.invalid:81/v1")));
    expect(error.category).toBe("api_error");
    expect(error.message).toMatch(/no-such-host\.invalid:81/);
    // Without a network the name server itself cannot be asked, which may pass.
    const isUnknown = error.message.startsWith("There is no host");
    expect(error.retry).toEqual(isUnknown ? undefined : { afterMs: null });
  });

  it("does not follow a redirect, and says where it points without its query", async () => {
    const server = await serve((_, response) =>
      response.writeHead(307, { location: "https://elsewhere.example/v1?token=abc" }).end(),
    );
    const error = await failure(client().post(call(`${server.url}/v1`)));
    expect(error.message).toMatch(/redirects to https:\/\/elsewhere\.example\/v1\. Redirects are not followed/);
    expect(error.retry).toBeUndefined();
  });

  it("says that the answer was cut", async () => {
    const server = await serve((_, response) => {
      response.writeHead(200, { "content-length": "100" });
      response.write("half", () => response.destroy());
    });
    const answer = await client().post(call(server.url));
    const error = await failure(answer.text(1000));
    expect(error).toMatchObject({ category: "api_error", retry: { afterMs: null } });
    expect(error.message).toMatch(/closed the connection before its answer was complete/);
  });

  it("says that it is no HTTP", async () => {
    const server = await bytes((socket) => socket.end("SSH-2.0-OpenSSH\r\n"));
    const error = await failure(client().post(call(server.url)));
    expect(error.message).toMatch(/does not answer in HTTP/);
    expect(error.retry).toBeUndefined();
  });

  it("refuses a body that is too long, and one that is no text", async () => {
    const server = await serve((request, response) =>
      response.end(request.url === "/long" ? "x".repeat(500) : Buffer.from([0xc3, 0x28])),
    );
    const http = client();
    expect((await failure((await http.post(call(`${server.url}/long`))).text(400))).message).toMatch(/more than 400 b/);
    expect((await failure((await http.post(call(`${server.url}/bad`))).text(400))).message).toMatch(/invalid UTF-8/);
  });

  it("gives up waiting for the head, and between two parts", async () => {
    const server = await serve((request, response) => {
      if (request.url === "/idle") response.write("first");
    });
    const http = client();
    const late = await failure(http.post(call(server.url, { headersTimeoutMs: 30 })));
    expect(late).toMatchObject({ category: "timeout", retry: { afterMs: null } });
    expect(late.message).toMatch(/did not begin to answer within 30 ms/);
    const answer = await http.post(call(`${server.url}/idle`, { idleTimeoutMs: 30 }));
    const idle = await failure(answer.read(() => {}));
    expect(idle.category).toBe("timeout");
    expect(idle.message).toMatch(/stopped sending in the middle of its answer for 30 ms/);
  });

  it("gives up on a connection that is never made", async () => {
    // An address that is reserved for documentation: packets to it go nowhere, or are refused by a network without a way out.
    const error = await failure(client().post(call("http://192.0.2.1:81/", { connectTimeoutMs: 60 })));
    expect(["timeout", "api_error"]).toContain(error.category);
    expect(error.message).toMatch(/192\.0\.2\.1:81/);
    expect(error.retry).toEqual({ afterMs: null });
  });
});

/** A connection can be used again a moment after its answer was read. */
const backInPool = () => new Promise((resolve) => setImmediate(resolve));

describe("a kept connection that the server closes when it is used again", () => {
  it("fails the call, which is sent once and may be made again", async () => {
    let handled = 0;
    const server = await bytes((socket) => {
      handled += 1;
      // The second request on a connection is answered by closing it, as a server does whose patience ran out.
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
