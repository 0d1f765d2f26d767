import { hash } from "node:crypto";

/** Times, owners and sizes of files, which git writes anew whenever it is asked for a status. */
const FILE_FIGURES = 40;
const [MODE_AT, MODE_BYTES] = [24, 4];
const HEADER = 12;

/** What is staged in a repository, told by a digest that stays the same when only times in the index have changed. */
export function stagedIn(index: Buffer): string {
  for (const idBytes of [20, 32]) {
    const staged = entriesOf(index, idBytes);
    if (staged !== null) return hash("sha256", staged, "base64");
  }
  return hash("sha256", index, "base64");
}

/** All entries without what changes by itself; null when they cannot be read with ids of this length. */
function entriesOf(index: Buffer, idBytes: number): Buffer | null {
  if (index.length < HEADER || index.toString("latin1", 0, 4) !== "DIRC") return null;
  const [version, count] = [index.readUInt32BE(4), index.readUInt32BE(8)];
  if (version < 2 || version > 4) return null;
  const parts: Buffer[] = [];
  let at = HEADER;
  for (let number = 0; number < count; number++) {
    const next = endOfEntry(index, { at, idBytes, version });
    if (next === null) return null;
    parts.push(index.subarray(at + MODE_AT, at + MODE_AT + MODE_BYTES), index.subarray(at + FILE_FIGURES, next));
    at = next;
  }
  return Buffer.concat(parts);
}

interface EntryPlace {
  readonly at: number;
  readonly idBytes: number;
  readonly version: number;
}

/** Null when it is not one. */
function endOfEntry(index: Buffer, { at, idBytes, version }: EntryPlace): number | null {
  const flagsAt = at + FILE_FIGURES + idBytes;
  if (flagsAt + 4 > index.length) return null;
  const flags = index.readUInt16BE(flagsAt);
  const isExtended = (flags & 0x4000) !== 0;
  if (isExtended && version === 2) return null;
  const nameAt = flagsAt + (isExtended ? 4 : 2);
  const nameEnd = index.indexOf(0, version === 4 ? afterNumber(index, nameAt) : nameAt);
  if (nameEnd === -1) return null;
  if (version === 4) return nameEnd + 1;
  // The length in the flags ends at 4095; that of a longer name is found by its end.
  const isNamed = nameEnd > nameAt && Math.min(nameEnd - nameAt, 0xfff) === (flags & 0xfff);
  return isNamed ? at + Math.ceil((nameEnd - at + 1) / 8) * 8 : null;
}

/** In the fourth version a name begins with a number, whose bytes have their highest bit set but for the last. */
function afterNumber(index: Buffer, at: number): number {
  let end = at;
  while (((index[end] ?? 0) & 0x80) !== 0) end += 1;
  return end + 1;
}
