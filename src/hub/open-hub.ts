import { BlobCheck } from "./blob-check.js";
import { HubCache } from "./cache.js";
import type { HubContext } from "./context.js";
import { downloadWhole } from "./download.js";
import type { Hub, HubListing, HubOptions } from "./hub.js";
import { findListing } from "./listing.js";
import { fileOf } from "./names.js";
import { type HubPorts, REAL_PORTS } from "./ports.js";
import { Meter } from "./progress.js";
import { openRanges } from "./range-source.js";
import { readSettings } from "./settings.js";
import { wantedOf } from "./wanted.js";
import { Wire } from "./wire.js";

/**
 * A hub of datasets, with a cache of what came from it that several processes may share.
 * @example
 * const hub = openHub({ onNote: console.warn });
 * const listing = await hub.listing("openai/gsm8k");
 * const bytes = await hub.open(listing, "main/test-00000-of-00001.parquet");
 */
export function openHub(options: HubOptions = {}, ports: Partial<HubPorts> = {}): Hub {
  const context = contextOf(options, { ...REAL_PORTS, ...ports });
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
    download: async (listing, path) => downloadWhole(context, wantedOf(listing, fileOf(listing, path))),
    open: async (listing, path) => openRanges(context, wantedOf(listing, fileOf(listing, path))),
    get received() {
      return context.meter.received;
    },
  };
}

function contextOf({ onProgress, onNote, signal, ...options }: HubOptions, ports: HubPorts): HubContext {
  const settings = readSettings(options);
  return {
    settings,
    ports,
    signal,
    cache: new HubCache(settings.cacheDir, ports.now),
    blobs: new BlobCheck(signal),
    wire: new Wire({ settings, ports, signal }),
    meter: new Meter({ onProgress, now: ports.now }),
    note: (text) => onNote?.(text),
  };
}
