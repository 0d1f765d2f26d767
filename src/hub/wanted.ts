import type { HubFile, HubListing } from "./hub.js";
import { blobKey, fileName } from "./names.js";

/** A file that is to be in the cache. */
export interface Wanted {
  readonly listing: HubListing;
  readonly file: HubFile;
  readonly key: string;
  /** As messages name it. */
  readonly name: string;
}

/** What a file of a listing is called here and there. */
export function wantedOf(listing: HubListing, file: HubFile): Wanted {
  return { listing, file, key: blobKey(listing, file), name: fileName(listing, file.path) };
}
