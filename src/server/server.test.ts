import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { get } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createParser } from "eventsource-parser";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeRow } from "../core/row.js";
import { type EvaluateOptions, evaluate } from "../evaluate.js";
import { AnswerQuality } from "../evaluators/index.js";
import type { LiveProgress } from "../report/dashboard/contract.js";
import { createSampleQueue, createSampleWorker, writeQueueFile } from "../report/dashboard/queue-testing.js";
import { loadRun } from "../runs/load-run.js";
import { RunJournal, readManifest } from "../store/journal.js";
import { encodeRow } from "../store/row-codec.js";
import { copyRunTimes } from "../testing/fixture-runs.js";
import { type RunningServer, type ServerOptions, startServer } from "./start-server.js";

let dir = "";
let server: RunningServer | null = null;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "assay-server-"));
  mkdirSync(join(dir, "page"));
  for (const file of ["index.html", "app.js", "app.css"]) writeFileSync(join(dir, "page", file), `the ${file}`);
});

afterEach(async () => {
  await server?.close();
  server = null;
  rmSync(dir, { recursive: true, force: true });
});

const runsDir = () => join(dir, "runs");

async function start(options: Partial<ServerOptions> = {}): Promise<RunningServer> {
  const usual = {
    runsDir: runsDir(),
    load: loadRun,
    pageDir: join(dir, "page"),
    host: "127.0.0.1",
    port: 0,
    token: null,
  };
  server = await startServer({ ...usual, ...options });
  return server;
}

/** Stores a run of two systems on three questions and returns its id. */
async function storedRun(options: Partial<EvaluateOptions> = {}): Promise<string> {
  const dataset = ["Paris", "Rome", "Oslo"].map((answer, i) => ({ id: i + 1, question: `Capital ${i + 1}?`, answer }));
  const { runDir } = await evaluate({
    systems: [
      { name: "right", process: ({ answer }) => ({ response: answer ?? "" }) },
      { name: "wrong", process: () => ({ response: "no idea </script>" }) },
    ],
    dataset,
    evaluators: [new AnswerQuality()],
    runsDir: runsDir(),
    ...options,
  });
  return readManifest(runDir ?? "").runId;
}

const at = (path: string) => `${server?.url}${path}`;
// biome-ignore lint/suspicious/noExplicitAny: what comes is what is tested.
const json = async (path: string): Promise<any> => (await fetch(at(path))).json();

/** Sends headers that `fetch` does not allow. */
function ask(path: string, headers: Record<string, string>): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    get(at(path), { headers }, (response) => {
      let body = "";
      response.setEncoding("utf8").on("data", (text: string) => {
        body += text;
      });
      response.on("end", () => resolve({ status: response.statusCode ?? 0, body }));
    }).on("error", reject);
  });
}

