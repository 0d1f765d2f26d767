import "../builtins.js";
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { EXIT, isLoopback, UsageError } from "../core/index.js";
import { loadRun } from "../runs/index.js";
import { type RunningServer, startServer } from "../server/index.js";
import { findPackageFile } from "../utils/index.js";
import { waitForStop } from "./interrupt.js";
import { printNote, writeResult } from "./streams.js";

export interface ServeFlags {
  runsDir: string;
  port?: number;
  host?: string;
  /** True for --token without a value. */
  token?: string | true;
  /** Lets the page write labels of trials. */
  label?: boolean;
  labeler?: string;
  open: boolean;
}

const DEFAULT_PORT = 4680;
const MIN_TOKEN_LENGTH = 8;
const MAX_LABELER_LENGTH = 100;
const PAGE_DIR = fileURLToPath(findPackageFile("dist/web/"));

/** `assay serve`: the dashboard, until Ctrl-C. */
export async function executeServe(flags: ServeFlags): Promise<number> {
  const { host = "127.0.0.1", port } = flags;
  const token = resolveToken(flags);
  requireTokenUnlessLocal(host, token);
  const runsDir = resolve(flags.runsDir);
  requireRunsFolder(runsDir);
  const label = resolveLabelOptions(flags);
  const options = { runsDir, load: loadRun, pageDir: PAGE_DIR, host, token, label };
  const server = port === undefined ? await listenOnDefaultPort(options) : await startServer({ ...options, port });
  const stopped = waitForStop();
  const address = token === null ? server.url : `${server.url}?token=${encodeURIComponent(token)}`;
  await writeResult(`${address}\n`);
  printNote(`Serving the runs of ${runsDir}. Stop with Ctrl-C.`);
  if (label !== null) printNote("Labels are written to labels.jsonl in the folder of each run.");
  const remark = describeWildcardHost(host);
  if (remark !== null) printNote(remark);
  if (flags.open && process.stdout.isTTY) openBrowser(address);
  await stopped;
  await server.close();
  return EXIT.fine;
}

function resolveToken({ token }: ServeFlags): string | null {
  if (token === undefined) return null;
  if (token !== true) return requireLongToken(token);
  const known = process.env.ASSAY_TOKEN;
  return known === undefined || known === "" ? randomBytes(18).toString("base64url") : requireLongToken(known);
}

function requireLongToken(token: string): string {
  if (token.length >= MIN_TOKEN_LENGTH) return token;
  throw new UsageError(
    `The token has only ${token.length} characters and could be guessed. Use at least ${MIN_TOKEN_LENGTH}.`,
  );
}

/** Null if the server only reads. */
function resolveLabelOptions({ label = false, labeler }: Pick<ServeFlags, "label" | "labeler">) {
  if (labeler === undefined) return label ? { labeler: null } : null;
  const name = labeler.trim();
  if (!label) throw new UsageError("--labeler names who writes labels, and the server writes none. Add --label.");
  if (name === "" || name.length > MAX_LABELER_LENGTH || /\p{Cc}/u.test(name))
    throw new UsageError(`--labeler must be a name of 1 to ${MAX_LABELER_LENGTH} characters on one line.`);
  return { labeler: name };
}

function requireTokenUnlessLocal(host: string, token: string | null): void {
  if (token !== null || isLoopback(host)) return;
  throw new UsageError(
    `--host ${host} would let other machines read your runs. Add --token to require a token, or leave out --host.`,
  );
}

/** A missing folder is fine, because the first run creates it; a file is not. */
function requireRunsFolder(runsDir: string): void {
  if (!existsSync(runsDir)) printNote(`${runsDir} does not exist yet: runs appear as soon as there are any.`);
  else if (!statSync(runsDir).isDirectory()) throw new UsageError(`--runs-dir ${runsDir} is a file, not a folder.`);
}

async function listenOnDefaultPort(options: Omit<Parameters<typeof startServer>[0], "port">): Promise<RunningServer> {
  try {
    return await startServer({ ...options, port: DEFAULT_PORT });
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

const WILDCARD_HOSTS: ReadonlySet<string> = new Set(["0.0.0.0", "::"]);

/** Hint for a wildcard address, which other machines cannot open; null for other addresses. */
export function describeWildcardHost(host: string): string | null {
  if (!WILDCARD_HOSTS.has(host)) return null;
  return `From other machines, open it with the name or address of this machine instead of ${host}.`;
}
