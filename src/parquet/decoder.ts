import type { ColumnMetaData, PageHeader } from "hyparquet";
import type { Chunk, Leaf } from "./layout.js";
import { type Decoded, type Library, viewOf } from "./library.js";
import type { FoundPage } from "./page-header.js";
import { unknownCodec } from "./problems.js";
import type { ReadSpan } from "./spans.js";

/** Turns the pages of one chunk into values. */
export class Decoder {
  readonly library: Library;
  readonly leaf: Leaf;
  readonly meta: ColumnMetaData;
  #dictionary: Decoded | undefined;

  constructor(library: Library, leaf: Leaf, chunk: Chunk, name: string) {
    this.library = library;
    this.leaf = leaf;
    this.meta = chunk.meta;
    requireCodec(this, name);
  }

  get codec(): string {
    return this.meta.codec;
  }

  /** Keeps the dictionary that the data pages of the chunk refer to. */
  async readDictionary(read: ReadSpan, { header, dataStart, end }: FoundPage): Promise<void> {
    const values = this.#decode(await read({ start: dataStart, end }), header);
    this.#dictionary = this.library.convert(values, this.#settings());
  }

  /** The rows of a data page, added to `previous` where a row may go on from the page before. */
  rows(data: Uint8Array, header: PageHeader, previous?: unknown[]): Decoded {
    return this.#decode(data, header, previous);
  }

  /** The rows of a page that has been decompressed already. */
  plainRows(data: Uint8Array, header: PageHeader): Decoded {
    const sized = { ...header, compressed_page_size: data.byteLength, uncompressed_page_size: data.byteLength };
    const settings = { ...this.#settings(), codec: "UNCOMPRESSED" as const };
    return this.library.readPage(readerOf(data), sized, settings, this.#dictionary, undefined, 0).data ?? [];
  }

  #decode(data: Uint8Array, header: PageHeader, previous?: unknown[]): Decoded {
    const { readPage } = this.library;
    return readPage(readerOf(data), header, this.#settings(), this.#dictionary, previous, 0).data ?? [];
  }

  #settings() {
    const { library, leaf, meta } = this;
    const schemaPath = [...leaf.nodes];
    const element = schemaPath.at(-1)?.element ?? { name: "" };
    return {
      pathInSchema: [...leaf.path],
      element,
      schemaPath,
      type: meta.type,
      codec: meta.codec,
      parsers: library.parsers,
      compressors: library.compressors,
      // Bytes that are not declared as text are looked at one by one.
      utf8: false,
    };
  }
}

function readerOf(bytes: Uint8Array) {
  return { view: viewOf(bytes), offset: 0 };
}

function requireCodec({ library, leaf, codec }: Decoder, name: string): void {
  if (codec === "UNCOMPRESSED" || codec in library.compressors) return;
  const known = ["none", ...Object.keys(library.compressors)].join(", ").toLowerCase();
  const column = leaf.path.join(".");
  throw unknownCodec({ name, codec: codec ?? "an unknown method", column, known });
}
