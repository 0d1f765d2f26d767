import type { DataPageHeaderV2, PageHeader } from "hyparquet/src/types.js";
import type { CutStream } from "./cut-stream.js";
import type { Decoder } from "./decoder.js";
import { type Library, viewOf } from "./library.js";

/** The levels of the first rows of a page, and the decompressed bytes behind all levels. */
export interface StartOfPage {
  readonly repetition: Uint8Array;
  readonly definition: Uint8Array;
  /** Entries that the rows have, with nulls and empty lists. */
  readonly entries: number;
  /** Values that are really there. */
  readonly values: number;
  readonly bytes: Uint8Array;
}

/** The beginning of a page's bytes, and how many rows are wanted from it. */
export interface CutPage {
  readonly bytes: Uint8Array;
  readonly cut: CutStream;
  readonly rows: number;
}

/** Reads the levels, which stand before the values and tell which entries belong to which row; null when cut off. */
export function readLevels(decoder: Decoder, header: PageHeader, page: CutPage): StartOfPage | null {
  const { data_page_header: v1, data_page_header_v2: v2 } = header;
  if (v2 !== undefined) return levelsOfV2(decoder, v2, page);
  const { maxRepetition, maxDefinition } = decoder.leaf;
  if (v1 === undefined || (maxDefinition > 0 && v1.definition_level_encoding !== "RLE")) return null;
  const bytes = page.cut(page.bytes);
  const repetition = maxRepetition > 0 ? sized(bytes, 0) : none(0);
  const definition = maxDefinition > 0 ? sized(bytes, repetition.end) : none(repetition.end);
  return count({ decoder, bytes, repetition, definition, total: v1.num_values, rows: page.rows });
}

/** In newer pages the levels are not compressed, and the header tells their lengths. */
function levelsOfV2(decoder: Decoder, header: DataPageHeaderV2, page: CutPage): StartOfPage | null {
  const repetition = { start: 0, end: header.repetition_levels_byte_length };
  const definition = { start: repetition.end, end: repetition.end + header.definition_levels_byte_length };
  if (definition.end > page.bytes.byteLength) return null;
  const rest = page.bytes.subarray(definition.end);
  const values = header.is_compressed === false ? rest : page.cut(rest);
  const bytes = Buffer.concat([page.bytes.subarray(0, definition.end), values]);
  return count({ decoder, bytes, repetition, definition, total: header.num_values, rows: page.rows });
}

interface Section {
  readonly start: number;
  readonly end: number;
}

interface Sections {
  readonly decoder: Decoder;
  readonly bytes: Uint8Array;
  readonly repetition: Section;
  readonly definition: Section;
  readonly total: number;
  readonly rows: number;
}

function none(at: number): Section {
  return { start: at, end: at };
}

/** A section with its length before it. */
function sized(bytes: Uint8Array, at: number): Section {
  if (at + 4 > bytes.byteLength) return none(Number.POSITIVE_INFINITY);
  return { start: at + 4, end: at + 4 + viewOf(bytes).getUint32(at, true) };
}

function count({ decoder, bytes, total, rows, ...sections }: Sections): StartOfPage | null {
  if (sections.definition.end > bytes.byteLength) return null;
  const { library, leaf } = decoder;
  const view = viewOf(bytes);
  const levels = (section: Section, max: number, entries: number) =>
    max === 0 ? new Uint8Array(0) : decodeLevels(library, view, { section, max, count: entries });
  const all = levels(sections.repetition, leaf.maxRepetition, total);
  const entries = leaf.maxRepetition === 0 ? Math.min(rows, total) : entriesOf(all, rows);
  const definition = levels(sections.definition, leaf.maxDefinition, entries);
  const nulls = definition.filter((level) => level < leaf.maxDefinition).length;
  const values = bytes.subarray(sections.definition.end);
  return { repetition: all.subarray(0, entries), definition, entries, values: entries - nulls, bytes: values };
}

/** A level of zero begins a row. */
function entriesOf(levels: Uint8Array, rows: number): number {
  let seen = 0;
  for (let at = 0; at < levels.length; at++) {
    if (levels[at] === 0 && ++seen > rows) return at;
  }
  return levels.length;
}

function decodeLevels(
  { readRleBitPackedHybrid }: Library,
  view: DataView,
  { section, max, count }: { section: Section; max: number; count: number },
): Uint8Array {
  // The decoder writes runs beyond the end of a list; an array of bytes keeps its length.
  const levels = new Uint8Array(count);
  const width = 32 - Math.clz32(max);
  readRleBitPackedHybrid({ view, offset: section.start }, width, levels, section.end - section.start);
  return levels;
}
