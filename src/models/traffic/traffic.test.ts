import { appendFileSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { TempProject } from "../../testing/temp-project.js";
import { openClient } from "../http/client.js";
import { serveScript } from "../http/scripted-server.js";
import { recordTraffic } from "./record-traffic.js";
import { replayTraffic } from "./replay-traffic.js";
import type { Traffic } from "./traffic.js";

const TRIAL = { system: "m", dataset: "", exampleId: "a", trial: 0 };
const KEY = "key-0123456789";

interface Call {
  readonly body: unknown;
  readonly trial?: typeof TRIAL;
  readonly by?: "system" | "judge";
  readonly signal?: AbortSignal;
}

async function send(traffic: Traffic, url: string, call: Call) {
  const client = openClient({ wrap: traffic.wrap });
  onTestFinished(() => client.close());
  const answer = await client.post({
    url: `${url}/v1/chat/completions`,
    headers: { authorization: `Bearer ${KEY}` },
    body: JSON.stringify(call.body),
    signal: call.signal ?? new AbortController().signal,
    ...(call.by === undefined ? {} : { by: call.by }),
    trial: call.trial ?? TRIAL,
  });
  return { status: answer.status, headers: answer.headers, text: await answer.text(1e7) };
}

/** Answers with the number of the request, and what it was asked. */
async function serveNumbers() {
  let number = 0;
  const server = await serveScript(({ body }, response) => {
    number += 1;
    response.writeHead(200, { "content-type": "application/json", "x-request-id": `r${number}` });
    response.end(JSON.stringify({ number, asked: JSON.parse(body) }));
  });
  onTestFinished(() => server.close());
  return { ...server, count: () => number };
}

async function recordCalls(calls: readonly Call[]) {
  const { dir } = new TempProject();
  const server = await serveNumbers();
  const traffic = recordTraffic({ dir, env: {} });
  const texts: string[] = [];
  for (const call of calls) texts.push((await send(traffic, server.url, call)).text);
  await traffic.close();
  return { dir, texts, server, file: () => join(dir, readdirSync(dir).find((name) => name.startsWith("m.")) ?? "") };
}

describe("replayed calls", () => {
  it("get the recorded answers, equal ones in the order of the recording, without the endpoint", async () => {
    const calls = [{ body: { q: "a" } }, { body: { q: "b" } }, { body: { q: "a" } }];
    const { dir, texts, server } = await recordCalls(calls);
    const traffic = replayTraffic({ dir, env: {} });
    const again: string[] = [];
    for (const at of [1, 0, 2]) again[at] = (await send(traffic, server.url, calls[at] ?? { body: {} })).text;
    expect(again).toEqual(texts);
    expect(server.count()).toBe(3);
    expect(traffic.describeTrial(TRIAL)).toBe(`replayed: 3 model calls from ${dir}, not paid again`);
  });

  it("match although ids, dates, times and folders differ", async () => {
    const then = "On 2026-01-31 at 10:00:01 in /tmp/work-abc123/x, id 0a1b2c3d-0000-4000-8000-0123456789ab, in 1.23 s";
    const now = "On 2027-12-01 at 23:59:59 in /tmp/work-xyz789/x, id ffffffff-0000-4000-8000-0123456789ab, in 4 s";
    const { dir, texts, server } = await recordCalls([{ body: { q: then, user: "u1" } }]);
    const traffic = replayTraffic({ dir, env: {} });
    expect((await send(traffic, server.url, { body: { q: now, user: "u2" } })).text).toBe(texts[0]);
  });

  it("of parallel trials, and of their judges, do not mix", async () => {
    const body = { q: "same" };
    const other = { ...TRIAL, trial: 1 };
    const { dir, texts, server } = await recordCalls([{ body }, { body, trial: other }, { body, by: "judge" }]);
    const traffic = replayTraffic({ dir, env: {} });
    const again = await Promise.all([
      send(traffic, server.url, { body }),
      send(traffic, server.url, { body, trial: other }),
      send(traffic, server.url, { body, by: "judge" }),
    ]);
    expect(again.map(({ text }) => text)).toEqual(texts);
  });

  it("fail with the difference if nothing was recorded for them, and can go to the model or to the nearest", async () => {
    const long = "x".repeat(2000);
    const { dir, server, texts } = await recordCalls([
      { body: { model: "m", messages: [{ role: "user", content: `${long} one` }] } },
      { body: { model: "m", messages: [{ role: "user", content: "quite different" }] } },
    ]);
    const call = { body: { model: "m", messages: [{ role: "user", content: `${long} two` }] } };
    const strict = replayTraffic({ dir, env: {} });
    await expect(send(strict, server.url, call)).rejects.toThrow(
      /^POST \/v1\/chat\/completions of trial 1 of "a" with m has no recorded answer in .*m\.a\.0\..* It differs from call 1 of 2: messages\[0\]\.content at character 200\d: recorded …x+ one", sent …x+ two"\. Record it/,
    );
    expect(strict.findMiss(TRIAL)?.message).toMatch(/no recorded answer/);
    expect(server.count()).toBe(2);
    const nearest = replayTraffic({ dir, env: {}, onMiss: "nearest" });
    expect((await send(nearest, server.url, call)).text).toBe(texts[0]);
    const live = replayTraffic({ dir, env: {}, onMiss: "live" });
    expect(JSON.parse((await send(live, server.url, call)).text)).toMatchObject({ number: 3, asked: call.body });
    expect([strict.isOffline, nearest.isOffline, live.isOffline]).toEqual([true, true, false]);
  });

  it("fail if they are sent more often than recorded, or in a trial without a cassette", async () => {
    const { dir, server } = await recordCalls([{ body: { q: "a" } }]);
    const traffic = replayTraffic({ dir, env: {} });
    await send(traffic, server.url, { body: { q: "a" } });
    await expect(send(traffic, server.url, { body: { q: "a" } })).rejects.toThrow(
      /no recorded answer left in .*: it was sent more often than the 1 time when/,
    );
    await expect(send(traffic, server.url, { body: { q: "a" }, trial: { ...TRIAL, trial: 4 } })).rejects.toThrow(
      /has no cassette of trial 5 of "a" with m; it has only trial 1 of it\. Record it with --record/,
    );
    for (const [other, has] of [
      [{ system: "n" }, "those of m"],
      [{ exampleId: "b" }, "only those of other examples"],
      [{ dataset: "other" }, `it of the dataset ${TRIAL.dataset}`],
    ] as const)
      await expect(send(traffic, server.url, { body: { q: "a" }, trial: { ...TRIAL, ...other } })).rejects.toThrow(
        `; it has ${has}. Record it`,
      );
  });

  it("repeat failures: statuses, broken answers, and answers that were still open", async () => {
    const { dir } = new TempProject();
    const server = await serveScript(({ body }, response) => {
      if (body.includes("busy")) response.writeHead(429, { "retry-after": "7" }).end("no");
      else if (body.includes("broken"))
        response.writeHead(200, { "content-type": "application/json" }).write("{", () => response.destroy());
      else response.writeHead(200, { "content-type": "text/event-stream" }).write('data: {"a":1}\n\n');
    });
    onTestFinished(() => server.close());
    const failures = async (traffic: Traffic) => {
      const busy = await send(traffic, server.url, { body: "busy" });
      const broken = await send(traffic, server.url, { body: "broken" }).catch((error: Error) => error.message);
      const stop = new AbortController();
      const client = openClient({ wrap: traffic.wrap });
      const open = await client.post({
        url: `${server.url}/v1/chat/completions`,
        headers: {},
        body: '"open"',
        signal: stop.signal,
        trial: TRIAL,
      });
      let text = "";
      const reading = open.read((chunk) => {
        text += chunk.toString();
        stop.abort(new Error("enough"));
      });
      const cut = await reading.catch((error: Error) => error.message);
      client.close();
      await traffic.close();
      return { busy: [busy.status, busy.headers["retry-after"], busy.text], broken, text, cut };
    };
    const recorded = await failures(recordTraffic({ dir, env: {} }));
    await server.close();
    expect(recorded).toMatchObject({ busy: [429, "7", "no"], text: 'data: {"a":1}\n\n', cut: "enough" });
    expect(await failures(replayTraffic({ dir, env: {} }))).toEqual(recorded);
  });
});

describe("a cassette", () => {
  it("stores large parts of requests once", async () => {
    const system = "You are an agent. ".repeat(200);
    const history = Array.from({ length: 20 }, (_, i) => ({ role: "user", content: `${i} ${"word ".repeat(300)}` }));
    const calls = history.map((_, i) => ({ body: { system, messages: history.slice(0, i + 1) } }));
    const { dir, server, texts, file } = await recordCalls(calls);
    const stored = readdirSync(join(dir, "bodies"), { recursive: true }).filter((name) =>
      String(name).endsWith(".json"),
    );
    expect(stored).toHaveLength(21);
    const requests = readFileSync(file(), "utf8")
      .split("\n")
      .flatMap((line) => (line.includes('"exchange"') ? [JSON.parse(line).body] : []));
    expect(JSON.stringify(requests).length).toBeLessThan(40_000);
    const traffic = replayTraffic({ dir, env: {} });
    for (const [i, call] of calls.entries()) expect((await send(traffic, server.url, call)).text).toBe(texts[i]);
  });

  it("has no keys: of requests, of variables, and none that look like one", async () => {
    const { dir } = new TempProject();
    const server = await serveScript(({ body }, response) => {
      response.writeHead(200, { "content-type": "application/json", "set-cookie": "session=1" }).end(body);
    });
    onTestFinished(() => server.close());
    const variable = "0123456789-value-of-a-variable";
    const traffic = recordTraffic({ dir, env: { MY_SECRET: variable } });
    const like = `sk-${"proj"}-abcdefghijklmnop`;
    const q = `${KEY} ${variable} ${like}`;
    await send(traffic, `${server.url}`, { body: { q } });
    const text = readFileSync(join(dir, readdirSync(dir)[0] ?? ""), "utf8");
    expect(text).not.toMatch(/key-0123|value-of-a-variable|abcdefghij|session=1/);
    expect(text.match(/\[secret\] \[secret\] \[secret\]/g)).toHaveLength(2);
    const replayed = await send(replayTraffic({ dir, env: { MY_SECRET: variable } }), server.url, { body: { q } });
    expect(replayed.text).toBe('{"q":"[secret] [secret] [secret]"}');
  });

  it("survives a kill in the middle of a line, and starts anew when a trial runs again", async () => {
    const { dir, server, texts, file } = await recordCalls([{ body: { q: "a" } }, { body: { q: "b" } }]);
    appendFileSync(file(), '{"kind":"exchange","by":"sys');
    const body = { q: "a" };
    expect((await send(replayTraffic({ dir, env: {} }), server.url, { body })).text).toBe(texts[0]);
    const judged = await send(recordTraffic({ dir, env: {} }), server.url, { body, by: "judge" });
    const kept = replayTraffic({ dir, env: {} });
    expect((await send(kept, server.url, { body })).text).toBe(texts[0]);
    expect((await send(kept, server.url, { body, by: "judge" })).text).toBe(judged.text);
    const again = await send(recordTraffic({ dir, env: {} }), server.url, { body });
    const anew = replayTraffic({ dir, env: {} });
    expect((await send(anew, server.url, { body })).text).toBe(again.text);
    await expect(send(anew, server.url, { body, by: "judge" })).rejects.toThrow(/no recorded answer/);
  });

  it("with a damaged line fails its trial and names the line", async () => {
    const { dir, server, file } = await recordCalls([{ body: { q: "a" } }, { body: { q: "b" } }]);
    const lines = readFileSync(file(), "utf8").split("\n");
    writeFileSync(file(), lines.with(2, "{ damaged").join("\n"));
    await expect(send(replayTraffic({ dir, env: {} }), server.url, { body: { q: "b" } })).rejects.toThrow(
      /m\.a\.0\.\w+\.jsonl:3 is damaged: it is not a line of a cassette\. Restore the file/,
    );
  });
});

describe("a folder", () => {
  it("that cannot be used for a replay is an error that says why", async () => {
    const { dir, file } = await recordCalls([{ body: { q: "a" } }]);
    expect(() => replayTraffic({ dir: join(dir, "none") })).toThrow(
      /none does not exist\. Name a folder that --record/,
    );
    const empty = new TempProject({ "notes.txt": "" });
    expect(() => replayTraffic({ dir: empty.dir })).toThrow(/has no cassettes, which are files named \*\.jsonl/);
    const rows = new TempProject({ "rows.jsonl": [{ id: 1 }] });
    expect(() => replayTraffic({ dir: rows.dir })).toThrow(/rows\.jsonl is not a cassette\. Record it again/);
    writeFileSync(file(), readFileSync(file(), "utf8").replace('"version":1', '"version":9'));
    expect(() => replayTraffic({ dir })).toThrow(
      /is a cassette of version 9, written by Assay [\d.]+\S*, and this Assay reads version 1\. Record it again/,
    );
  });

  it("that cannot be written is an error before anything is sent", () => {
    const place = new TempProject({ file: "" });
    expect(() => recordTraffic({ dir: place.path("file") })).toThrow(
      /cannot be recorded in .*file: .*Choose a writable folder with --record/,
    );
    expect(() => recordTraffic({ dir: place.path("file", "below") })).toThrow(/Choose a writable folder/);
  });
});
