import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { DownloadProgress } from "../../core/dataset.js";
import { UsageError } from "../../core/errors.js";
import type { ByteSource } from "../../utils/files/byte-source.js";
import { HubCache } from "./cache.js";
import { downloadWhole } from "./download.js";
import { findListing } from "./listing.js";
import { openRanges } from "./ranges.js";
import { findHubFile } from "./wanted-file.js";

/** How a hub is reached and where what it gives is kept; what is not given is read from the environment. */
export interface HubOptions {
  /** The hub's address; else HF_ENDPOINT, else https://huggingface.co. */
  endpoint?: string;
  /** Else HF_TOKEN, HUGGING_FACE_HUB_TOKEN, or the token file of the hub's own tools. */
  token?: string;
  /** Use nothing but the cache; else HF_HUB_OFFLINE. */
  offline?: boolean;
  /** Else ASSAY_DATASETS_CACHE, else the cache of the hub's own tools (HF_HUB_CACHE, HF_HOME). */
  cacheDir?: string;
  env?: NodeJS.ProcessEnv;
  onProgress?: (progress: DownloadProgress) => void;
  /** Told what a user should know, such as a repository that has a new name. */
  onNote?: (note: string) => void;
  signal?: AbortSignal;
}

/** A file of a repository. */
export interface HubFile {
  readonly path: string;
  readonly size: number;
  /** SHA-256 of the content, where the hub states it: for large files. */
  readonly sha256?: string;
  /** Git's hash of the content, where the hub states that: for small files. */
  readonly gitSha1?: string;
}

/** The files of a repository at one commit. */
export interface HubListing {
  /** The repository's name now, which is not the one asked for when it has moved. */
  readonly repo: string;
  /** The commit. */
  readonly revision: string;
  readonly files: readonly HubFile[];
}

/** A hub of datasets, and the cache of what came from it. */
export interface Hub {
  /** The commit a branch, tag or commit stands for (`main` unless given), and the repository's files there. */
  listing(repo: string, revision?: string): Promise<HubListing>;
  /** Fetches the whole file unless it is in the cache, verifies it, and gives its local path. */
  download(listing: HubListing, path: string): Promise<string>;
  /** The file as bytes that are fetched by range as they are read, and kept. */
  open(listing: HubListing, path: string): Promise<ByteSource>;
  /** Bytes that came over the network so far. */
  readonly received: number;
}

/** What a hub takes from the outside world, so that a test can stand in for it. */
export interface HubPorts {
  readonly sleep: (ms: number, signal: AbortSignal | undefined) => Promise<void>;
  readonly random: () => number;
  readonly now: () => number;
  /** How long a connection may stay silent. */
  readonly idleMs: number;
}

const REAL_PORTS: HubPorts = {
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

/** What every part of a hub works with. */
export interface HubContext {
  readonly settings: HubSettings;
  readonly ports: HubPorts;
  readonly cache: HubCache;
  readonly meter: Meter;
  readonly signal: AbortSignal | undefined;
  readonly note: (text: string) => void;
  /** Where the hub redirected a file to: asked directly until that fails, which saves every other request. */
  readonly locations: Map<string, URL>;
  /** The version of each file that parts came from. */
  readonly etags: Map<string, string>;
}

/** Puts together what every part of a hub works with. */
export function createContext(options: HubOptions, testPorts: Partial<HubPorts> = {}): HubContext {
  const settings = readSettings(options);
  const ports = { ...REAL_PORTS, ...testPorts };
  const { onProgress, onNote, signal } = options;
  return {
    settings,
    ports,
    signal,
    cache: new HubCache(settings.cacheDir),
    meter: new Meter({ onProgress, now: ports.now }),
    note: (text) => onNote?.(text),
    locations: new Map(),
    etags: new Map(),
  };
}

/**
 * A hub of datasets, with a cache of what came from it that several processes may share.
 * @example
 * const hub = openHub({ onNote: console.warn });
 * const listing = await hub.listing("openai/gsm8k");
 * const bytes = await hub.open(listing, "main/test-00000-of-00001.parquet");
 */
export function openHub(options: HubOptions = {}, testPorts: Partial<HubPorts> = {}): Hub {
  const context = createContext(options, testPorts);
  // Asked once for all parts of a dataset, so that they are of one commit.
  const listings = new Map<string, Promise<HubListing>>();
  return {
    listing(repo, revision = "main") {
      const asked = `${repo}@${revision}`;
      const known = listings.get(asked);
      if (known !== undefined) return known;
      const listing = findListing(context, repo, revision);
      listings.set(asked, listing);
      listing.catch(() => listings.delete(asked));
      return listing;
    },
    download: async (listing, path) => downloadWhole(context, findHubFile(listing, path)),
    open: async (listing, path) => openRanges(context, findHubFile(listing, path)),
    get received() {
      return context.meter.received;
    },
  };
}

const EVERY_MS = 100;

/** One file, or a part of one, on its way. */
export interface Transfer {
  readonly got: (bytes: number) => void;
  /** Whatever was expected and did not come is no longer expected. */
  readonly end: () => void;
}

interface Listener {
  readonly onProgress: ((progress: DownloadProgress) => void) | undefined;
  readonly now: () => number;
}

/** Counts what comes over the network, and tells about it now and then. */
export class Meter {
  received = 0;
  #outstanding = 0;
  #toldAt = Number.NEGATIVE_INFINITY;
  readonly #listener: Listener;

  constructor(listener: Listener) {
    this.#listener = listener;
  }

  /** Bytes are about to come; `file` is null for what is not worth telling, such as listings. */
  start(file: string | null, expected: number): Transfer {
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
        if (file !== null) this.#tell(file, null);
      },
      end: () => take(left),
    };
  }

  waiting(file: string, waitingFor: string): void {
    this.#tell(file, waitingFor);
  }

  /** The last word on a file, however recent the one before. */
  done(file: string): void {
    this.#toldAt = Number.NEGATIVE_INFINITY;
    this.#tell(file, null);
  }

  #tell(file: string, waitingFor: string | null): void {
    const now = this.#listener.now();
    if (now - this.#toldAt < EVERY_MS) return;
    this.#toldAt = now;
    const { received } = this;
    this.#listener.onProgress?.({ file, received, expected: received + this.#outstanding, waitingFor });
  }
}

