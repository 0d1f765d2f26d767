import type { Chunk } from "./layout.js";
import { type Library, viewOf } from "./library.js";
import { type FoundPage, findPage, isDataPage, rowsInPage } from "./page-header.js";
import type { ReadSpan, Span } from "./spans.js";

/** A data page and the rows of its group that it holds. */
export interface Page extends Span {
  readonly firstRow: number;
  readonly rows: number;
}

/** Tells which page of a chunk holds a row. */
export interface PageMap {
  pageOf(row: number): Promise<Page>;
  /** The dictionary, once a page of the chunk has been found. */
  readonly dictionary: Span | null;
}

/** What a map of pages is made from. */
export interface MapOptions {
  readonly library: Library;
  readonly read: ReadSpan;
  readonly chunk: Chunk;
  readonly rows: number;
  readonly isRepeated: boolean;
}

/** The pages as the file's own offset index lists them. */
export async function indexedPages({ library, read, chunk, rows }: MapOptions, index: Span): Promise<PageMap> {
  const { page_locations } = library.readOffsetIndex({ view: viewOf(await read(index)), offset: 0 });
  const pages = page_locations.map(({ offset, compressed_page_size, first_row_index }, at) => {
    const start = Number(offset);
    const firstRow = Number(first_row_index);
    const next = Number(page_locations[at + 1]?.first_row_index ?? rows);
    return { start, end: start + compressed_page_size, firstRow, rows: next - firstRow };
  });
  const first = pages[0]?.start ?? chunk.start;
  const dictionary = chunk.start < first ? { start: chunk.start, end: first } : null;
  return { dictionary, pageOf: (row) => Promise.resolve(pageWith(pages, row)) };
}

/**
 * The pages as their headers tell, read from the first on as far as a row that is asked for: files without an offset
 * index have no other way to a page. Null when headers do not tell the rows.
 */
export async function walkedPages(options: MapOptions): Promise<PageMap | null> {
  const walk = new Walk(options);
  return (await walk.start()) ? walk : null;
}

class Walk implements PageMap {
  readonly #options: MapOptions;
  readonly #pages: Page[] = [];
  #next: number;
  #rows = 0;
  dictionary: Span | null = null;

  constructor(options: MapOptions) {
    this.#options = options;
    this.#next = options.chunk.start;
  }

  /** False when the pages of this chunk do not tell how many rows they hold. */
  async start(): Promise<boolean> {
    return this.#step();
  }

  async pageOf(row: number): Promise<Page> {
    while (row >= this.#rows && (await this.#step()));
    return pageWith(this.#pages, row);
  }

  /** Goes on to the next data page. */
  async #step(): Promise<boolean> {
    const { library, read, chunk, isRepeated } = this.#options;
    while (this.#next < chunk.end) {
      const page = await findPage(library, read, { start: this.#next, limit: chunk.end });
      this.#next = page.end;
      if (page.header.type === "DICTIONARY_PAGE") this.dictionary = { start: page.start, end: page.end };
      if (isDataPage(page)) return this.#add(page, isRepeated);
    }
    return false;
  }

  #add(page: FoundPage, isRepeated: boolean): boolean {
    const rows = rowsInPage(page, isRepeated);
    if (rows === null) return false;
    this.#pages.push({ start: page.start, end: page.end, firstRow: this.#rows, rows });
    this.#rows += rows;
    return true;
  }
}

/** Pages are in the order of their rows: halving finds one among thousands. */
function pageWith(pages: readonly Page[], row: number): Page {
  let low = 0;
  let high = pages.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const page = pages[middle];
    if (page !== undefined && page.firstRow + page.rows <= row) low = middle + 1;
    else high = middle;
  }
  const found = pages[low];
  if (found === undefined) throw new Error(`no page holds row ${row + 1} of the row group`);
  return found;
}
