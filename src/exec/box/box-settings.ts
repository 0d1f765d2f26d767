import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { resolve } from "node:path";
import { didYouMean, type ResourceLimits, UsageError } from "../../core/index.js";

/** How the programs of a trial are kept from the rest of the machine. */
export const ISOLATIONS = ["none", "box", "container:docker", "container:podman"] as const;
type IsolationName = (typeof ISOLATIONS)[number];

/** What all programs in one box may use together. */
export type BoxLimits = ResourceLimits;

/** Enough for compilers, package managers and test suites. */
export const DEFAULT_BOX_LIMITS: BoxLimits = { processes: 1024, memoryGib: 4, cpus: 2, diskGib: 8 };

/** What a box may reach besides its own folders. Plain data: stored with the trial, so that it is graded in the same box. */
export interface BoxSettings {
  readonly kind: Exclude<IsolationName, "none">;
  readonly limits: BoxLimits;
  /** `HOST`, `HOST:PORT` or `*.HOST`; without a port, 80 and 443. */
  readonly allowHosts: readonly string[];
  /** Absolute paths that it may read. */
  readonly allowPaths: readonly string[];
}

/** Options of a box as users give them. */
export interface BoxOptions {
  readonly isolation?: string | undefined;
  readonly allowHosts?: readonly string[] | undefined;
  readonly allowPaths?: readonly string[] | undefined;
  readonly limits?: Readonly<Record<string, number>> | Partial<BoxLimits> | undefined;
}

/**
 * Checks the options of a box; null for no isolation.
 * @example
 * resolveBoxSettings({ isolation: "box", allowHosts: ["registry.example.org"] });
 */
export function resolveBoxSettings({
  isolation: given,
  allowHosts = [],
  allowPaths = [],
  limits = {},
}: BoxOptions): BoxSettings | null {
  const isolation = given ?? "none";
  const known = ISOLATIONS.find((name) => name === isolation);
  if (known === undefined)
    throw new UsageError(`Unknown isolation "${isolation}".${didYouMean(isolation, ISOLATIONS)}`);
  if (known === "none") {
    if (given === undefined)
      requireNothingSet({ "--allow-host": allowHosts, "--allow-path": allowPaths, "--box-limit": Object.keys(limits) });
    return null;
  }
  for (const host of allowHosts) parseAllowedHost(host);
  return {
    kind: known,
    limits: resolveLimits(limits),
    allowHosts,
    allowPaths: allowPaths.map(resolveAllowedPath),
  };
}

/** Whole bytes of a number of GiB. */
export function toBytes(gib: number): number {
  return Math.ceil(gib * 2 ** 30);
}

const MIN_PROCESSES = 8;

function resolveLimits(given: Readonly<Record<string, number>> | Partial<BoxLimits>): BoxLimits {
  for (const [name, value] of Object.entries(given)) {
    if (!Object.hasOwn(DEFAULT_BOX_LIMITS, name)) {
      const names = Object.keys(DEFAULT_BOX_LIMITS);
      throw new UsageError(`Unknown --box-limit "${name}".${didYouMean(name, names)}`);
    }
    if (!Number.isFinite(value) || value <= 0)
      throw new UsageError(`--box-limit ${name}=${value} must be a number above 0.`);
  }
  const limits = { ...DEFAULT_BOX_LIMITS, ...given };
  if (Number.isInteger(limits.processes) && limits.processes >= MIN_PROCESSES) return limits;
  throw new UsageError(
    `--box-limit processes=${limits.processes} must be a whole number of at least ${MIN_PROCESSES}.`,
  );
}

/** Without isolation everything is allowed, so a list of what is allowed would mislead those who did not ask for `none`. */
function requireNothingSet(lists: Readonly<Record<string, readonly string[]>>): void {
  for (const [flag, list] of Object.entries(lists))
    if (list.length > 0) throw new UsageError(`${flag} is only for a box. Add --isolation box, or remove it.`);
}

/** The same place in the box as outside, so it must not cover the box's own folders. */
function resolveAllowedPath(path: string): string {
  const absolute = resolve(path.replace(/^~(?=\/|$)/, homedir()));
  if (!existsSync(absolute)) throw new UsageError(`--allow-path ${path}: there is no such file or folder.`);
  if (["/", "/proc", "/dev", "/sys", "/tmp", "/run"].includes(absolute))
    throw new UsageError(`--allow-path ${path}: this folder cannot be shown in a box. Name a folder inside of it.`);
  return absolute;
}

/** One entry of `--allow-host`. */
export interface AllowedHost {
  /** In lower case; with a leading `*.` for all hosts below it. */
  readonly host: string;
  readonly ports: readonly number[];
}

const WEB_PORTS = [80, 443];

/**
 * Parses an entry of `--allow-host`.
 * @example
 * parseAllowedHost("*.Example.org:8443"); // { host: "*.example.org", ports: [8443] }
 */
export function parseAllowedHost(text: string): AllowedHost {
  const { host = "", port } =
    /^(?<host>(?:\*\.)?[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?|\[[0-9a-f:.]+\])(?::(?<port>\d{1,5}))?$/i.exec(text)
      ?.groups ?? {};
  const number = port === undefined ? null : Number(port);
  if (host === "" || (number !== null && (number < 1 || number > 65_535)))
    throw new UsageError(
      `--allow-host ${JSON.stringify(text)} is not a host. Write HOST, HOST:PORT or *.HOST, such as registry.example.org or localhost:5432.`,
    );
  return { host: host.toLowerCase(), ports: number === null ? WEB_PORTS : [number] };
}

/** True if one of the entries allows the connection. */
export function isHostAllowed(host: string, port: number, allowed: readonly AllowedHost[]): boolean {
  const name = host.toLowerCase().replace(/\.$/, "");
  return allowed.some((entry) => entry.ports.includes(port) && matchesHost(name, entry.host));
}

function matchesHost(name: string, allowed: string): boolean {
  return allowed.startsWith("*.") ? name.endsWith(allowed.slice(1)) : name === allowed;
}

const LOOPBACK = new Set(["localhost", "127.0.0.1"]);

/** Only root may listen on lower ones. */
const FIRST_FREE_PORT = 1024;

/** Ports of this machine among the allowed hosts: the box reaches them at the same address, lower ones by the proxy only. */
export function listLocalPorts(allowed: readonly AllowedHost[]): number[] {
  const ports = allowed.flatMap((entry) => (LOOPBACK.has(entry.host) ? entry.ports : []));
  return [...new Set(ports)].filter((port) => port >= FIRST_FREE_PORT);
}
