import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { DownloadProgress } from "../../core/index.js";
import { UsageError } from "../../core/index.js";
import type { ByteSource } from "../../utils/index.js";
import { HubCache } from "./cache.js";
import { downloadWhole } from "./download.js";
import { resolveListing } from "./listing.js";
import { openRanges } from "./ranges.js";
import { resolveHubFile } from "./resolve-file.js";

/** How to reach the hub and where to cache files; missing options are read from the environment. */
export interface HubOptions {
  /** Address of the hub. Default: HF_ENDPOINT, else https://huggingface.co. */
  endpoint?: string;
  /** Default: HF_TOKEN, HUGGING_FACE_HUB_TOKEN, or the token file of the hub's own tools. */
  token?: string;
  /** Use only the cache. Default: HF_HUB_OFFLINE. */
  offline?: boolean;
  /** Default: ASSAY_DATASETS_CACHE, else the cache of the hub's own tools (HF_HUB_CACHE, HF_HOME). */
  cacheDir?: string;
  env?: NodeJS.ProcessEnv;
  onProgress?: (progress: DownloadProgress) => void;
  /** Receives notes for the user, such as a renamed repository. */
  onNote?: (note: string) => void;
  signal?: AbortSignal;
}

export interface HubFile {
  readonly path: string;
  readonly size: number;
  /** SHA-256 of the content; the hub reports it for large files. */
  readonly sha256?: string;
  /** Git's hash of the content; the hub reports it for small files. */
  readonly gitSha1?: string;
}

/** The files of a repository at one commit. */
export interface HubListing {
  /** The current name, which differs from the requested one if the repository has moved. */
  readonly repo: string;
  /** The commit. */
  readonly revision: string;
  readonly files: readonly HubFile[];
}

/** A hub of datasets and its local cache. */
export interface Hub {
  /** Resolves a branch, tag or commit (default: `main`) and lists the repository's files there. */
  listing(repo: string, revision?: string): Promise<HubListing>;
  /** Downloads and verifies the whole file unless it is cached, and returns its local path. */
  download(listing: HubListing, path: string): Promise<string>;
  /** Opens the file as bytes that are fetched by range on read, and cached. */
  open(listing: HubListing, path: string): Promise<ByteSource>;
  /** Bytes received over the network so far. */
  readonly received: number;
}

/** Dependencies that tests replace. */
export interface HubPorts {
  readonly sleep: (ms: number, signal: AbortSignal | undefined) => Promise<void>;
  readonly random: () => number;
  readonly now: () => number;
  /** How long a connection may be idle. */
  readonly idleMs: number;
}

const DEFAULT_PORTS: HubPorts = {
  sleep: async (ms, signal) => {
    try {
      await wait(ms, undefined, { signal });
    } catch (error) {
      signal?.throwIfAborted();
      throw error;
    }
  },
  random: Math.random,
  now: Date.now,
  idleMs: 30_000,
};

/** What every module of a hub shares. */
export interface HubContext {
  readonly settings: HubSettings;
  readonly ports: HubPorts;
  readonly cache: HubCache;
  readonly meter: DownloadMeter;
  readonly signal: AbortSignal | undefined;
  readonly note: (text: string) => void;
  /** Redirect targets of files: requested directly until that fails, which saves a request. */
  readonly locations: Map<string, URL>;
  /** Version of each file that ranges came from. */
  readonly etags: Map<string, string>;
}

export function createHubContext(options: HubOptions, testPorts: Partial<HubPorts> = {}): HubContext {
  const settings = readHubSettings(options);
  const ports = { ...DEFAULT_PORTS, ...testPorts };
  const { onProgress, onNote, signal } = options;
  return {
    settings,
    ports,
    signal,
    cache: new HubCache(settings.cacheDir),
    meter: new DownloadMeter({ onProgress, now: ports.now }),
    note: (text) => onNote?.(text),
    locations: new Map(),
    etags: new Map(),
  };
}

/**
 * Opens a hub of datasets with a cache that several processes may share.
 * @example
 * const hub = openHub({ onNote: console.warn });
 * const listing = await hub.listing("openai/gsm8k");
 * const bytes = await hub.open(listing, "main/test-00000-of-00001.parquet");
 */
export function openHub(options: HubOptions = {}, testPorts: Partial<HubPorts> = {}): Hub {
  const context = createHubContext(options, testPorts);
  // Resolved once for all parts of a dataset, so that they are of one commit.
  const listings = new Map<string, Promise<HubListing>>();
  return {
    listing(repo, revision = "main") {
      const asked = `${repo}@${revision}`;
      const known = listings.get(asked);
      if (known !== undefined) return known;
      const listing = resolveListing(context, repo, revision);
      listings.set(asked, listing);
      listing.catch(() => listings.delete(asked));
      return listing;
    },
    download: async (listing, path) => downloadWhole(context, resolveHubFile(listing, path)),
    open: async (listing, path) => openRanges(context, resolveHubFile(listing, path)),
    get received() {
      return context.meter.received;
    },
  };
}