describe("the server", () => {
  it("serves the page with a strict content security policy", async () => {
    await start();
    const page = await fetch(at(""));
    expect(await page.text()).toBe("the index.html");
    const policy = page.headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self'");
    expect(policy).not.toContain("unsafe");
    expect(page.headers.get("x-content-type-options")).toBe("nosniff");
    expect((await fetch(at("app.js"))).headers.get("content-type")).toMatch(/javascript/);
    expect((await fetch(at("other"))).status).toBe(404);
    expect((await fetch(at("..%2f..%2fetc/passwd"))).status).toBe(404);
  });

  it("lists runs and serves one: figures, rows, trials, texts, search and comparison", async () => {
    const id = await storedRun();
    await start();
    const { runs } = await json("api/runs");
    expect(runs).toMatchObject([{ id, status: "complete", planned: 6, done: 6 }]);
    const run = await json(`api/runs/${id}`);
    expect(run.summary.right.mean_score).toBe(1);
    expect(run.card.systems.map(({ system }: { system: string }) => system)).toEqual(["right", "wrong"]);
    const lines = (await (await fetch(at(`api/runs/${id}/rows`))).text()).trim().split("\n");
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { schema: "assay.rows/1", total: 6, systems: ["right", "wrong"] },
      { start: 0, id: [1, 2, 3, 1, 2, 3] },
    ]);
    const key = "system=wrong&example=2&trial=0";
    const trial = await json(`api/runs/${id}/trial?${key}`);
    expect(trial).toMatchObject({ row: { system: "wrong", exampleId: 2, outcome: "fail" } });
    expect(trial.example).toContainEqual({ name: "question", text: "Capital 2?", length: 10, kind: "text" });
    expect(trial.output).toContainEqual({ name: "response", text: "no idea </script>", length: 17, kind: "text" });
    expect(trial.siblings).toMatchObject([{ system: "right", exampleId: 2, outcome: "pass", score: 1 }]);
    const text = await fetch(at(`api/runs/${id}/text?${key}&of=output&name=response`));
    expect(await text.text()).toBe("no idea </script>");
    expect(text.headers.get("content-type")).toBe("text/plain; charset=utf-8");
    expect(text.headers.get("content-disposition")).toMatch(/^attachment/);
    const found = await json(`api/runs/${id}/search?q=oSLO`);
    expect(found.matches).toMatchObject([{ system: "right", exampleId: 3 }]);
    const compared = await json(`api/compare?a=${id}&b=${id}&systemA=wrong&systemB=right`);
    expect(compared.comparison.comparisons[0]).toMatchObject({ systemA: "wrong", systemB: "right" });
  });

  it("pages through hundreds of runs, searched and sorted over all of them", async () => {
    const id = await storedRun({ title: "The original" });
    copyRunTimes(join(runsDir(), id), 300);
    await start();
    const ids = ({ runs }: { runs: { id: string }[] }) => runs.map((run) => run.id);
    const first = await json("api/runs");
    expect(first).toMatchObject({ offset: 0, total: 301, all: 301, unread: 0, choices: { statuses: ["complete"] } });
    expect([ids(first).length, ...ids(first).slice(0, 2)]).toEqual([100, id, "copy-299"]);
    const last = await json("api/runs?offset=300&limit=10");
    expect([ids(last), last.total]).toEqual([["copy-000"], 301]);
    expect(ids(await json("api/runs?sort=title&limit=3"))).toEqual(["copy-000", "copy-001", "copy-002"]);
    const found = await json("api/runs?q=COPY+29&sort=-when&limit=2&offset=1");
    expect(found).toMatchObject({ total: 13, all: 301 });
    expect(ids(found)).toEqual(["copy-298", "copy-297"]);
    expect(await json("api/runs?q=nothing-has-this")).toMatchObject({ runs: [], total: 0, all: 301 });
    expect(ids(await json("api/cards?id=copy-007&id=none&id=..%2F..&id=copy-001"))).toEqual(["copy-007", "copy-001"]);
  });

  it.each([
    ["api/runs?limit=many", 400, '"limit" is "many". It must be a whole number from 1 to 1000.'],
    ["api/runs?offset=-1", 400, '"offset" is "-1"'],
    ["api/runs?sort=size", 400, '"sort" is "size"'],
    ["api/runs?status=done", 400, '"status" is "done"'],
    ["api/runs/none", 404, "No run none"],
    ["api/runs/..%2f..", 404, "No run"],
    ["api/runs/%2e%2e", 404, "Not found."],
    ["api/nothing", 404, "Not found."],
    ["api/runs/ID/trial", 400, 'lacks the parameter "system"'],
    ["api/runs/ID/trial?system=right&example=99", 404, "no such trial"],
    ["api/runs/ID/trial?system=right&example=1&trial=x", 404, "no such trial"],
    ["api/runs/ID/search", 400, 'lacks the parameter "q"'],
    ["api/runs/ID/text?system=right&example=1&of=output&name=secret", 404, "secret"],
    ["api/compare?a=ID", 400, 'lacks the parameter "b"'],
    ["api/compare?a=ID&b=ID&systemA=rigth&systemB=wrong", 400, 'Did you mean "right"'],
  ])("answers %s with %i and a message", async (path, status, words) => {
    const id = await storedRun();
    await start();
    const response = await fetch(at(path.replaceAll("ID", id)));
    expect([response.status, ((await response.json()) as { error: string }).error]).toEqual([
      status,
      expect.stringContaining(words),
    ]);
  });

  it("lists other runs beside a damaged one, and describes the damage", async () => {
    const id = await storedRun();
    mkdirSync(join(runsDir(), "broken"));
    writeFileSync(join(runsDir(), "broken", "manifest.json"), "{");
    await start();
    const { runs } = await json("api/runs");
    expect(runs.map(({ id, status }: { id: string; status: string }) => [id, status])).toEqual(
      expect.arrayContaining([
        [id, "complete"],
        ["broken", "damaged"],
      ]),
    );
    expect((await json("api/runs/broken")).error).toContain("cannot be read");
  });

  it("accepts only the host names of its own machine", async () => {
    await start();
    const { port } = server as RunningServer;
    for (const host of ["localhost", "127.0.0.1", `localhost:${port}`, "[::1]:80"])
      expect(await ask("api/runs", { host })).toMatchObject({ status: 200 });
    for (const host of ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example:80"])
      expect(await ask("api/runs", { host })).toMatchObject({ status: 421 });
    expect(await ask("api/runs", { origin: "https://evil.example" })).toMatchObject({ status: 403 });
    expect(await ask("api/runs", { origin: "http://localhost:3000" })).toMatchObject({ status: 200 });
    expect(await ask("api/runs", { "sec-fetch-site": "cross-site", "sec-fetch-mode": "cors" })).toMatchObject({
      status: 403,
    });
  });

  it("requires its token, and exchanges one in the URL for a cookie", async () => {
    await start({ token: "a good token" });
    for (const path of ["", "app.js", "api/runs", "api/runs?token=wrong"])
      expect((await fetch(at(path))).status, path).toBe(401);
    expect((await fetch(at("api/runs"), { headers: { authorization: "Bearer wrong" } })).status).toBe(401);
    expect((await fetch(at("api/runs"), { headers: { authorization: "Bearer a good token" } })).status).toBe(200);
    const welcome = await fetch(at("?token=a%20good%20token&x=1"), { redirect: "manual" });
    expect([welcome.status, welcome.headers.get("location")]).toEqual([302, "/?x=1"]);
    const cookie = welcome.headers.get("set-cookie") ?? "";
    expect(cookie).toMatch(/HttpOnly.*SameSite=Strict|SameSite=Strict.*HttpOnly/);
    expect((await fetch(at(""), { headers: { cookie: cookie.split(";")[0] ?? "" } })).status).toBe(200);
    const elsewhere = await fetch(at("/other.example/?token=a%20good%20token"), { redirect: "manual" });
    expect(elsewhere.headers.get("location")).toBe("/other.example/");
    expect(await ask("api/runs", { host: "machine.example", authorization: "Bearer a good token" })).toMatchObject({
      status: 200,
    });
  });

  it("does not overwrite the tokens of other servers on the machine", async () => {
    const nameOf = async (token: string) => {
      await server?.close();
      await start({ token });
      const { headers } = await fetch(at(`?token=${token}`), { redirect: "manual" });
      return (headers.get("set-cookie") ?? "").split("=")[0];
    };
    const [one, other] = [await nameOf("the-first-token"), await nameOf("the-second-token")];
    expect(one).toMatch(/^assay-token-/);
    expect(other).not.toBe(one);
  });

  it("reports that a port is in use, and that the page is not built", async () => {
    const { port } = await start();
    const again = startServer({
      runsDir: runsDir(),
      load: loadRun,
      pageDir: join(dir, "page"),
      host: "127.0.0.1",
      port,
      token: null,
    });
    await expect(again).rejects.toThrow(`Port ${port} is in use`);
    const unbuilt = startServer({
      runsDir: runsDir(),
      load: loadRun,
      pageDir: dir,
      host: "127.0.0.1",
      port: 0,
      token: null,
    });
    await expect(unbuilt).rejects.toThrow("npm run build");
  });
});