/** Everything that decides how a hub is reached. */
export interface HubSettings {
  /** Without a slash at its end. */
  readonly endpoint: string;
  readonly token: string | null;
  readonly isOffline: boolean;
  readonly cacheDir: string;
}

const HUB = "https://huggingface.co";

/** The settings that options and environment come to. */
export function readSettings({ env = process.env, ...options }: HubOptions): HubSettings {
  return {
    endpoint: checkedEndpoint(options.endpoint ?? filled(env.HF_ENDPOINT) ?? HUB),
    token: checkedToken(filled(options.token) ?? tokenOf(env)),
    isOffline: options.offline ?? isOn(env.HF_HUB_OFFLINE),
    cacheDir: options.cacheDir ?? filled(env.ASSAY_DATASETS_CACHE) ?? findHubCache(env),
  };
}

function checkedEndpoint(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new UsageError(`HF_ENDPOINT is ${JSON.stringify(text)}, which is no address. Give one such as ${HUB}.`);
  }
  if (url.username !== "" || url.password !== "") {
    throw new UsageError("HF_ENDPOINT holds a user name or a password. Leave them out; a token goes into HF_TOKEN.");
  }
  return `${url.origin}${url.pathname}`.replace(/\/+$/, "");
}

/** A header with other characters would be refused by an error that prints it. */
function checkedToken(token: string | null): string | null {
  if (token === null || /^[\x21-\x7e]+$/.test(token)) return token;
  throw new UsageError("HF_TOKEN holds characters that no token has, such as a space. Copy the token again.");
}

/** The cache of the hub's own tools, where they look for it. */
function findHubCache(env: NodeJS.ProcessEnv): string {
  return filled(env.HF_HUB_CACHE) ?? filled(env.HUGGINGFACE_HUB_CACHE) ?? join(hubHome(env), "hub");
}

function hubHome(env: NodeJS.ProcessEnv): string {
  return filled(env.HF_HOME) ?? join(userCache(env), "huggingface");
}

function tokenOf(env: NodeJS.ProcessEnv): string | null {
  return filled(env.HF_TOKEN) ?? filled(env.HUGGING_FACE_HUB_TOKEN) ?? filled(tokenFile(env));
}

/** What `hf auth login` left. */
function tokenFile(env: NodeJS.ProcessEnv): string | undefined {
  try {
    return readFileSync(filled(env.HF_TOKEN_PATH) ?? join(hubHome(env), "token"), "utf8");
  } catch {
    return undefined;
  }
}

function userCache(env: NodeJS.ProcessEnv): string {
  return filled(env.XDG_CACHE_HOME) ?? join(filled(env.HOME) ?? homedir(), ".cache");
}

function isOn(value: string | undefined): boolean {
  return /^(?:1|on|yes|true)$/i.test(value?.trim() ?? "");
}

function filled(value: string | undefined): string | null {
  const text = value?.trim() ?? "";
  return text === "" ? null : text;
}
