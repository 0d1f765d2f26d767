import { AssayError, DatasetError } from "../../core/errors.js";
import type { Example } from "../../core/example.js";
import { describe } from "../../core/shape.js";
import { RowProblem } from "../../datasets/catalog/row-problem.js";
import { unreadable } from "../../datasets/read-bytes.js";
import { isRawRow } from "../../datasets/source-row.js";
import type { Conversation } from "./conversation.js";
import type { MemoryFormat, MemoryItem } from "./format.js";
import { type ItemPlace, placing, textAt } from "./item-place.js";

import { type JsonItem, jsonItems, parseItem } from "./json-items.js";

/** A question of a file, and the conversation it is about. */
export interface FileQuestion extends Example {
  readonly conversation: string;
  readonly question_type: string;
  /** The hash of the item that it comes from, so that another history is other work. */
  readonly conversation_hash: string;
}

/** What is in a published file: questions in memory, conversations where they are. */
export interface MemoryFile {
  readonly questions: readonly FileQuestion[];
  readonly conversations: ReadonlyMap<string, Conversation>;
}

export interface MemoryFileOptions {
  format: MemoryFormat;
  signal?: AbortSignal;
}

/** Reads and checks every item of a file, holding one at a time. */
export async function readMemoryFile(path: string, { format, signal }: MemoryFileOptions): Promise<MemoryFile> {
  const questions: FileQuestion[] = [];
  const places = new Map<string, ItemPlace>();
  try {
    const placeOf = placing(path);
    for await (const item of jsonItems(path, signal === undefined ? {} : { signal })) {
      const { conversation, questions: asked } = readItem(path, item, format);
      const place = placeOf(item);
      const conversation_hash = place.hash;
      requireNew(path, conversation.id, { item, earlier: places.get(conversation.id) });
      places.set(conversation.id, place);
      for (const one of asked) questions.push({ ...one, conversation: conversation.id, conversation_hash });
    }
  } catch (error) {
    throw isOfReading(error) ? unreadable(path, error) : error;
  }
  return { questions, conversations: new FileConversations(path, places, format) };
}

/** What the file system, or the decompression, said: `ENOENT`, `Z_DATA_ERROR`. */
function isOfReading(error: unknown): boolean {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === "string" && /^(?:E[A-Z]|Z_)/.test(code) && !(error instanceof AssayError);
}

function readItem(path: string, item: Pick<JsonItem, "number" | "text">, format: MemoryFormat): MemoryItem {
  const value = parseItem(path, item);
  const where = `Item ${item.number} of "${path}"`;
  if (!isRawRow(value)) throw new DatasetError(`${where} is ${describe(value)}, not an object.`);
  try {
    return format(value);
  } catch (error) {
    if (!(error instanceof RowProblem)) throw error;
    throw new DatasetError(`${where} ${error.message}. Is it the file as it was published?`, { cause: error });
  }
}

function requireNew(
  path: string,
  id: string,
  { item, earlier }: { item: JsonItem; earlier: ItemPlace | undefined },
): void {
  if (earlier === undefined) return;
  throw new DatasetError(
    `Items ${earlier.number} and ${item.number} of "${path}" have the same id "${id}". Leave one out.`,
  );
}

/** The conversations of a file, each read when it is asked for: all of them may be gigabytes. */
class FileConversations implements ReadonlyMap<string, Conversation> {
  readonly #path: string;
  readonly #places: ReadonlyMap<string, ItemPlace>;
  readonly #format: MemoryFormat;

  constructor(path: string, places: ReadonlyMap<string, ItemPlace>, format: MemoryFormat) {
    this.#path = path;
    this.#places = places;
    this.#format = format;
  }

  get size(): number {
    return this.#places.size;
  }

  has(id: string): boolean {
    return this.#places.has(id);
  }

  get(id: string): Conversation | undefined {
    const place = this.#places.get(id);
    return place === undefined ? undefined : this.#read(place);
  }

  keys() {
    return this.#places.keys();
  }

  *entries(): Generator<[string, Conversation], undefined> {
    for (const [id, place] of this.#places) yield [id, this.#read(place)];
  }

  *values(): Generator<Conversation, undefined> {
    for (const [, conversation] of this.entries()) yield conversation;
  }

  [Symbol.iterator]() {
    return this.entries();
  }

  forEach(use: (conversation: Conversation, id: string, map: ReadonlyMap<string, Conversation>) => void): void {
    for (const [id, conversation] of this.entries()) use(conversation, id, this);
  }

  #read(place: ItemPlace): Conversation {
    const { number } = place;
    return readItem(this.#path, { number, text: textAt(this.#path, place) }, this.#format).conversation;
  }
}
