import type { LeafOptions, LeafReader } from "./leaf-reader.js";
import { type FoundPage, findPage, isDataPage } from "./page-header.js";
import { LARGE_PAGE, readPageStart } from "./page-start.js";

/**
 * A leaf whose pages do not tell their rows: a list may go on from one page to the next. It is decoded from the start,
 * as far as the last wanted row.
 */
export class SequentialLeaf implements LeafReader {
  readonly #options: LeafOptions;
  #next: number;
  /** Rows decoded and not passed yet, the first of which is row `#first`; the last may go on in the next page. */
  #held: unknown[] = [];
  #first = 0;

  constructor(options: LeafOptions) {
    this.#options = options;
    this.#next = options.chunk.start;
  }

  async take(from: number, to: number): Promise<unknown[]> {
    const taken: unknown[] = [];
    for (const row of this.#options.wanted.subarray(from, to)) {
      while (this.#first + this.#held.length <= row + 1 && (await this.#step(row)));
      taken.push(this.#at(row));
    }
    return taken;
  }

  #at(row: number): unknown {
    const value = this.#held[row - this.#first];
    if (value === undefined && row - this.#first >= this.#held.length) {
      throw new Error(`no page holds row ${row + 1} of the row group`);
    }
    return value;
  }

  /** Decodes one more page; false when there is none. Rows before `row` are let go. */
  async #step(row: number): Promise<boolean> {
    const { decoder, chunk, read } = this.#options;
    if (this.#next >= chunk.end) return false;
    const page = await findPage(decoder.library, read, { start: this.#next, limit: chunk.end });
    this.#next = page.end;
    if (page.header.type === "DICTIONARY_PAGE") await decoder.readDictionary(read, page);
    if (isDataPage(page)) await this.#decode(page, row);
    return true;
  }

  async #decode(page: FoundPage, row: number): Promise<void> {
    const { decoder, chunk, read } = this.#options;
    const start = await this.#start(page);
    if (start !== null) {
      this.#held = start;
      this.#next = chunk.end;
      return;
    }
    this.#letGo(row);
    const data = await read({ start: page.dataStart, end: page.end });
    this.#held = Array.from<unknown>(decoder.rows(data, page.header, this.#held));
  }

  /** The whole wanted part of the chunk, when it is only the beginning of its one large page. */
  async #start(page: FoundPage): Promise<unknown[] | null> {
    const { decoder, chunk, read, wanted, rows } = this.#options;
    const needed = (wanted.at(-1) ?? 0) + 1;
    const isFirst = this.#first === 0 && this.#held.length === 0;
    const isOnly = page.end === chunk.end;
    if (!isFirst || !isOnly || page.end - page.start < LARGE_PAGE || needed * 2 >= rows) return null;
    return Array.from<unknown>(await readPageStart({ decoder, read, page, rows: needed, of: rows }));
  }

  #letGo(row: number): void {
    const passed = Math.min(row - this.#first, this.#held.length - 1);
    if (passed <= 0) return;
    this.#held.splice(0, passed);
    this.#first += passed;
  }
}
