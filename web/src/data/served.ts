import type {
  CompareView,
  ExampleExcerpts,
  LabelAccess,
  LabelView,
  LiveProgress,
  QueueView,
  RowChunk,
  RowsHead,
  RunCard,
  RunPage,
  RunView,
  TrialExcerpts,
} from "../../../src/report/dashboard/contract.js";
import { type Connection, createConnection } from "./connection.js";
import { type DataSource, type RowReceiver, SourceError, type TrialKey, type TrialMatches } from "./source.js";

/** A source that asks the server of this page. */
export function createServedSource(): DataSource {
  const connection = createConnection(async () => void (await fetch(".", { method: "HEAD", cache: "no-store" })));
  const { get, getJson } = createClient(connection);
  let access: Promise<LabelAccess> | null = null;
  // Fetched again after a failure, and after a refusal: a server that was started again has another token.
  const getAccess = () => {
    access ??= getJson<LabelAccess>("api/label-access").catch((error: unknown) => {
      access = null;
      throw error;
    });
    return access;
  };
  return {
    kind: "served",
    singleRun: null,
    listRuns: ({ limit, offset, since, ...query }) => {
      const numbers = { limit: limit?.toString(), offset: offset?.toString(), since: since?.toString() };
      return getJson<RunPage>("api/runs", { ...query, ...numbers, soFar: "true" });
    },
    listCards: async (ids) => {
      const { runs } = await getJson<{ runs: RunCard[] }>(
        `api/cards?${new URLSearchParams(ids.map((id) => ["id", id]))}`,
      );
      return runs;
    },
    getRun: (id) => getJson<RunView>(`api/runs/${encodeURIComponent(id)}`),
    readRows: async (id, receive, signal) =>
      readRowStream(await get(`api/runs/${encodeURIComponent(id)}/rows`, {}, signal), receive),
    getTrial: (id, key) => getJson(`api/runs/${encodeURIComponent(id)}/trial`, buildTrialParameters(key)),
    getText: async (id, key, { of, name }) => {
      const words = { ...buildTrialParameters(key), of, name };
      return (await get(`api/runs/${encodeURIComponent(id)}/text`, words)).text();
    },
    getExcerpts: (id, dataset, ids) => {
      const words = new URLSearchParams([["dataset", dataset], ...ids.map((one) => ["example", JSON.stringify(one)])]);
      return getJson<ExampleExcerpts[]>(`api/runs/${encodeURIComponent(id)}/texts?${words}`);
    },
    getTrialExcerpts: (id, keys) => {
      const words = new URLSearchParams(keys.flatMap((key) => Object.entries(buildTrialParameters(key))));
      return getJson<TrialExcerpts[]>(`api/runs/${encodeURIComponent(id)}/trial-texts?${words}`);
    },
    searchTrials: (id, text, signal) =>
      getJson<TrialMatches>(`api/runs/${encodeURIComponent(id)}/search`, { q: text }, signal),
    getLabels: (id) => getJson<LabelView>(`api/runs/${encodeURIComponent(id)}/labels`),
    canLabel: async () => (await getAccess()).writeToken !== null,
    saveLabel: async (id, label) => {
      const { writeToken } = await getAccess();
      const response = await fetchFromServer(`api/runs/${encodeURIComponent(id)}/labels`, {
        connection,
        signal: undefined,
        method: "POST",
        headers: { "content-type": "application/json", "x-assay-write-token": writeToken ?? "" },
        body: JSON.stringify(label),
      });
      if (response.ok) return (await response.json()) as LabelView;
      access = null;
      throw new SourceError(await readProblem(response));
    },
    compareRuns: (wanted) => getJson<CompareView>("api/compare", { ...wanted }),
    watchRun: (id, { progress, queue }) =>
      listenToEvents(`api/runs/${encodeURIComponent(id)}/events`, connection, {
        progress: (data) => progress(data as LiveProgress),
        queue: (data) => queue(data as QueueView | null),
      }),
    watchRuns: (listen) => listenToEvents("api/events", connection, { runs: listen }),
    watchServer: connection.watch,
  };
}

type QueryParameters = Readonly<Record<string, string | undefined>>;

/** After a failed request, checks whether the server still answers. */
function createClient(connection: Connection) {
  const get = async (path: string, words: QueryParameters = {}, signal?: AbortSignal): Promise<Response> => {
    const query = new URLSearchParams(
      Object.entries(words).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])),
    );
    const response = await fetchFromServer(`${path}${query.size > 0 ? `?${query}` : ""}`, { connection, signal });
    if (response.ok) return response;
    throw new SourceError(await readProblem(response));
  };
  const getJson = async <T>(path: string, words: QueryParameters = {}, signal?: AbortSignal): Promise<T> =>
    (await get(path, words, signal)).json() as Promise<T>;
  return { get, getJson };
}

interface FetchOptions extends Omit<RequestInit, "signal"> {
  connection: Connection;
  signal: AbortSignal | undefined;
}

async function fetchFromServer(url: string, { connection, signal, ...init }: FetchOptions): Promise<Response> {
  try {
    return await fetch(url, signal === undefined ? init : { ...init, signal });
  } catch (cause) {
    if (signal?.aborted) throw cause;
    connection.check();
    throw new SourceError("The server does not answer. Is `assay serve` still running?", { cause });
  }
}

async function readProblem(response: Response): Promise<string> {
  try {
    const { error } = (await response.json()) as { error?: string };
    if (typeof error === "string") return error;
  } catch {
    // The body is not from Assay: report the status.
  }
  return `The server answered ${response.status}.`;
}

function buildTrialParameters({ system, dataset, exampleId, trial }: TrialKey): Record<string, string> {
  // Ids keep their type: `1` is not `"1"`.
  return { system, dataset, example: JSON.stringify(exampleId), trial: String(trial) };
}

/** One JSON line at a time, so that no task blocks the page. */
async function readRowStream({ body }: Response, receive: RowReceiver): Promise<void> {
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

/** By the name of the event. */
type EventListeners = Readonly<Record<string, (data: unknown) => void>>;

/** Listens until the stream ends, and reconnects when the server is back, because not every browser does. */
function listenToEvents(url: string, connection: Connection, listeners: EventListeners): () => void {
  let events: EventSource | null = null;
  const begin = () => {
    events?.close();
    events = new EventSource(url);
    for (const [name, listen] of Object.entries(listeners))
      events.addEventListener(name, ({ data }: MessageEvent<string>) => listen(JSON.parse(data)));
    // Otherwise the browser would reconnect.
    events.addEventListener("end", end);
    events.addEventListener("error", connection.check);
  };
  const unwatch = connection.watch((isThere) => isThere && begin());
  const end = () => {
    unwatch();
    events?.close();
  };
  begin();
  return end;
}
