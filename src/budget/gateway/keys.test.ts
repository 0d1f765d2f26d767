import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { GATEWAY_DIALECT_NAMES, type GatewayDialectName } from "../../models/dialects/index.js";
import { type GatewayOptions, startGateway } from "./index.js";
import {
  buildTestRequest,
  buildTestUrl,
  Closers,
  sendTestRequest,
  startScriptedUpstream,
  startTestGateway,
} from "./scripted-upstream.js";
import { KeyMask } from "./secrets.js";

const closers = new Closers();
afterEach(() => closers.closeAll());

type Answer = Parameters<typeof startScriptedUpstream>[0];

const OK: Answer = (response) => response.writeHead(200, { "content-type": "application/json" }).end("{}");

async function setUp(options: GatewayOptions, answer = OK) {
  const upstream = closers.add(await startScriptedUpstream(answer));
  return { upstream, ...closers.add(await startTestGateway(upstream.url, options)) };
}

const KEYS = { openai: "sk-real-openai", anthropic: "real-anthropic", google: "real-google" };
const CLIENTS = "client-key";
const EVERY_KEY_HEADER = {
  authorization: `Bearer ${CLIENTS}`,
  "x-api-key": CLIENTS,
  "x-goog-api-key": CLIENTS,
};

const SENT: Readonly<Record<GatewayDialectName, readonly [header: string, value: string]>> = {
  chat: ["authorization", "Bearer sk-real-openai"],
  responses: ["authorization", "Bearer sk-real-openai"],
  anthropic: ["x-api-key", "real-anthropic"],
  gemini: ["x-goog-api-key", "real-google"],
};

