import { createHash } from "node:crypto";
import { closeSync, fstatSync, readFileSync, realpathSync } from "node:fs";
import { isAbsolute, relative, resolve, sep } from "node:path";
import { setImmediate } from "node:timers/promises";
import {
  DatasetError,
  describeValue,
  EXAMPLE_FILE_FIELDS,
  type Example,
  type ExampleFile,
  type ExampleFileField,
  getErrorMessage,
  type StoredExampleFile,
} from "../core/index.js";
import { detectMedia, IMAGE_TYPES } from "../models/index.js";
import { isInsideDir, openFileInside } from "../utils/index.js";

/** Most providers refuse larger files. */
const MAX_FILE_BYTES = 20 * 2 ** 20;

/** Most providers refuse more files in one request. */
const MAX_FILES = 100;

/** Files that the dataset itself contains stay in memory for the whole run. */
const MAX_INLINE_BYTES = 256 * 2 ** 20;

/** A file as a row names it: a path or a URL, or bytes in a table, as text. */
type GivenFile = string | { readonly bytes: string; readonly path: string | null };

/**
 * Converts the cell of a column with files to a list: one path or URL, a list of them, or what the datasets library
 * stores, `{ bytes, path }`. Returns null if it is none of these.
 */
export function toGivenFiles(value: unknown): readonly GivenFile[] | null {
  const list = (Array.isArray(value) ? value : [value]).map(toGivenFile);
  return list.every((file) => file !== null) ? list : null;
}

function toGivenFile(value: unknown): GivenFile | null {
  if (typeof value === "string" && value !== "") return value;
  if (typeof value !== "object" || value === null) return null;
  const { bytes, path, url } = value as { bytes?: unknown; path?: unknown; url?: unknown };
  const name = typeof path === "string" && path !== "" ? path : null;
  if (typeof bytes === "string" && bytes !== "") return { bytes, path: name };
  return typeof url === "string" && url !== "" ? url : name;
}

