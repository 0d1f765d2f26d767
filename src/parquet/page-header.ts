import type { PageHeader } from "hyparquet";
import { type Library, viewOf } from "./library.js";
import type { ReadSpan } from "./spans.js";

/** Most headers are shorter; those that carry the smallest and largest value of a text column may be longer. */
const FIRST_TRY = 256;
const GROWTH = 8;

/** A page's header and where the bytes of the page itself are. */
export interface FoundPage {
  readonly header: PageHeader;
  readonly start: number;
  /** Where the header ends and the data begins. */
  readonly dataStart: number;
  readonly end: number;
}

/** Reads the header of the page at `start`, in small steps, as its length is not known. */
export async function findPage(library: Library, read: ReadSpan, at: { start: number; limit: number }) {
  const { start, limit } = at;
  for (let length = FIRST_TRY; ; length *= GROWTH) {
    const end = Math.min(limit, start + length);
    const found = parseHeader(library, await read({ start, end }), start, end === limit);
    if (found !== null) return requireInside(found, limit);
  }
}

function parseHeader(library: Library, bytes: Uint8Array, start: number, isLast: boolean): FoundPage | null {
  const reader = { view: viewOf(bytes), offset: 0 };
  try {
    const header = library.parquetHeader(reader);
    const dataStart = start + reader.offset;
    return { header, start, dataStart, end: dataStart + header.compressed_page_size };
  } catch (error) {
    // The header may go on behind what was read.
    if (isLast) throw error;
    return null;
  }
}

function requireInside(page: FoundPage, limit: number): FoundPage {
  const size = page.header.compressed_page_size;
  if (Number.isInteger(size) && size >= 0 && page.end <= limit) return page;
  throw new Error(`a page at byte ${page.start} does not fit into its column`);
}

/** How many rows a data page holds; null when its header does not tell, as rows may have several values each. */
export function rowsInPage({ header }: FoundPage, isRepeated: boolean): number | null {
  if (header.data_page_header_v2 !== undefined) return header.data_page_header_v2.num_rows;
  if (isRepeated || header.data_page_header === undefined) return null;
  return header.data_page_header.num_values;
}

/** True for pages that hold values of rows; dictionaries and indexes do not. */
export function isDataPage({ header }: FoundPage): boolean {
  return header.type === "DATA_PAGE" || header.type === "DATA_PAGE_V2";
}
