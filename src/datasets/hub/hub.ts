import { setTimeout as wait } from "node:timers/promises";
import type { DownloadProgress } from "../../core/dataset.js";
import type { ByteSource } from "../../utils/files/byte-source.js";
import { HubCache } from "./cache.js";
import { downloadWhole } from "./download.js";
import { findListing } from "./listing.js";
import { Meter } from "./progress.js";
import { openRanges } from "./ranges.js";
import { type HubSettings, readSettings } from "./settings.js";
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