describe("the gateway's keys", () => {
  it.each(GATEWAY_DIALECT_NAMES)("replace those that a client of %s sends, in any header", async (name) => {
    const { upstream, gateway } = await setUp({ keys: KEYS });
    const { method, body } = buildTestRequest(name, false) as { method: string; body: string };
    const headers = { ...EVERY_KEY_HEADER, "x-own": "kept", "anthropic-beta": "one,two" };
    await (await fetch(buildTestUrl(gateway, name, false), { method, body, headers })).text();
    const [arrived] = upstream.arrived;
    const [header, value] = SENT[name];
    expect(arrived?.headers).toMatchObject({ [header]: value, "x-own": "kept", "anthropic-beta": "one,two" });
    const all = JSON.stringify(arrived);
    expect(all).not.toContain(CLIENTS);
    expect(Object.values(KEYS).filter((key) => all.includes(key))).toHaveLength(1);
  });

  it("replace a key in a Google query, and leave the rest of the query unchanged", async () => {
    const { upstream, gateway } = await setUp({ keys: KEYS });
    const base = `${gateway.url}/google/v1beta/models`;
    const queries = [`?key=${CLIENTS}`, `?alt=sse&key=${CLIENTS}&x=a%20b`, `?k%65y=${CLIENTS}&a`, "?monkey=1"];
    for (const query of queries) await (await fetch(base + query)).text();
    expect(upstream.arrived.map(({ url }) => url.replace("/v1beta/models", ""))).toEqual([
      "",
      "?alt=sse&x=a%20b",
      "?a",
      "?monkey=1",
    ]);
    for (const { headers } of upstream.arrived) expect(headers["x-goog-api-key"]).toBe(KEYS.google);
  });

  it("go only to their own provider's upstream; other providers keep their clients' keys", async () => {
    const other = closers.add(await startScriptedUpstream(OK));
    const own = closers.add(await startScriptedUpstream(OK));
    const upstreams = { openai: `${own.url}/v1`, anthropic: other.url, google: other.url };
    const { gateway } = closers.add(await startTestGateway("", { upstreams, keys: { openai: KEYS.openai } }));
    for (const name of GATEWAY_DIALECT_NAMES) await sendTestRequest(gateway, name, false);
    expect(JSON.stringify(own.arrived)).toContain(KEYS.openai);
    expect(own.arrived).toHaveLength(2);
    expect(JSON.stringify(other.arrived)).not.toContain(KEYS.openai);
    expect(other.arrived.map(({ headers }) => headers["x-api-key"] ?? headers["x-goog-api-key"])).toEqual([
      "key",
      "key",
    ]);
  });

  it("send no key when empty, not even the one of the environment", async () => {
    const { upstream, gateway } = await setUp({ keys: { openai: "" }, env: { OPENAI_API_KEY: "sk-environment" } });
    await sendTestRequest(gateway, "chat", false);
    expect(upstream.arrived[0]?.headers).not.toHaveProperty("authorization");
  });

  it("never come back in an error, its headers or the record", async () => {
    const { gateway, finished } = await setUp({ keys: KEYS }, (response, { headers }) => {
      const sent = JSON.stringify({ error: { message: `Incorrect API key: ${headers.authorization}` } });
      response.writeHead(401, { "www-authenticate": String(headers.authorization), "content-length": sent.length });
      response.write(sent.slice(0, 45));
      setTimeout(() => response.end(sent.slice(45)), 20);
    });
    const asked = await sendTestRequest(gateway, "chat", true);
    const listed = await fetch(`${gateway.url}/openai/v1/models`);
    const texts = [asked.text, ...asked.headers.values(), await listed.text(), ...listed.headers.values()];
    expect(JSON.parse(asked.text).error.message).toBe(`Incorrect API key: Bearer ${"*".repeat(14)}`);
    expect(finished.map(({ message }) => message)).toEqual(Array(2).fill("Incorrect API key: Bearer [secret]"));
    expect(JSON.stringify([texts, finished, gateway.receipt(), gateway.env])).not.toContain("real-openai");
  });

  it("never come back in a compressed error", async () => {
    const { gateway } = await setUp({ keys: KEYS }, (response, { headers }) => {
      response.writeHead(403, { "content-encoding": "gzip" });
      response.end(gzipSync(`no: ${String(headers["x-api-key"])}`));
    });
    expect((await sendTestRequest(gateway, "anthropic", false)).text).toBe(`no: ${"*".repeat(KEYS.anthropic.length)}`);
    const listed = await fetch(`${gateway.url}/anthropic/v1/models`);
    expect(await listed.text()).toBe(`no: ${"*".repeat(KEYS.anthropic.length)}`);
  });

  it("follow the rules for all keys: no plain http to other machines, no malformed keys, known providers only", async () => {
    const keys = { openai: "sk-real-openai" };
    await expect(startGateway({ keys, upstreams: { openai: "http://example.com/v1" } })).rejects.toThrow(/plain http/);
    await expect(startGateway({ keys: { google: "two words" } })).rejects.toThrow(/key for google/);
    await expect(startGateway({ keys: { opnai: "x" } as object })).rejects.toThrow(
      /for the key\. Did you mean "openai"/,
    );
  });
});

describe("KeyMask", () => {
  it("masks a key however the bytes are split, and changes nothing else", () => {
    const key = "abcabd-abcabe";
    const piece = fc.oneof(fc.constant(key), fc.constantFrom("abcabd-", "abc", "x", "abcabd-abcab"), fc.string());
    fc.assert(
      fc.property(fc.array(piece), fc.array(fc.nat(40)), (pieces, cuts) => {
        const bytes = Buffer.from(pieces.join(""));
        const mask = new KeyMask(key);
        const sent: Buffer[] = [];
        let at = 0;
        for (const cut of cuts) {
          sent.push(Buffer.from(mask.push(bytes.subarray(at, at + cut))));
          at += cut;
        }
        sent.push(Buffer.from(mask.push(bytes.subarray(at))), mask.end());
        const expected = bytes.toString().replaceAll(key, "*".repeat(key.length));
        expect(Buffer.concat(sent).toString()).toBe(expected);
      }),
    );
  });

  it("changes nothing without a key, or with one that is a common word", () => {
    for (const key of [null, "", "none"])
      expect(new KeyMask(key).push(Buffer.from("none at all")).toString()).toBe("none at all");
  });
});
