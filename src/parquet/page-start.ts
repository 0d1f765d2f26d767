import type { Encoding, PageHeader } from "hyparquet";
import { cutStream, varint } from "./cut-stream.js";
import type { Decoder } from "./decoder.js";
import { type FirstValues, firstValues, isInOrder } from "./first-values.js";
import type { Leaf } from "./layout.js";
import type { Decoded, Library } from "./library.js";
import type { FoundPage } from "./page-header.js";
import { readLevels, type StartOfPage } from "./page-levels.js";
import { type ReadSpan, readAhead } from "./spans.js";

/** Pages below this size are read whole. */
export const LARGE_PAGE = 256 * 1024;
/** Rows are never spread quite evenly; this much more is read at first, and on top of it some for the levels. */
export const SLACK = 1.1;
export const SLACK_BYTES = 32 * 1024;
const GROWTH = 1.3;
/** A start that is most of the page saves nothing. */
const WORTHWHILE = 0.7;

/** The first rows of a page. */
export interface StartOptions {
  readonly decoder: Decoder;
  readonly read: ReadSpan;
  readonly page: FoundPage;
  /** How many rows are needed. */
  readonly rows: number;
  /** About how many rows the page has. */
  readonly of: number;
}

/**
 * The first rows of a large page, from the beginning of its bytes alone if possible: some writers put a whole row group
 * into one page. More rows may come than were asked for.
 */
export async function readPageStart({ decoder, read, page, rows, of }: StartOptions): Promise<Decoded> {
  const size = page.end - page.dataStart;
  const cut = cutStream(decoder.library, decoder.codec);
  // What was read in vain is not read again.
  const forward = readAhead(read, { limit: page.end, step: 0 });
  let length = Math.ceil(((size * rows) / of) * SLACK) + SLACK_BYTES;
  for (; cut !== null && length < size * WORTHWHILE; length = Math.ceil(length * GROWTH)) {
    const bytes = await forward({ start: page.dataStart, end: page.dataStart + length });
    const start = readLevels(decoder, page.header, { bytes, cut, rows });
    const values = start === null ? null : decodeStart(decoder, page.header, start);
    if (values !== null) return values;
  }
  return decoder.rows(await forward({ start: page.dataStart, end: page.end }), page.header);
}

/** True when the first rows of such a page can be had from its first bytes. */
export function canStart(library: Library, codec: string, header: PageHeader): boolean {
  return cutStream(library, codec) !== null && isInOrder(encodingOf(header));
}

function encodingOf({ data_page_header: v1, data_page_header_v2: v2 }: PageHeader): Encoding | undefined {
  return (v1 ?? v2)?.encoding;
}

function decodeStart(decoder: Decoder, header: PageHeader, start: StartOfPage): Decoded | null {
  const encoding = encodingOf(header);
  if (!isInOrder(encoding)) return null;
  const { type } = decoder.meta;
  const width = decoder.leaf.nodes.at(-1)?.element.type_length ?? 0;
  const values = firstValues(decoder.library, { bytes: start.bytes, count: start.values, type, width, encoding });
  if (values === null) return null;
  return decoder.plainRows(shortPage(decoder.leaf, start, values), {
    ...header,
    type: "DATA_PAGE",
    data_page_header: {
      num_values: start.entries,
      encoding: values.encoding,
      definition_level_encoding: "RLE",
      repetition_level_encoding: "RLE",
    },
  });
}

/** A page of the first rows alone; the decoder follows runs of levels to their end, so that these are written anew. */
function shortPage(leaf: Leaf, { repetition, definition }: StartOfPage, values: FirstValues): Uint8Array {
  const levels = [
    ...(leaf.maxRepetition > 0 ? [writeLevels(repetition)] : []),
    ...(leaf.maxDefinition > 0 ? [writeLevels(definition)] : []),
  ];
  return Buffer.concat([...levels, values.bytes]);
}

/** Levels as runs, with their length before them. */
function writeLevels(levels: Uint8Array): Uint8Array {
  const runs: Uint8Array[] = [];
  for (let at = 0; at < levels.length; ) {
    const level = levels[at] ?? 0;
    const from = at;
    while (levels[at] === level) at++;
    runs.push(varint((at - from) * 2), Uint8Array.of(level));
  }
  const body = Buffer.concat(runs);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(body.byteLength);
  return Buffer.concat([length, body]);
}
