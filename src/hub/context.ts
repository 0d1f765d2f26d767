import type { BlobCheck } from "./blob-check.js";
import type { HubCache } from "./cache.js";
import type { HubListing } from "./hub.js";
import type { HubPorts } from "./ports.js";
import type { Meter } from "./progress.js";
import type { HubSettings } from "./settings.js";
import type { Wire } from "./wire.js";

/** What every part of a hub works with. */
export interface HubContext {
  readonly settings: HubSettings;
  readonly ports: HubPorts;
  readonly cache: HubCache;
  readonly blobs: BlobCheck;
  readonly wire: Wire;
  readonly meter: Meter;
  readonly signal: AbortSignal | undefined;
  readonly note: (text: string) => void;
}

/** The address of something in the hub's API. */
export function apiUrl({ settings }: HubContext, repo: string, rest: string): URL {
  return new URL(`${settings.endpoint}/api/datasets/${repo}/${rest}`);
}

/** The address of a file's content at a commit. */
export function fileUrl({ settings }: HubContext, { repo, revision }: HubListing, path: string): URL {
  const parts = path.split("/").map(encodeURIComponent).join("/");
  return new URL(`${settings.endpoint}/datasets/${repo}/resolve/${encodeURIComponent(revision)}/${parts}`);
}