const PROGRESS_INTERVAL_MS = 100;

/** The download of a file or a part of one. */
export interface DownloadTransfer {
  readonly got: (bytes: number) => void;
  /** Stops expecting bytes that did not arrive. */
  readonly end: () => void;
}

interface ProgressListener {
  readonly onProgress: ((progress: DownloadProgress) => void) | undefined;
  readonly now: () => number;
}

/** Counts received bytes and reports progress at intervals. */
export class DownloadMeter {
  received = 0;
  #outstanding = 0;
  #toldAt = Number.NEGATIVE_INFINITY;
  readonly #listener: ProgressListener;

  constructor(listener: ProgressListener) {
    this.#listener = listener;
  }

  /** Starts a transfer; `file` is null for requests that are not reported, such as listings. */
  start(file: string | null, expected: number): DownloadTransfer {
    let left = expected;
    this.#outstanding += left;
    const take = (bytes: number) => {
      const taken = Math.min(left, bytes);
      left -= taken;
      this.#outstanding -= taken;
    };
    return {
      got: (bytes) => {
        this.received += bytes;
        take(bytes);
        if (file !== null) this.#report(file, null);
      },
      end: () => take(left),
    };
  }

  reportWaiting(file: string, waitingFor: string): void {
    this.#report(file, waitingFor);
  }

  /** Reports the end of a file, regardless of the interval. */
  reportDone(file: string): void {
    this.#toldAt = Number.NEGATIVE_INFINITY;
    this.#report(file, null);
  }

  #report(file: string, waitingFor: string | null): void {
    const now = this.#listener.now();
    if (now - this.#toldAt < PROGRESS_INTERVAL_MS) return;
    this.#toldAt = now;
    const { received } = this;
    this.#listener.onProgress?.({ file, received, expected: received + this.#outstanding, waitingFor });
  }
}

export interface HubSettings {
  /** Without a trailing slash. */
  readonly endpoint: string;
  readonly token: string | null;
  readonly isOffline: boolean;
  readonly cacheDir: string;
}

const DEFAULT_ENDPOINT = "https://huggingface.co";

/** Resolves options and environment. */
export function readHubSettings({ env = process.env, ...options }: HubOptions): HubSettings {
  return {
    endpoint: parseEndpoint(options.endpoint ?? trimToNull(env.HF_ENDPOINT) ?? DEFAULT_ENDPOINT),
    token: requireValidToken(trimToNull(options.token) ?? readToken(env)),
    isOffline: options.offline ?? isEnabled(env.HF_HUB_OFFLINE),
    cacheDir: options.cacheDir ?? trimToNull(env.ASSAY_DATASETS_CACHE) ?? findHubCache(env),
  };
}

function parseEndpoint(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new UsageError(
      `HF_ENDPOINT is ${JSON.stringify(text)}, which is not a URL. Use one such as ${DEFAULT_ENDPOINT}.`,
    );
  }
  if (url.username !== "" || url.password !== "") {
    throw new UsageError("HF_ENDPOINT contains a user name or a password. Remove them, and put a token into HF_TOKEN.");
  }
  return `${url.origin}${url.pathname}`.replace(/\/+$/, "");
}

/** An invalid header would raise an error that prints the token. */
function requireValidToken(token: string | null): string | null {
  if (token === null || /^[\x21-\x7e]+$/.test(token)) return token;
  throw new UsageError("HF_TOKEN contains invalid characters, such as a space. Copy the token again.");
}

/** The cache location of the hub's own tools. */
function findHubCache(env: NodeJS.ProcessEnv): string {
  return trimToNull(env.HF_HUB_CACHE) ?? trimToNull(env.HUGGINGFACE_HUB_CACHE) ?? join(getHubHome(env), "hub");
}

function getHubHome(env: NodeJS.ProcessEnv): string {
  return trimToNull(env.HF_HOME) ?? join(getUserCacheDir(env), "huggingface");
}

function readToken(env: NodeJS.ProcessEnv): string | null {
  return trimToNull(env.HF_TOKEN) ?? trimToNull(env.HUGGING_FACE_HUB_TOKEN) ?? trimToNull(readTokenFile(env));
}

/** Written by `hf auth login`. */
function readTokenFile(env: NodeJS.ProcessEnv): string | undefined {
  try {
    return readFileSync(trimToNull(env.HF_TOKEN_PATH) ?? join(getHubHome(env), "token"), "utf8");
  } catch {
    return undefined;
  }
}

function getUserCacheDir(env: NodeJS.ProcessEnv): string {
  return trimToNull(env.XDG_CACHE_HOME) ?? join(trimToNull(env.HOME) ?? homedir(), ".cache");
}

function isEnabled(value: string | undefined): boolean {
  return /^(?:1|on|yes|true)$/i.test(value?.trim() ?? "");
}

function trimToNull(value: string | undefined): string | null {
  const text = value?.trim() ?? "";
  return text === "" ? null : text;
}
