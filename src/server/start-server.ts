import { readFileSync } from "node:fs";
import type { Server } from "node:http";
import { join } from "node:path";
import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { messageOf, UsageError } from "../core/errors.js";
import { OWN_NAMES } from "../utils/find-intrusion.js";
import { makeApi } from "./api.js";
import { failure } from "./failure.js";
import { guard, safeHeaders } from "./guard.js";
import type { LoadRun } from "./open-runs.js";
import { RunDesk } from "./run-desk.js";

export interface ServerOptions {
  runsDir: string;
  /** Loads a stored run. */
  load: LoadRun;
  /** The folder with the built page. */
  pageDir: string;
  host: string;
  /** 0 for any that is free. */
  port: number;
  /** What every request must bring; null where only this machine can ask. */
  token: string | null;
}

export interface RunningServer {
  /** Where to open it, without the token. */
  url: string;
  port: number;
  close(): Promise<void>;
}

const PAGE_FILES: Readonly<Record<string, { file: string; type: string }>> = {
  "/": { file: "index.html", type: "text/html; charset=utf-8" },
  "/app.js": { file: "app.js", type: "text/javascript; charset=utf-8" },
  "/app.css": { file: "app.css", type: "text/css; charset=utf-8" },
};

/**
 * Serves the dashboard over the runs of a folder.
 * @example
 * const server = await startServer({ runsDir: ".assay/runs", load: loadRun, pageDir, host: "127.0.0.1", port: 0, token: null });
 */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const app = makeApp(options);
  const server = await listening(app, options);
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : options.port;
  const shown = options.host.includes(":") ? `[${options.host}]` : options.host;
  return { url: `http://${shown}:${port}/`, port, close: () => closed(server) };
}

function makeApp({ runsDir, load, pageDir, token, host }: ServerOptions): Hono {
  const app = new Hono();
  const hosts = token === null ? new Set([...OWN_NAMES, host]) : null;
  app.use(safeHeaders, guard({ token, hosts }));
  app.onError((error, context) => failure(context, error));
  app.notFound((context) => context.json({ error: "There is nothing of that name here." }, 404));
  app.route("/api", makeApi(new RunDesk({ runsDir, load })));
  for (const [path, { file, type }] of Object.entries(PAGE_FILES)) {
    const content = pageFile(pageDir, file);
    app.get(path, (context) => context.body(content, 200, { "Content-Type": type }));
  }
  return app;
}

function pageFile(pageDir: string, file: string): string {
  try {
    return readFileSync(join(pageDir, file), "utf8");
  } catch (cause) {
    throw new UsageError(`The page is not built: ${join(pageDir, file)} is missing. Build it with: npm run build`, {
      cause,
    });
  }
}

function listening(app: Hono, { host, port }: ServerOptions): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = serve({ fetch: app.fetch, hostname: host, port }, () => resolve(server)) as Server;
    server.once("error", (cause) => reject(cannotListen(host, port, cause)));
  });
}

function cannotListen(host: string, port: number, cause: Error): UsageError {
  const taken = (cause as NodeJS.ErrnoException).code === "EADDRINUSE";
  const what = taken
    ? `Port ${port} is in use. Choose another with --port, or leave it out for one that is free.`
    : `The server cannot listen on ${host}:${port}: ${messageOf(cause)}.`;
  return new UsageError(what, { cause });
}

/** Open event streams would keep it going. */
function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
