import type { CompareView, LiveProgress, RowChunk, RowsHead, RunView } from "../../../src/views/contract.js";
import { type DataSource, type RowReceiver, SourceError, type TrialKey } from "./source.js";

/** Asks the server that the page came from. */
export function servedSource(): DataSource {
  return {
    kind: "served",
    runs: async (filter = {}) => {
      const { runs } = await getJson<{ runs: [] }>("api/runs", { ...filter });
      return runs;
    },
    run: (id) => getJson<RunView>(`api/runs/${encodeURIComponent(id)}`),
    rows: readRows,
    trial: (id, key) => getJson(`api/runs/${encodeURIComponent(id)}/trial`, keyWords(key)),
    text: async (id, key, { of, name }) => {
      const words = { ...keyWords(key), of, name };
      return (await get(`api/runs/${encodeURIComponent(id)}/text`, words)).text();
    },
    search: async (id, text, signal) => {
      const { matches } = await getJson<{ matches: TrialKey[] }>(
        `api/runs/${encodeURIComponent(id)}/search`,
        { q: text },
        signal,
      );
      return matches;
    },
    compare: (wanted) => getJson<CompareView>("api/compare", { ...wanted }),
    watchRun: (id, listen) =>
      listenTo(`api/runs/${encodeURIComponent(id)}/events`, "progress", (data) => listen(data as LiveProgress)),
    watchRuns: (listen) => listenTo("api/events", "runs", listen),
  };
}

type Words = Readonly<Record<string, string | undefined>>;

async function get(path: string, words: Words = {}, signal?: AbortSignal): Promise<Response> {
  const query = new URLSearchParams(Object.entries(words).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])));
  const response = await reach(`${path}${query.size > 0 ? `?${query}` : ""}`, signal);
  if (response.ok) return response;
  throw new SourceError(await problemIn(response));
}

async function reach(url: string, signal: AbortSignal | undefined): Promise<Response> {
  try {
    return await fetch(url, signal === undefined ? {} : { signal });
  } catch (cause) {
    if (signal?.aborted) throw cause;
    throw new SourceError("The server does not answer. Is `assay serve` still running?", { cause });
  }
}

async function problemIn(response: Response): Promise<string> {
  try {
    const { error } = (await response.json()) as { error?: string };
    if (typeof error === "string") return error;
  } catch {
    // Not in our words: its status has to do.
  }
  return `The server answered ${response.status}.`;
}

async function getJson<T>(path: string, words: Words = {}, signal?: AbortSignal): Promise<T> {
  return (await get(path, words, signal)).json() as Promise<T>;
}

function keyWords({ system, dataset, exampleId, trial }: TrialKey): Words {
  // Numbers and texts are different ids: `1` is not `"1"`.
  return { system, dataset, example: JSON.stringify(exampleId), trial: String(trial) };
}

/** One JSON line at a time, so that no piece of work is long. */
async function readRows(id: string, receive: RowReceiver, signal: AbortSignal): Promise<void> {
  const { body } = await get(`api/runs/${encodeURIComponent(id)}/rows`, {}, signal);
  if (body === null) return;
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let pending = "";
  let isFirst = true;
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    const lines = (pending + read.value).split("\n");
    pending = lines.pop() ?? "";
    for (const line of lines) {
      if (isFirst) receive.head(JSON.parse(line) as RowsHead);
      else receive.chunk(JSON.parse(line) as RowChunk);
      isFirst = false;
    }
  }
}

function listenTo(url: string, name: string, listen: (data: unknown) => void): () => void {
  const events = new EventSource(url);
  events.addEventListener(name, ({ data }) => listen(JSON.parse(data as string)));
  // Left to itself, it would ask again.
  events.addEventListener("end", () => events.close());
  return () => events.close();
}
