import type { LeafOptions, LeafReader } from "./leaf-reader.js";
import type { Decoded } from "./library.js";
import { findPage } from "./page-header.js";
import type { Page, PageMap } from "./page-map.js";
import { LARGE_PAGE, readPageStart } from "./page-start.js";
import { prefetch, type ReadSpan } from "./spans.js";

/** Pages fetched at a time. */
const BATCH_BYTES = 8 * 1024 * 1024;

/** The wanted rows of one page: `wanted[from]` up to, not including, `wanted[to]`. */
interface PageRows {
  readonly page: Page;
  readonly from: number;
  readonly to: number;
}

/** A leaf whose pages are known by their rows: only those that are needed are read. */
export class MappedLeaf implements LeafReader {
  readonly #options: LeafOptions;
  readonly #map: PageMap;
  /** Reads straight on, when all pages are needed. */
  readonly #forward: ReadSpan | undefined;
  #held: { page: Page; values: Decoded } | null = null;
  #hasDictionary = false;

  constructor(options: LeafOptions, map: PageMap, forward?: ReadSpan) {
    this.#options = options;
    this.#map = map;
    this.#forward = forward;
  }

  async take(from: number, to: number): Promise<unknown[]> {
    const taken: unknown[] = [];
    for await (const batch of this.#batches(from, to)) {
      const read = this.#forward ?? (await this.#fetch(batch));
      for (const rows of batch) await this.#takePage(rows, read, taken);
    }
    return taken;
  }

  /** The pages of the rows, as many at a time as fit into memory well. */
  async *#batches(from: number, to: number): AsyncGenerator<PageRows[]> {
    let batch: PageRows[] = [];
    let size = 0;
    for (let at = from; at < to; ) {
      const rows = await this.#rowsAt(at, to);
      at = rows.to;
      batch.push(rows);
      size += rows.page.end - rows.page.start;
      if (size < BATCH_BYTES && this.#forward === undefined) continue;
      yield batch;
      batch = [];
      size = 0;
    }
    if (batch.length > 0) yield batch;
  }

  async #rowsAt(from: number, limit: number): Promise<PageRows> {
    const { wanted } = this.#options;
    const page = await this.#map.pageOf(wanted[from] ?? 0);
    const end = page.firstRow + page.rows;
    let to = from + 1;
    while (to < limit && (wanted[to] ?? end) < end) to++;
    return { page, from, to };
  }

  /** Pages of which only the beginning is needed are left to be read in part. */
  #fetch(batch: readonly PageRows[]): Promise<ReadSpan> {
    const spans = batch
      .filter(({ page }) => page !== this.#held?.page && !this.#needsStartOnly(page))
      .map(({ page }) => page);
    return prefetch(this.#options.read, spans);
  }

  async #takePage({ page, from, to }: PageRows, read: ReadSpan, taken: unknown[]): Promise<void> {
    const values = await this.#valuesOf(page, read);
    for (let at = from; at < to; at++) taken.push(values[(this.#options.wanted[at] ?? 0) - page.firstRow]);
  }

  async #valuesOf(page: Page, read: ReadSpan): Promise<Decoded> {
    if (this.#held?.page === page) return this.#held.values;
    await this.#readDictionary(read);
    const values = this.#needsStartOnly(page) ? await this.#readStart(page) : await this.#readWhole(page, read);
    this.#held = { page, values };
    return values;
  }

  async #readDictionary(read: ReadSpan): Promise<void> {
    const span = this.#map.dictionary;
    if (span === null || this.#hasDictionary) return;
    const { decoder } = this.#options;
    const local = await prefetch(read, [span]);
    await decoder.readDictionary(local, await findPage(decoder.library, local, { start: span.start, limit: span.end }));
    this.#hasDictionary = true;
  }

  async #readWhole(page: Page, read: ReadSpan): Promise<Decoded> {
    const { decoder } = this.#options;
    const local = await prefetch(read, [page]);
    const { header, dataStart, end } = await findPage(decoder.library, local, { start: page.start, limit: page.end });
    return decoder.rows(await local({ start: dataStart, end }), header);
  }

  async #readStart(page: Page): Promise<Decoded> {
    const { decoder, read } = this.#options;
    const found = await findPage(decoder.library, read, { start: page.start, limit: page.end });
    return readPageStart({ decoder, read, page: found, rows: this.#lastRow(page) + 1, of: page.rows });
  }

  #needsStartOnly(page: Page): boolean {
    if (this.#forward !== undefined || page.end - page.start < LARGE_PAGE) return false;
    return (this.#lastRow(page) + 1) * 2 < page.rows;
  }

  /** The last row that will ever be asked for from a page, counted from its first. */
  #lastRow({ firstRow, rows }: Page): number {
    const last = this.#options.wanted.findLast((row) => row < firstRow + rows) ?? firstRow;
    return last - firstRow;
  }
}
