import { isUtf8 } from "node:buffer";
import { readFileSync, readlinkSync } from "node:fs";

/** The bytes of a file; null when it cannot be read. */
export function bytesAt(place: string): Buffer | null {
  try {
    return readFileSync(place);
  } catch {
    return null;
  }
}

/** What a link points to; null when it cannot be read or is no text. */
export function linkTarget(place: string): string | null {
  try {
    const target = readlinkSync(place, "buffer");
    return isUtf8(target) ? target.toString("utf8") : null;
  } catch {
    return null;
  }
}
