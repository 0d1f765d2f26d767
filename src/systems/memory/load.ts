import { createHash } from "node:crypto";
import { closeSync, openSync, readSync } from "node:fs";
import { deflateRawSync, inflateRawSync } from "node:zlib";
import type { Dataset, DatasetOrigin, Example, LoadOptions } from "../../core/index.js";
import { AssayError, DatasetError, describeValue, findClosestName } from "../../core/index.js";
import type { HubOptions } from "../../datasets/index.js";
import {
  createUnreadableError,
  formatScalar,
  isRawRow,
  matchesFilter,
  RowProblem,
  requireMaxExamples,
  takeSample,
} from "../../datasets/index.js";
import type { Conversation, MemoryFormat, MemoryItem } from "./conversation.js";
import { findMemoryDataset, type NamedMemoryEntry } from "./datasets.js";
import { isCompressed, type JsonItem, parseJsonItem, readJsonItems } from "./json-items.js";

/** Options for loading a memory dataset. */
export interface MemoryLoadOptions
  extends Pick<
    LoadOptions,
    "maxExamples" | "head" | "seed" | "shuffleSeed" | "filter" | "revision" | "onDownload" | "signal"
  > {
  /** A local file to use instead of the hub's: as published, or with one item per line (`.jsonl`); may be gzipped. */
  file?: string;
  /** The hub's address and the cache for downloads. */
  hub?: Omit<HubOptions, "onProgress" | "signal">;
}

/** Questions and their conversations, without evaluators. */
export interface MemoryQuestions {
  readonly dataset: Omit<Dataset, "evaluators" | typeof Symbol.iterator>;
  readonly conversations: ReadonlyMap<string, Conversation>;
}

/** Loads a memory dataset by name: from a given file, otherwise from the hub. */
export async function loadMemoryQuestions(spec: string, options: MemoryLoadOptions = {}): Promise<MemoryQuestions> {
  requireMaxExamples(options.maxExamples);
  const named = findMemoryDataset(spec);
  const { file, signal } = options;
  const { path, origin } = file === undefined ? await downloadFromHub(named, options) : { path: file };
  const { format } = named.entry;
  const { questions, conversations } = await readMemoryFile(path, { format, ...(signal && { signal }) });
  const examples = chooseQuestions(questions, named.name, options).map((one) => ({ ...one, dataset: named.name }));
  const dataset = {
    name: named.name,
    examples,
    primaryField: "f1",
    facets: ["question_type"],
    groupBy: "conversation",
    ...(origin && { origin }),
  };
  return { dataset, conversations };
}

interface LocatedFile {
  readonly path: string;
  readonly origin?: DatasetOrigin;
}

async function downloadFromHub(
  { entry, config, revision }: NamedMemoryEntry,
  options: MemoryLoadOptions,
): Promise<LocatedFile> {
  const { openHub } = await import("../../datasets/hub/index.js");
  const { onDownload, signal } = options;
  const hub = openHub({ ...options.hub, ...(onDownload && { onProgress: onDownload }), ...(signal && { signal }) });
  const listing = await hub.listing(entry.repo, options.revision ?? revision);
  const file = entry.file(config);
  const path = await hub.download(listing, file);
  return { path, origin: { repo: listing.repo, revision: listing.revision, files: [file] } };
}

type QuestionSelection = Pick<LoadOptions, "filter" | "maxExamples" | "head" | "seed" | "shuffleSeed">;

const MAX_SHOWN_VALUES = 10;

/** Filters and samples the questions. */
function chooseQuestions(
  questions: readonly FileQuestion[],
  name: string,
  { filter = {}, maxExamples, head, seed, shuffleSeed = seed }: QuestionSelection,
): readonly FileQuestion[] {
  if (questions.length === 0) throw new DatasetError(`The file of ${name} contains no questions.`);
  requireFilterFields(questions, name, filter);
  const found = questions.filter((question) => matchesFilter(question, filter));
  if (found.length === 0) throw createNoQuestionError(questions, name, filter);
  const sampling = {
    ...(maxExamples === undefined ? {} : { maxExamples }),
    ...(head === undefined ? {} : { head }),
    ...(shuffleSeed === undefined ? {} : { seed: shuffleSeed }),
  };
  return takeSample(found, sampling, ({ question_type }) => question_type);
}

type QuestionFilter = NonNullable<LoadOptions["filter"]>;

/** An unknown field is an error, not a filter that matches nothing. */
function requireFilterFields(questions: readonly FileQuestion[], name: string, filter: QuestionFilter): void {
  const asked = Object.keys(filter);
  if (asked.length === 0) return;
  const known = listQuestionFields(questions);
  const missing = asked.find((field) => !known.includes(field));
  if (missing === undefined) return;
  const guess = findClosestName(missing, known);
  const hint = guess === undefined ? "" : ` Did you mean "${guess}"?`;
  throw new DatasetError(
    `No question of ${name} has a field "${missing}" to filter by.${hint} Its fields: ${known.join(", ")}.`,
  );
}

/** Only fields with single values: a filter cannot match a list. */
function listQuestionFields(questions: readonly FileQuestion[]): string[] {
  const fields = new Set<string>(["question_type", "conversation"]);
  for (const question of questions)
    for (const [field, value] of Object.entries(question)) if (formatScalar(value) !== undefined) fields.add(field);
  return [...fields];
}