/** A column that may have been meant to be `images`, and a value that names an image. */
const IMAGE_COLUMN = /^(?:image|img|picture|photo|screenshot|figure)s?(?:[_-]?(?:path|url|file|data))?$/i;
const IMAGE_TEXT = /^data:image\/|\.(?:png|jpe?g|gif|webp)(?:[?#].*)?$/i;

/**
 * Finds a column that looks like the images of an example, but is not called so and is therefore not sent to models.
 * @example
 * findUnsentImages({ id: 1, question: "What is shown?", image: "chart.png" }); // "image"
 */
export function findUnsentImages(example: Example): string | null {
  if (example.images !== undefined) return null;
  const found = Object.entries(example).find(([column, value]) => {
    if (!IMAGE_COLUMN.test(column)) return false;
    const [file] = toGivenFiles(value) ?? [];
    return file !== undefined && (typeof file !== "string" || IMAGE_TEXT.test(file));
  });
  return found?.[0] ?? null;
}

/**
 * Finds the images and files that examples name, for examples that were not loaded from a dataset file. They get their
 * hash, media type and size; the content is read when it is sent. Paths are relative to a folder, and never leave it.
 * @example
 * await attachFiles([{ id: 1, question: "What is shown?", images: ["charts/sales.png"] }], "data");
 */
export async function attachFiles(
  examples: readonly (Omit<Example, ExampleFileField> & Readonly<Partial<Record<ExampleFileField, unknown>>>)[],
  dir = ".",
): Promise<Example[]> {
  const reader = new ExampleFileReader(dir);
  const attached: Example[] = [];
  for (const example of examples) {
    const copy = { ...example } as Example;
    await reader.attach(copy, `The example ${JSON.stringify(example.id)}`);
    attached.push(copy);
  }
  return attached;
}

/**
 * Reads the files that the examples of one dataset name, once each, and keeps what identifies them. Rows may come from
 * anywhere and their files are sent to a provider, so nothing outside of the dataset's folder is opened.
 */
export class ExampleFileReader {
  readonly #dir: string;
  readonly #known = new Map<string, StoredExampleFile>();
  #inlineBytes = 0;

  constructor(dir: string) {
    this.#dir = resolve(dir);
  }

  /** Replaces the paths in an example by what was found. `place` begins messages. */
  async attach(example: Example, place: string): Promise<void> {
    for (const field of EXAMPLE_FILE_FIELDS) {
      const value: unknown = example[field];
      if (value === undefined || value === null) continue;
      const given = toGivenFiles(value);
      if (given === null)
        throw new DatasetError(`${place} has ${describeValue(value)} in "${field}" and not a list of paths and URLs.`);
      if (given.length > MAX_FILES)
        throw new DatasetError(`${place} has ${given.length} ${field}; at most ${MAX_FILES} can be sent.`);
      const found: ExampleFile[] = [];
      for (const [index, file] of given.entries())
        found.push(
          await this.#find(field, file, `${place} has ${JSON.stringify(nameFile(file))} in ${field}[${index}]`),
        );
      example[field] = found;
    }
  }

  async #find(field: ExampleFileField, given: GivenFile, place: string): Promise<ExampleFile> {
    if (typeof given !== "string") {
      const bytes = decodeTableBytes(given.bytes);
      return this.#keep(
        describeFile(field, { path: given.path ?? `${field} in the table`, bytes, place }),
        bytes,
        place,
      );
    }
    if (/^https?:\/\//i.test(given)) return { url: requireUrl(given, place) };
    if (/^data:/i.test(given)) {
      const bytes = parseDataUrl(given, place);
      return this.#keep(describeFile(field, { path: "data URL", bytes, place }), bytes, place);
    }
    if (/^[a-z][a-z\d+.-]+:\/\//i.test(given))
      throw new DatasetError(`${place}, but only http, https and data URLs can be sent.`);
    const key = `${field}\0${given}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    // Lets signals and timers be handled while many files are read.
    await setImmediate();
    const file = this.#openStored(field, given, place);
    this.#known.set(key, file);
    return file;
  }

  #openStored(field: ExampleFileField, given: string, place: string): StoredExampleFile {
    const dir = this.#dir;
    const path = this.#toRelativePath(given, place);
    const found = describeFile(field, { path, bytes: readStoredFile(dir, path, place), place });
    return withContent(found, () => {
      const bytes = readStoredFile(dir, path, `The file ${JSON.stringify(path)} was named by an example`);
      if (hashBytes(bytes) === found.sha256) return bytes;
      throw new DatasetError(`The file "${path}" has changed since its dataset was loaded. Start the run again.`);
    });
  }

  /** The same on every machine: the hash of an example includes it. */
  #toRelativePath(given: string, place: string): string {
    if (given.includes("\0")) throw new DatasetError(`${place}, which has a null character.`);
    const path = relative(this.#dir, isAbsolute(given) ? given : resolve(this.#dir, given));
    if (path === ".." || path.startsWith(`..${sep}`) || isAbsolute(path)) throw createOutsideError(place, this.#dir);
    return path.split(sep).join("/");
  }

  #keep(found: StoredExampleFile, bytes: Buffer, place: string): StoredExampleFile {
    this.#inlineBytes += bytes.length;
    if (this.#inlineBytes > MAX_INLINE_BYTES)
      throw new DatasetError(
        `${place}, and with it the images and files inside the dataset exceed ${formatMegabytes(MAX_INLINE_BYTES)}. Take a sample with -n, or store them as files beside the dataset and name their paths.`,
      );
    return withContent(found, () => bytes);
  }
}

function nameFile(given: GivenFile): string {
  if (typeof given !== "string") return given.path ?? "(bytes)";
  return given.length > 100 ? `${given.slice(0, 100)}…` : given;
}

/** The content is no part of the example's JSON and hash. */
function withContent(file: StoredExampleFile, read: () => Buffer): StoredExampleFile {
  return Object.freeze(Object.defineProperty({ ...file }, "read", { value: async () => read(), enumerable: false }));
}

function readStoredFile(dir: string, path: string, place: string): Buffer {
  const file = tryOpen(dir, path, place);
  try {
    const { size } = fstatSync(file);
    if (size > MAX_FILE_BYTES) throw createTooLargeError(size, place);
    return readFileSync(file);
  } finally {
    closeSync(file);
  }
}

function tryOpen(dir: string, path: string, place: string): number {
  try {
    // Links may lead outside, and nothing may be said about what is there.
    const real = realpathSync.native(resolve(dir, path));
    const realDir = realpathSync.native(dir);
    if (!isInsideDir(realDir, real)) throw createOutsideError(place, dir);
    if (isHidden(path) || isHidden(relative(realDir, real)))
      throw new DatasetError(
        `${place}, which is hidden: names that begin with a dot are for settings and keys. Rename it, or copy it to another folder.`,
      );
    return openFileInside(dir, path);
  } catch (cause) {
    if (cause instanceof DatasetError) throw cause;
    const { code } = cause as NodeJS.ErrnoException;
    const why =
      code === "ENOENT" || code === "ENOTDIR"
        ? "which does not exist"
        : `which cannot be read: ${getErrorMessage(cause)}`;
    throw new DatasetError(`${place}, ${why}. Paths are relative to the folder of the dataset, ${dir}.`, { cause });
  }
}

/** `.env`, `.git` and `.ssh` may be beside a dataset, or below it if it is in a home folder. */
function isHidden(path: string): boolean {
  return path.split(/[\\/]/).some((name) => name.startsWith("."));
}

function createOutsideError(place: string, dir: string): DatasetError {
  return new DatasetError(
    `${place}, which leads outside of the dataset's folder ${dir}. A dataset can only send files of its own folder: copy the file there.`,
  );
}

function createTooLargeError(size: number, place: string): DatasetError {
  return new DatasetError(
    `${place}, which has ${formatMegabytes(size)}; the limit is ${formatMegabytes(MAX_FILE_BYTES)}. Make it smaller.`,
  );
}

function formatMegabytes(bytes: number): string {
  return `${Number((bytes / 2 ** 20).toFixed(1))} MiB`;
}

interface FoundFile {
  readonly path: string;
  readonly bytes: Buffer;
  readonly place: string;
}

function describeFile(field: ExampleFileField, { path, bytes, place }: FoundFile): StoredExampleFile {
  if (bytes.length > MAX_FILE_BYTES) throw createTooLargeError(bytes.length, place);
  const media = detectMedia(bytes);
  if ("problem" in media) throw new DatasetError(`${place}, which ${media.problem}.`);
  const isImage = "width" in media;
  if (field === "images" && !isImage)
    throw new DatasetError(
      `${place}, which is ${media.mediaType} and no image (${IMAGE_TYPES.join(", ")}). Put documents into "files".`,
    );
  if (field === "files" && isImage)
    throw new DatasetError(`${place}, which is an image (${media.mediaType}). Put it into "images".`);
  return { path, size: bytes.length, sha256: hashBytes(bytes), ...media };
}

function hashBytes(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}

function requireUrl(given: string, place: string): string {
  if (!URL.canParse(given)) throw new DatasetError(`${place}, which is not a valid URL.`);
  const url = new URL(given);
  if (url.username !== "" || url.password !== "")
    throw new DatasetError(`${place}, which contains a user name or a password. Remove it from the URL.`);
  return given;
}

function parseDataUrl(given: string, place: string): Buffer {
  const [, data] = /^data:[\w.+/;=-]*;base64,([A-Za-z\d+/_=-]*)$/i.exec(given) ?? [];
  if (data === undefined) throw new DatasetError(`${place}, which is not a data URL in base64.`);
  return Buffer.from(data, "base64");
}

/** Readers of tables return bytes as text if they are valid UTF-8, else in base64. */
function decodeTableBytes(text: string): Buffer {
  const decoded = Buffer.from(text, "base64");
  return decoded.toString("base64") === text ? decoded : Buffer.from(text, "utf8");
}
