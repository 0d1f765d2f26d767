import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { networkInterfaces } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterEach, describe, expect, it } from "vitest";
import { HubError } from "./errors.js";
import { createHubFetch, withRetries } from "./fetch.js";
import { createHubContext } from "./hub.js";

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

interface Served {
  readonly port: number;
  readonly seen: IncomingHttpHeaders[];
}

async function serve(address: string, answer: { status?: number; location?: string; body?: string }): Promise<Served> {
  const seen: IncomingHttpHeaders[] = [];
  const server = createServer(({ headers }, response) => {
    seen.push(headers);
    const { status = 200, location, body = "content" } = answer;
    response.writeHead(status, location === undefined ? {} : { location }).end(body);
  });
  servers.push(server);
  server.listen(0, address);
  await once(server, "listening");
  return { port: (server.address() as AddressInfo).port, seen };
}

/** Sends a request like the hub's library. */
async function ask(endpoint: string): Promise<Response> {
  const context = createHubContext({ endpoint, token: "secret", cacheDir: "" });
  return createHubFetch(context, { about: { repo: "me/toy" }, onBytes: () => {} })(`${endpoint}/`);
}

describe("the token", () => {
  it("is sent only to the hub's origin", async () => {
    const elsewhere = await serve("127.0.0.1", {});
    const hub = await serve("127.0.0.1", { status: 302, location: `http://127.0.0.1:${elsewhere.port}/file` });
    const endpoint = `http://127.0.0.1:${hub.port}`;
    await (await ask(endpoint)).text();
    expect(hub.seen[0]?.authorization).toBe("Bearer secret");
    expect(elsewhere.seen).toHaveLength(1);
    expect(elsewhere.seen[0]?.authorization).toBeUndefined();
  });

  it("is not sent over plain http except to this machine, and the error says so", async (context) => {
    const address = Object.values(networkInterfaces())
      .flat()
      .find((each) => each?.family === "IPv4" && !each.internal)?.address;
    if (address === undefined) return context.skip("this machine has no address but loopback");
    const hub = await serve(address, { status: 401 });
    const endpoint = `http://${address}:${hub.port}`;
    await expect(ask(endpoint)).rejects.toThrow(/not sent over plain http/);
    expect(hub.seen[0]?.authorization).toBeUndefined();
  });
});

describe("an answer", () => {
  it("asks for uncompressed bytes", async () => {
    const hub = await serve("127.0.0.1", {});
    const endpoint = `http://127.0.0.1:${hub.port}`;
    await (await ask(endpoint)).text();
    expect(hub.seen[0]?.["accept-encoding"]).toBe("identity");
  });

  it("is complete even if garbage is collected before it is read", async () => {
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    const body = "x".repeat(30_000);
    const { port } = await serve("127.0.0.1", { body });
    const endpoint = `http://127.0.0.1:${port}`;
    for (let round = 0; round < 5; round++) {
      const answer = await ask(endpoint);
      // Only after a turn is the response no longer referenced by the request.
      await sleep(5);
      collect();
      await sleep(20);
      expect(await answer.text()).toBe(body);
    }
  });

  it("is rejected if it redirects to a scheme other than http", async () => {
    const hub = await serve("127.0.0.1", { status: 302, location: "file:///etc/passwd" });
    const endpoint = `http://127.0.0.1:${hub.port}`;
    await expect(ask(endpoint)).rejects.toThrow(/unsafe URL/);
  });
});

const again = () => new HubError("no luck", { retry: { afterMs: null } });

function bench() {
  const waits: number[] = [];
  const sleep = async (ms: number) => void waits.push(ms);
  return { waits, context: createHubContext({ env: {} }, { sleep, random: () => 1 }) };
}

describe("withRetries", () => {
  it("gives up after the maximum number of tries, and keeps the cause", async () => {
    const { waits, context } = bench();
    const error = again();
    const failing = withRetries(context, () => Promise.reject(error));
    await expect(failing).rejects.toThrow("no luck Tried 5 times.");
    await expect(failing).rejects.toMatchObject({ cause: error, isOutage: true });
    expect(waits).toEqual([500, 1000, 2000, 4000]);
  });

  it("does not count tries that made progress", async () => {
    const { waits, context } = bench();
    let mark = 0;
    const work = async () => {
      mark += 2_000_000;
      if (mark < 20_000_000) throw again();
      return mark;
    };
    expect(await withRetries(context, work, { mark: () => mark })).toBe(20_000_000);
    expect(waits).toEqual(Array.from({ length: 9 }, () => 500));
  });

  it("does not retry errors that a retry cannot fix", async () => {
    const { waits, context } = bench();
    await expect(withRetries(context, () => Promise.reject(new HubError("wrong")))).rejects.toThrow(/^wrong$/);
    await expect(withRetries(context, () => Promise.reject(new TypeError("bug")))).rejects.toThrow(TypeError);
    expect(waits).toEqual([]);
  });
});
