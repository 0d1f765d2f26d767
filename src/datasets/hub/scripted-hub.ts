import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { sendReply } from "./scripted-delivery.js";
import { FaultQueue, type HubFaultPlan } from "./scripted-faults.js";
import { type RepoPlan, ScriptedRepos } from "./scripted-repos.js";
import { createHubReply, createStoreReply, type HubReply } from "./scripted-routes.js";

/** What a scripted hub serves, and its faults. */
export interface HubPlan {
  /** By `owner/name`. May be changed while the hub runs. */
  readonly repos: Record<string, RepoPlan>;
  /** Used up in this order by matching requests; more may be added to `faults` of the running hub. */
  readonly faults?: readonly HubFaultPlan[];
  /** Entries per page of a tree. */
  readonly pageSize?: number;
  /** Files that are redirected to the store. Default: Parquet and gzip files, and any of 64 KiB or more. */
  readonly isLarge?: (path: string, size: number) => boolean;
}

interface LoggedRequest {
  /** The hub itself, or the store of large files that it redirects to. */
  readonly server: "hub" | "store";
  readonly method: string;
  /** Decoded, with its query. */
  readonly path: string;
  readonly range: string | null;
  readonly authorization: string | null;
  readonly status: number;
  /** Bytes of the body to send; fewer once it is known that the client did not receive them all. */
  readonly bytes: number;
}

/** A running hub for tests. */
export interface ScriptedHub {
  readonly url: string;
  /** The store of large files, on a separate origin. */
  readonly storeUrl: string;
  /** Requests in the order in which they were answered. */
  readonly requests: LoggedRequest[];
  readonly faults: HubFaultPlan[];
  commit(repo: string, revision?: string): string;
  close(): Promise<void>;
}

/**
 * Starts a local server with the hub's URL layout on a free port, for tests.
 * @example
 * const hub = await startScriptedHub({ repos: { "me/toy": { revisions: { main: { files: { "test.jsonl": Buffer.from("{}\n") } } } } } });
 * const there = openHub({ endpoint: hub.url, cacheDir });
 */
export async function startScriptedHub(plan: HubPlan): Promise<ScriptedHub> {
  const faults = new FaultQueue(plan.faults ?? []);
  const repos = new ScriptedRepos(plan);
  const requests: LoggedRequest[] = [];
  let storeUrl = "";
  const serve = (server: "hub" | "store", replyTo: (request: IncomingMessage) => HubReply) =>
    listenLocally((request, response) => {
      const path = decodeURIComponent(request.url ?? "");
      const log = (status: number, bytes: number) => {
        const entry = { server, path, status, bytes, ...describeRequest(request) };
        requests.push(entry);
        return entry;
      };
      void sendReply({ request, response, log, fault: (on) => faults.take(path, on), reply: () => replyTo(request) });
    });
  const store = await serve("store", (request) => createStoreReply(request, repos));
  storeUrl = store.url;
  const hub = await serve("hub", (request) =>
    createHubReply(request, { repos, storeUrl, pageSize: plan.pageSize ?? 1000 }),
  );
  return {
    url: hub.url,
    storeUrl,
    requests,
    faults: faults.plans,
    commit: (repo, revision = "main") => repos.getCommit(repo, revision),
    close: async () => void (await Promise.all([hub.close(), store.close()])),
  };
}

function describeRequest({ method, headers }: IncomingMessage) {
  return { method: method ?? "", range: headers.range ?? null, authorization: headers.authorization ?? null };
}

async function listenLocally(onRequest: (request: IncomingMessage, response: ServerResponse) => void) {
  const server: Server = createServer(onRequest);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { url: `http://127.0.0.1:${port}`, close };
}
