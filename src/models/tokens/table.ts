import { readFileSync } from "node:fs";
import { AssayError } from "../../core/index.js";
import { findPackageFile } from "../../utils/index.js";

/** A token table is missing, damaged or from another version. */
export class TokenTableError extends AssayError {
  constructor(message: string, options: { cause?: unknown } = {}) {
    super("TOKEN_TABLE", message, options);
  }
}

/** Returned by `find` for bytes that are not a token; sorts after every token. */
export const NO_TOKEN = 0x7fffffff;

/** Views of one `data/tokens/*.bin`; scripts/build-token-tables.mjs writes them and documents the layout. */
export interface TokenTable {
  /** Hash slots: the top 11 bits of the hash, then the offset of the token in `blob`; 0 is empty. */
  readonly slots: Int32Array;
  /** Length-prefixed token bytes in rank order, so that comparing offsets compares ranks. */
  readonly blob: Uint8Array;
  readonly maxTokenBytes: number;
  /** Code point >> 6 → block of `classBlocks`. */
  readonly classIndex: Uint16Array;
  /** Blocks of 64 character classes; the first two are ASCII. */
  readonly classBlocks: Uint8Array;
}

const MAGIC = 0x4b545341;
const FORMAT_VERSION = 1;
const HEADER_BYTES = 128;
const OFFSET_BITS = 21;
const OFFSET_MASK = (1 << OFFSET_BITS) - 1;

/** Maps the table of an encoding: one read and five views, because parsing 200,000 tokens would slow down start-up. */
export function readTokenTable(name: string): TokenTable {
  return parseTokenTable(readTableFile(findPackageFile(`data/tokens/${name}.bin`)));
}

function readTableFile(file: URL): Uint8Array {
  try {
    return readFileSync(file);
  } catch (cause) {
    throw new TokenTableError(
      `Cannot read the token table ${file.pathname}. Reinstall assay, or run \`node scripts/build-token-tables.mjs\` in a checkout.`,
      { cause },
    );
  }
}

/** Checks the header and returns views of the bytes. */
export function parseTokenTable(bytes: Uint8Array): TokenTable {
  const [magic, format, slotCount = 0, indexCount = 0, blockBytes = 0, blobBytes = 0, maxTokenBytes = 0] =
    bytes.length < HEADER_BYTES ? [] : new Int32Array(bytes.buffer, bytes.byteOffset, HEADER_BYTES / 4);
  const indexAt = HEADER_BYTES + slotCount * 4;
  const blocksAt = indexAt + indexCount * 2;
  const blobAt = blocksAt + blockBytes;
  if (magic !== MAGIC || format !== FORMAT_VERSION || bytes.length !== blobAt + blobBytes) {
    throw new TokenTableError(
      "The token table is damaged or from another version. Reinstall assay, or run `node scripts/build-token-tables.mjs --force` in a checkout.",
    );
  }
  return {
    slots: new Int32Array(bytes.buffer, bytes.byteOffset + HEADER_BYTES, slotCount),
    blob: bytes.subarray(blobAt),
    maxTokenBytes,
    classIndex: new Uint16Array(bytes.buffer, bytes.byteOffset + indexAt, indexCount),
    classBlocks: bytes.subarray(blocksAt, blobAt),
  };
}

function hashTokenBytes(bytes: Uint8Array, start: number, end: number): number {
  let hash = 0x811c9dc5;
  for (let i = start; i < end; i++) hash = Math.imul(hash ^ (bytes[i] ?? 0), 0x01000193);
  const mixed = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return mixed ^ (mixed >>> 13);
}

/** Finds tokens by their bytes; the result orders like the rank: smaller means merged earlier. */
export class TokenFinder {
  readonly #slots: Int32Array;
  readonly #blob: Uint8Array;
  readonly #maxTokenBytes: number;

  constructor(table: TokenTable) {
    this.#slots = table.slots;
    this.#blob = table.blob;
    this.#maxTokenBytes = table.maxTokenBytes;
  }

  find(bytes: Uint8Array, start: number, end: number): number {
    if (end - start > this.#maxTokenBytes) return NO_TOKEN;
    const hash = hashTokenBytes(bytes, start, end);
    const slots = this.#slots;
    const mask = slots.length - 1;
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const entry = slots[slot] ?? 0;
      if (entry === 0) return NO_TOKEN;
      if ((entry ^ hash) >>> OFFSET_BITS === 0) {
        const at = entry & OFFSET_MASK;
        if (this.#isTokenAt(at, bytes, start, end)) return at;
      }
    }
  }

  #isTokenAt(at: number, bytes: Uint8Array, start: number, end: number): boolean {
    const blob = this.#blob;
    if (blob[at] !== end - start) return false;
    for (let i = start, j = at + 1; i < end; i++, j++) if (blob[j] !== bytes[i]) return false;
    return true;
  }
}
