import { type Context, Hono, type MiddlewareHandler } from "hono";
import { stream, streamSSE } from "hono/streaming";
import { messageOf, UsageError } from "../core/errors.js";
import type { TrialKey } from "../core/row.js";
import { rowLines } from "../report/dashboard/index.js";
import { failure } from "./failure.js";
import type { RunDesk } from "./run-desk.js";

/** Proxies and browsers give up a connection that says nothing. */
const ALIVE_EVERY_MS = 15_000;

/** What the page asks for, as JSON. */
export function makeApi(desk: RunDesk): Hono {
  const api = new Hono();
  api.onError((error, context) => failure(context, error));
  api.notFound((context) => context.json({ error: "There is nothing of that name here." }, 404));
  api.use(headsAlone);
  api.get("/runs", async (context) => context.json({ runs: await desk.runs(chosen(context, ["dataset", "tag"])) }));
  api.get("/runs/:id", async (context) => context.json(await desk.run(context.req.param("id"))));
  api.get("/runs/:id/rows", (context) => sendRows(context, desk, context.req.param("id")));
  api.get("/runs/:id/trial", async (context) =>
    context.json(await desk.trial(context.req.param("id"), keyIn(context))),
  );
  api.get("/runs/:id/text", (context) => sendText(context, desk, context.req.param("id")));
  api.get("/runs/:id/search", async (context) => {
    const text = required(context, "q");
    return context.json(await desk.search(context.req.param("id"), text, context.req.raw.signal));
  });
  api.get("/runs/:id/events", (context) => sendProgress(context, desk, context.req.param("id")));
  api.get("/compare", async (context) => {
    const wanted = { a: required(context, "a"), b: required(context, "b") };
    return context.json(await desk.compare({ ...wanted, ...chosen(context, ["systemA", "systemB"]) }));
  });
  api.get("/events", (context) => sendChanges(context, desk));
  return api;
}

/** Nobody reads what follows the head, so that an event stream would wait for its reader for ever. */
const headsAlone: MiddlewareHandler = async (context, next) => {
  if (context.req.method !== "HEAD" || !context.req.path.endsWith("/events")) return next();
  return context.body(null, 200, { "Content-Type": "text/event-stream" });
};

function chosen<K extends string>(context: Context, names: readonly K[]): Partial<Record<K, string>> {
  const given = names.map((name) => [name, context.req.query(name)] as const);
  return Object.fromEntries(given.filter(([, value]) => value !== undefined && value !== "")) as Partial<
    Record<K, string>
  >;
}

function required(context: Context, name: string): string {
  const value = context.req.query(name);
  if (value !== undefined && value !== "") return value;
  throw new UsageError(`The address lacks "${name}".`);
}

function keyIn(context: Context): TrialKey {
  const [system, example] = [required(context, "system"), required(context, "example")];
  return {
    system,
    dataset: context.req.query("dataset") ?? "",
    exampleId: idOf(example),
    trial: Number(context.req.query("trial") ?? 0),
  };
}

/** Ids are written as JSON, because the number 1 and the text "1" are different ones. */
function idOf(text: string): string | number {
  try {
    const id: unknown = JSON.parse(text);
    if (typeof id === "string" || typeof id === "number") return id;
  } catch {
    // Then it was written as it is.
  }
  return text;
}

async function sendRows(context: Context, desk: RunDesk, id: string): Promise<Response> {
  const { rows } = await desk.result(id);
  context.header("Content-Type", "application/x-ndjson; charset=utf-8");
  return stream(context, async (out) => {
    for (const line of rowLines(rows)) {
      if (out.aborted) return;
      await out.write(line);
    }
  });
}

/** Never as a page: it is what a model wrote. */
async function sendText(context: Context, desk: RunDesk, id: string): Promise<Response> {
  const of = required(context, "of") === "example" ? "example" : "output";
  const text = await desk.text(id, keyIn(context), { of, name: required(context, "name") });
  return context.body(text, 200, {
    "Content-Type": "text/plain; charset=utf-8",
    "Content-Disposition": "attachment; filename=text.txt",
  });
}

async function sendProgress(context: Context, desk: RunDesk, id: string): Promise<Response> {
  const gone = new AbortController();
  const news = await desk.watch(id, gone.signal);
  return streamSSE(context, async (out) => {
    out.onAbort(() => gone.abort());
    const alive = setInterval(() => void out.writeSSE({ event: "alive", data: "" }), ALIVE_EVERY_MS);
    try {
      for await (const { event, data } of news) await out.writeSSE({ event, data: JSON.stringify(data) });
      await out.writeSSE({ event: "end", data: "" });
    } catch (error) {
      await out.writeSSE({ event: "failed", data: JSON.stringify({ error: messageOf(error) }) });
    } finally {
      clearInterval(alive);
    }
  });
}

async function sendChanges(context: Context, desk: RunDesk): Promise<Response> {
  return streamSSE(context, async (out) => {
    const tell = () => void out.writeSSE({ event: "runs", data: "{}" });
    const stop = await desk.watchList(tell);
    const alive = setInterval(() => void out.writeSSE({ event: "alive", data: "" }), ALIVE_EVERY_MS);
    // Whoever listens has asked for the list a moment ago, and may have missed what came between.
    tell();
    await new Promise<void>((resolve) => {
      out.onAbort(resolve);
      if (out.aborted) resolve();
    });
    clearInterval(alive);
    stop();
  });
}