/** Yields the data of events as they arrive; ends with the stream. */
async function* events(path: string, name: string, signal?: AbortSignal): AsyncGenerator<unknown> {
  const { body } = await fetch(at(path), signal === undefined ? {} : { signal });
  const found: { event: string | undefined; data: string }[] = [];
  const parser = createParser({ onEvent: ({ event, data }) => void found.push({ event, data }) });
  for await (const piece of (body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
    parser.feed(piece);
    for (const { event, data } of found.splice(0)) {
      if (event === name) yield JSON.parse(data);
    }
  }
}

async function all(found: AsyncIterable<unknown>): Promise<unknown[]> {
  const values: unknown[] = [];
  for await (const value of found) values.push(value);
  return values;
}

describe("events", () => {
  /** A system whose trials end on command. */
  function gated() {
    const waiting: (() => void)[] = [];
    const system = {
      name: "slow",
      process: ({ id }: { id: string | number }) =>
        new Promise<{ response: string }>((resolve) => {
          waiting.push(() => resolve({ response: id === 2 ? "wrong" : "Paris" }));
        }),
    };
    const go = async () => {
      while (waiting.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
      waiting.shift()?.();
    };
    return { system, go };
  }

  it("report the progress of a run, and end with it", async () => {
    const { system, go } = gated();
    const dataset = [1, 2, 3].map((id) => ({ id, question: "Capital?", answer: "Paris" }));
    const whole = evaluate({
      systems: [system],
      dataset,
      evaluators: [new AnswerQuality()],
      runsDir: runsDir(),
      maxWorkers: 1,
    });
    await go();
    await start();
    const { runs } = await json("api/runs");
    expect(runs[0].status).toBe("running");
    const seen: LiveProgress[] = [];
    for await (const look of events(`api/runs/${runs[0].id}/events`, "progress")) {
      const progress = look as LiveProgress;
      seen.push(progress);
      if (progress.status === "running" && progress.done === seen.length) await go();
    }
    await whole;
    expect(seen.at(0)).toMatchObject({ status: "running", done: 1, planned: 3 });
    const last = seen.at(-1);
    expect(last).toMatchObject({ status: "complete", done: 3, outcomes: { pass: 2, fail: 1 }, trialsPerSecond: null });
    expect(last?.failures).toMatchObject([
      { system: "slow", exampleId: 2, outcome: "fail", category: "logic_error", message: "f1 0" },
    ]);
    expect(last?.systems).toMatchObject([{ system: "slow", done: 3, passed: 2, scored: 3, errors: 0 }]);
  });

  it("count a repeated trial once and its cost twice, and ignore an unfinished line", async () => {
    const id = await storedRun();
    const path = join(runsDir(), id, "rows.jsonl");
    const again = makeRow({
      system: "right",
      exampleId: 1,
      outcome: "error",
      errorCategory: "api_error",
      costUsd: 0.5,
    });
    appendFileSync(
      path,
      `${encodeRow(again)}\n${encodeRow({ ...again, outcome: "pass", passed: true })}\n{"system":"ri`,
    );
    await start();
    const [last] = await all(events(`api/runs/${id}/events`, "progress"));
    expect(last).toMatchObject({ done: 6, costUsd: 1, outcomes: { pass: 3, fail: 3, error: 0 } });
    expect((last as LiveProgress).failures[0]).toMatchObject({ system: "right", outcome: "error" });
  });

  it("report the workers of a run, and lists show their number", async () => {
    const id = await storedRun();
    const held = RunJournal.resume(join(runsDir(), id)).journal;
    const refusing = createSampleWorker({ host: "<b>beta</b>", refuses: "its code differs" });
    writeQueueFile(join(runsDir(), id), createSampleQueue({ workers: [createSampleWorker(), refusing] }));
    await start();
    expect((await json("api/runs")).runs).toMatchObject([{ id, status: "running", workers: 1 }]);
    expect((await json(`api/runs/${id}`)).queue).toMatchObject({ phase: "live", state: { workers: { length: 2 } } });
    const gone = new AbortController();
    const changes = events("api/events", "runs", gone.signal);
    await changes.next();
    const heard = events(`api/runs/${id}/events`, "queue");
    expect((await heard.next()).value).toMatchObject({
      phase: "live",
      state: { workers: [{ host: "<b>beta</b>" }, {}] },
    });
    writeQueueFile(join(runsDir(), id), createSampleQueue({ workers: [] }));
    expect((await heard.next()).value).toMatchObject({ phase: "live", state: { workers: [] } });
    expect(await changes.next()).toMatchObject({ done: false });
    gone.abort();
    writeQueueFile(join(runsDir(), id), { schema: "assay.queue-state/2" });
    expect((await json(`api/runs/${id}`)).queue.problem).toContain("assay.queue-state/2");
    expect((await json("api/runs")).runs[0]).not.toHaveProperty("workers");
    writeQueueFile(join(runsDir(), id), createSampleQueue({ isRunning: false }));
    held.close();
    const last = (await all(heard)).at(-1);
    expect(last).toMatchObject({ phase: "over", state: { workers: [{ host: "alpha", done: 100 }] } });
    expect((await json(`api/runs/${id}`)).queue).toEqual(last);
  });

  it("report changes of the list", async () => {
    await start();
    const gone = new AbortController();
    const changes = events("api/events", "runs", gone.signal);
    await changes.next();
    const change = changes.next();
    await storedRun();
    expect(await change).toEqual({ done: false, value: {} });
    gone.abort();
  });

  it("leave no stream open after a HEAD request", async () => {
    const id = await storedRun();
    await start();
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
    const head = (path: string) => fetch(at(path), { method: "HEAD", headers: { connection: "close" } });
    await head(`api/runs/${id}`);
    const before = timers();
    for (let i = 0; i < 20; i++)
      expect((await head(`api/runs/${id}/events`)).headers.get("content-type")).toBe("text/event-stream");
    expect((await head("api/events")).status).toBe(200);
    expect(timers()).toBeLessThan(before + 20);
  });

  it("do not keep the server from closing", async () => {
    const id = await storedRun();
    const held = RunJournal.resume(join(runsDir(), id)).journal;
    const { close } = await start();
    const watching = all(events(`api/runs/${id}/events`, "progress")).catch(() => "cut");
    await new Promise((resolve) => setTimeout(resolve, 300));
    await close();
    server = null;
    expect(await watching).toBe("cut");
    held.close();
  });
});

it("answers with the beginnings of the texts of some examples", async () => {
  const id = await storedRun();
  await start();
  const [first, ...others] = await json(`api/runs/${id}/texts?example=1&example=99`);
  expect(others).toEqual([]);
  expect(first).toMatchObject({ exampleId: 1, question: "Capital 1?", expected: "Paris" });
  expect(first.responses).toEqual([
    { system: "right", text: "Paris" },
    { system: "wrong", text: "no idea </script>" },
  ]);
});

it("answers with the beginnings of the texts of some trials, in their order", async () => {
  const id = await storedRun();
  await start();
  const name = (system: string, example: number) => `system=${system}&dataset=&example=${example}&trial=0`;
  const texts = await json(`api/runs/${id}/trial-texts?${name("wrong", 1)}&${name("right", 1)}&${name("right", 99)}`);
  expect(texts).toEqual([
    { question: "Capital 1?", expected: "Paris", response: "no idea </script>" },
    { question: "Capital 1?", expected: "Paris", response: "Paris" },
    { question: null, expected: null, response: null },
  ]);
  expect(await json(`api/runs/${id}/trial-texts`)).toEqual([]);
});
