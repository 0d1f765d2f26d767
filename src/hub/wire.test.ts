import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { networkInterfaces } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterEach, describe, expect, it } from "vitest";
import { REAL_PORTS } from "./ports.js";
import { Wire } from "./wire.js";

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

function wireTo(endpoint: string): Wire {
  const settings = { endpoint, token: "secret", isOffline: false, cacheDir: "" };
  return new Wire({ settings, ports: REAL_PORTS, signal: undefined });
}

const about = { repo: "me/toy" };

describe("the token", () => {
  it("goes to the hub's own origin only", async () => {
    const elsewhere = await serve("127.0.0.1", {});
    const hub = await serve("127.0.0.1", { status: 302, location: `http://127.0.0.1:${elsewhere.port}/file` });
    const endpoint = `http://127.0.0.1:${hub.port}`;
    await (await wireTo(endpoint).open({ url: new URL(endpoint), about })).discard();
    expect(hub.seen[0]?.authorization).toBe("Bearer secret");
    expect(elsewhere.seen).toHaveLength(1);
    expect(elsewhere.seen[0]?.authorization).toBeUndefined();
  });

  it("is not sent over plain http to an address that is not this machine's own, and the error says so", async (context) => {
    const address = Object.values(networkInterfaces())
      .flat()
      .find((each) => each?.family === "IPv4" && !each.internal)?.address;
    if (address === undefined) return context.skip("this machine has no address but loopback");
    const hub = await serve(address, { status: 401 });
    const endpoint = `http://${address}:${hub.port}`;
    await expect(wireTo(endpoint).open({ url: new URL(endpoint), about })).rejects.toThrow(/not sent over plain http/);
    expect(hub.seen[0]?.authorization).toBeUndefined();
  });
});

describe("an answer", () => {
  it("asks for bytes as they are", async () => {
    const hub = await serve("127.0.0.1", {});
    const endpoint = `http://127.0.0.1:${hub.port}`;
    await (await wireTo(endpoint).open({ url: new URL(endpoint), about })).discard();
    expect(hub.seen[0]?.["accept-encoding"]).toBe("identity");
  });

  it("is whole though memory is tidied up before it is read", async () => {
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    const body = "x".repeat(30_000);
    const { port } = await serve("127.0.0.1", { body });
    const endpoint = `http://127.0.0.1:${port}`;
    for (let round = 0; round < 5; round++) {
      const answer = await wireTo(endpoint).open({ url: new URL(endpoint), about });
      // Only after a turn does nothing of the request itself hold on to its answer any more.
      await sleep(5);
      collect();
      await sleep(20);
      const chunks: Uint8Array[] = [];
      for await (const chunk of answer.chunks()) chunks.push(chunk);
      expect(Buffer.concat(chunks).toString()).toBe(body);
    }
  });

  it("that redirects to something else than http is refused", async () => {
    const hub = await serve("127.0.0.1", { status: 302, location: "file:///etc/passwd" });
    const endpoint = `http://127.0.0.1:${hub.port}`;
    await expect(wireTo(endpoint).open({ url: new URL(endpoint), about })).rejects.toThrow(/not safe to follow/);
  });
});
