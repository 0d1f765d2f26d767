import "../builtins.js";
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { EXIT, UsageError } from "../core/errors.js";
import { isLoopback } from "../core/loopback.js";
import { loadRun } from "../runs/load-run.js";
import { type RunningServer, startServer } from "../server/index.js";
import { findPackageFile } from "../utils/package-file.js";
import { stopSignal } from "./stop-signal.js";
import { say, writeResult } from "./streams.js";

export interface ServeFlags {
  runsDir: string;
  port?: number;
  host?: string;
  /** True for --token without a value. */
  token?: string | true;
  open: boolean;
}

const USUAL_PORT = 4680;
const LEAST_TOKEN = 8;
const PAGE_DIR = fileURLToPath(findPackageFile("dist/web/"));

/** `assay serve`: the dashboard, until Ctrl-C. */
export async function serveCommand(flags: ServeFlags): Promise<number> {
  const { host = "127.0.0.1", port } = flags;
  const token = tokenOf(flags);
  requireSafe(host, token);
  const runsDir = resolve(flags.runsDir);
  requireFolder(runsDir);
  const options = { runsDir, load: loadRun, pageDir: PAGE_DIR, host, token };
  const server = port === undefined ? await onUsualPort(options) : await startServer({ ...options, port });
  const stopped = stopSignal();
  const address = token === null ? server.url : `${server.url}?token=${encodeURIComponent(token)}`;
  await writeResult(`${address}\n`);
  say(`Serving the runs of ${runsDir}. Stop with Ctrl-C.`);
  const remark = addressRemark(host);
  if (remark !== null) say(remark);
  if (flags.open && process.stdout.isTTY) openBrowser(address);
  await stopped;
  await server.close();
  return EXIT.fine;
}

function tokenOf({ token }: ServeFlags): string | null {
  if (token === undefined) return null;
  if (token !== true) return requireLong(token);
  const known = process.env.ASSAY_TOKEN;
  return known === undefined || known === "" ? randomBytes(18).toString("base64url") : requireLong(known);
}

function requireLong(token: string): string {
  if (token.length >= LEAST_TOKEN) return token;
  throw new UsageError(
    `The token has only ${token.length} characters and could be guessed. Use at least ${LEAST_TOKEN}.`,
  );
}

function requireSafe(host: string, token: string | null): void {
  if (token !== null || isLoopback(host)) return;
  throw new UsageError(
    `--host ${host} would let other machines read your runs. Add --token to require a token, or leave out --host.`,
  );
}

/** A missing folder is fine, because the first run creates it; a file is not. */
function requireFolder(runsDir: string): void {
  if (!existsSync(runsDir)) say(`${runsDir} does not exist yet: runs appear as soon as there are any.`);
  else if (!statSync(runsDir).isDirectory()) throw new UsageError(`--runs-dir ${runsDir} is a file, not a folder.`);
}

async function onUsualPort(options: Omit<Parameters<typeof startServer>[0], "port">): Promise<RunningServer> {
  try {
    return await startServer({ ...options, port: USUAL_PORT });
  } catch (error) {
    const isTaken = error instanceof UsageError && (error.cause as NodeJS.ErrnoException)?.code === "EADDRINUSE";
    if (!isTaken) throw error;
    return startServer({ ...options, port: 0 });
  }
}

/** Only a convenience: the address is printed, too, and errors are ignored. */
function openBrowser(address: string): void {
  const [command, ...args] = OPENERS[process.platform] ?? ["xdg-open"];
  const child = spawn(command ?? "xdg-open", [...args, address], { stdio: "ignore", detached: true });
  child.on("error", () => {});
  child.unref();
}

const OPENERS: Readonly<Record<string, readonly string[]>> = {
  darwin: ["open"],
  win32: ["cmd", "/c", "start", ""],
};

const EVERYWHERE: ReadonlySet<string> = new Set(["0.0.0.0", "::"]);

/** Hint for a wildcard address, which other machines cannot open; null for other addresses. */
export function addressRemark(host: string): string | null {
  if (!EVERYWHERE.has(host)) return null;
  return `From other machines, open it with the name or address of this machine instead of ${host}.`;
}