function createNoQuestionError(questions: readonly FileQuestion[], name: string, filter: QuestionFilter): DatasetError {
  const asked = Object.entries(filter).map(([field, value]) => `${field}=${value}`);
  const values = Object.keys(filter).map((field) => `Values of ${field}: ${formatFieldValues(questions, field)}.`);
  return new DatasetError(`No question of ${name} has ${asked.join(" and ")}. ${values.join(" ")}`);
}

function formatFieldValues(questions: readonly FileQuestion[], field: string): string {
  const values = new Set(questions.flatMap((question) => formatScalar(question[field])?.slice(0, 40) ?? []));
  const shown = [...values].slice(0, MAX_SHOWN_VALUES).join(", ");
  return values.size > MAX_SHOWN_VALUES ? `${shown}, …` : shown;
}

/** A question of a file and its conversation. */
interface FileQuestion extends Example {
  readonly conversation: string;
  readonly question_type: string;
  /** Hash of its item, so that a changed history is not taken from the cache. */
  readonly conversation_hash: string;
}

/** The content of a published file: questions are in memory, conversations stay in the file. */
interface MemoryFile {
  readonly questions: readonly FileQuestion[];
  readonly conversations: ReadonlyMap<string, Conversation>;
}

interface MemoryFileOptions {
  format: MemoryFormat;
  signal?: AbortSignal;
}

/** Reads and checks every item of a file, one at a time. */
async function readMemoryFile(path: string, { format, signal }: MemoryFileOptions): Promise<MemoryFile> {
  const questions: FileQuestion[] = [];
  const places = new Map<string, ItemLocation>();
  try {
    const placeOf = createLocator(path);
    for await (const item of readJsonItems(path, signal === undefined ? {} : { signal })) {
      const { conversation, questions: asked } = readMemoryItem(path, item, format);
      const place = placeOf(item);
      const conversation_hash = place.hash;
      requireUniqueConversation(path, conversation.id, { item, earlier: places.get(conversation.id) });
      places.set(conversation.id, place);
      for (const one of asked) questions.push({ ...one, conversation: conversation.id, conversation_hash });
    }
  } catch (error) {
    throw isReadError(error) ? createUnreadableError(path, error) : error;
  }
  return { questions, conversations: new FileConversations(path, places, format) };
}

/** Matches error codes of the file system and of decompression: `ENOENT`, `Z_DATA_ERROR`. */
function isReadError(error: unknown): boolean {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === "string" && /^(?:E[A-Z]|Z_)/.test(code) && !(error instanceof AssayError);
}

function readMemoryItem(path: string, item: Pick<JsonItem, "number" | "text">, format: MemoryFormat): MemoryItem {
  const value = parseJsonItem(path, item);
  const where = `Item ${item.number} of "${path}"`;
  if (!isRawRow(value)) throw new DatasetError(`${where} is ${describeValue(value)}, not an object.`);
  try {
    return format(value);
  } catch (error) {
    if (!(error instanceof RowProblem)) throw error;
    throw new DatasetError(`${where} ${error.message}. Is it the published file, unchanged?`, { cause: error });
  }
}

function requireUniqueConversation(
  path: string,
  id: string,
  { item, earlier }: { item: JsonItem; earlier: ItemLocation | undefined },
): void {
  if (earlier === undefined) return;
  throw new DatasetError(
    `Items ${earlier.number} and ${item.number} of "${path}" have the same id "${id}". Remove one.`,
  );
}

/** The conversations of a file, each read on demand: together they may be gigabytes. */
class FileConversations implements ReadonlyMap<string, Conversation> {
  readonly #path: string;
  readonly #places: ReadonlyMap<string, ItemLocation>;
  readonly #format: MemoryFormat;

  constructor(path: string, places: ReadonlyMap<string, ItemLocation>, format: MemoryFormat) {
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

  #read(place: ItemLocation): Conversation {
    const { number } = place;
    return readMemoryItem(this.#path, { number, text: readItemText(this.#path, place) }, this.#format).conversation;
  }
}

/** Where to find an item again, and the hash of its text. */
type ItemLocation = FileItem | PackedItem;

interface FileItem extends Omit<JsonItem, "text"> {
  readonly hash: string;
}

/** An item of a compressed file, which has no random access: kept in memory, compressed on its own. */
interface PackedItem {
  readonly number: number;
  readonly hash: string;
  readonly packed: Buffer;
}

/** Prefers speed over size. */
const FAST_DEFLATE = { level: 1 };

/** Creates a function that returns the location of an item. */
function createLocator(path: string): (item: JsonItem) => ItemLocation {
  if (!isCompressed(path)) return ({ text, ...place }) => ({ ...place, hash: hashItemText(text) });
  return ({ number, text }) => ({ number, hash: hashItemText(text), packed: deflateRawSync(text, FAST_DEFLATE) });
}

/** Reads the text of an item. Throws if the file has changed. */
function readItemText(path: string, place: ItemLocation): string {
  if ("packed" in place) return inflateRawSync(place.packed).toString("utf8");
  const text = readTextRange(path, place);
  if (hashItemText(text) === place.hash) return text;
  throw new DatasetError(`Item ${place.number} of "${path}" has changed since the file was loaded. Load it again.`);
}

function hashItemText(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}

function readTextRange(path: string, { start, end }: Pick<JsonItem, "start" | "end">): string {
  try {
    const file = openSync(path, "r");
    try {
      const buffer = Buffer.alloc(end - start);
      let filled = 0;
      for (let size = -1; filled < buffer.length && size !== 0; filled += size)
        size = readSync(file, buffer, filled, buffer.length - filled, start + filled);
      return buffer.toString("utf8", 0, filled);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    throw createUnreadableError(path, error);
  }
}
