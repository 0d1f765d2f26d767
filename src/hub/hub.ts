import type { DownloadProgress } from "../core/dataset.js";
import type { ByteSource } from "../files/byte-source.js";

/** How a hub is reached and where what it gives is kept; what is not given is read from the environment. */
export interface HubOptions {
  /** The hub's address; else HF_ENDPOINT, else https://huggingface.co. */
  endpoint?: string;
  /** Else HF_TOKEN, HUGGING_FACE_HUB_TOKEN, or the token file of the hub's own tools. */
  token?: string;
  /** Use nothing but the cache; else HF_HUB_OFFLINE. */
  offline?: boolean;
  /** Else ASSAY_DATASETS_CACHE, else a folder in the user's cache. */
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
