import { setImmediate } from "node:timers/promises";
import type { DatasetOrigin } from "../../core/index.js";
import { DatasetError } from "../../core/index.js";
import type { ByteSource } from "../../utils/index.js";
import { readLines, type TextLine } from "../../utils/index.js";
import { isArchive } from "../formats.js";
import type { Hub, HubListing } from "../hub/index.js";
import { createUnreadableError } from "../read-bytes.js";
import { closeFiles, openRowFile, type RowFile } from "../row-file.js";
import type { RawRow, SourceRow } from "../source-row.js";
import { type PackedFile, type UnpackedFile, unpackFile } from "../unpack.js";
import type { HubSource, LineColumns } from "./entry.js";

/** Tracks open files and what was unpacked for them, to close everything together. */
export class OpenFiles {
  readonly #files: RowFile[] = [];
  readonly #unpacked: UnpackedFile[] = [];

  add(file: RowFile): RowFile {
    this.#files.push(file);
    return file;
  }

  async openPacked(packed: PackedFile): Promise<RowFile> {
    const unpacked = await unpackFile(packed);
    this.#unpacked.push(unpacked);
    return this.add(await openRowFile({ name: `${packed.name} ${packed.member}`, path: unpacked.path }));
  }

  async close(): Promise<void> {
    await closeFiles(this.#files);
    for (const unpacked of this.#unpacked) await unpacked.remove();
  }
}

/** Text files whose lines correspond: each file is a column. */
interface AlignedLinesOptions {
  /** Name of all files together, for messages. */
  readonly name: string;
  /** Path of the file for each column. */
  readonly columns: Readonly<Record<string, string>>;
  /** Placeholder for a line break within a line. */
  readonly lineBreak?: string;
}

const BATCH_ROWS = 500;

/**
 * Opens text files whose lines correspond, so that line n of each makes row n.
 * @example
 * openAlignedLines({ name: "test", columns: { document: "test.src", summary: "test.tgt" } });
 */
export function openAlignedLines(texts: AlignedLinesOptions): RowFile {
  const { name } = texts;
  return { name, textOnly: true, at: (line) => `${name}:${line}`, batches: () => readAlignedBatches(texts) };
}

async function* readAlignedBatches(texts: AlignedLinesOptions): AsyncGenerator<SourceRow[]> {
  let batch: SourceRow[] = [];
  for (const row of readAlignedRows(texts)) {
    if (batch.push(row) < BATCH_ROWS) continue;
    // Lets signals and timers be handled while a large file is read.
    await setImmediate();
    yield batch;
    batch = [];
  }
  yield batch;
}

function* readAlignedRows({ name, columns, lineBreak }: AlignedLinesOptions): Generator<SourceRow> {
  const readers = Object.entries(columns).map(([column, path]) => ({ column, lines: readLines(path) }));
  try {
    for (let line = 1; ; line += 1) {
      const met = readers.map(({ column, lines }) => ({ column, next: lines.next() }));
      const ended = met.filter(({ next }) => next.done === true).map(({ column }) => column);
      if (ended.length === readers.length) return;
      if (ended.length > 0) throw createLineCountError(name, ended, line - 1);
      yield { line, row: toAlignedRow(met, lineBreak) };
    }
  } catch (error) {
    throw createUnreadableError(name, error);
  } finally {
    for (const { lines } of readers) lines.return(undefined);
  }
}

interface ColumnLine {
  readonly column: string;
  readonly next: IteratorResult<TextLine, unknown>;
}

function toAlignedRow(met: readonly ColumnLine[], lineBreak: string | undefined): RawRow {
  return Object.fromEntries(
    met.map(({ column, next }) => [column, next.done === true ? "" : cleanLine(next.value, lineBreak)]),
  );
}

function cleanLine({ text }: TextLine, lineBreak: string | undefined): string {
  const line = text.trim();
  return lineBreak === undefined ? line : line.replaceAll(lineBreak, "\n");
}

/** If a file lacks a line, the lines after it do not correspond, and those before it may not either. */
function createLineCountError(name: string, ended: readonly string[], lines: number): DatasetError {
  return new DatasetError(
    `"${name}" has ${lines} lines of ${ended.join(" and ")} and more of the others, but all files must have the same number of lines. Download the files again.`,
  );
}

interface ResolvedSource {
  readonly source: HubSource;
  readonly listing: HubListing;
  readonly paths: readonly string[];
}

/** Opens the files of one repository. */
export class HubFileResolver {
  readonly #hub: Hub;
  readonly #repo: string;
  readonly #asked: string | undefined;
  readonly #files = new OpenFiles();
  readonly #paths = new Set<string>();
  #revision = "";

  constructor(hub: Hub, repo: string, revision: string | undefined) {
    this.#hub = hub;
    this.#repo = repo;
    this.#asked = revision;
  }

  get origin(): DatasetOrigin {
    return { repo: this.#repo, revision: this.#revision, files: [...this.#paths] };
  }

  async open(source: HubSource): Promise<RowFile[]> {
    const found = await this.#find(source);
    this.#revision = found.listing.revision;
    if (found.source.lines !== undefined) return [await this.#openLines(found.listing, found.source.lines)];
    const opened: RowFile[] = [];
    for (const path of found.paths) opened.push(await this.#openFile(found, path));
    return opened;
  }

  close(): Promise<void> {
    return this.#files.close();
  }

  async #find(source: HubSource): Promise<ResolvedSource> {
    const { findFiles, HubError } = await import("../hub/index.js");
    // List the repository first: if that succeeds, a later failure means a missing file.
    await this.#hub.listing(this.#repo, this.#asked);
    // Offline it may be unknown whether the hub has converted a repository: the fallback was used before.
    const isLack = (error: unknown) => error instanceof DatasetError || (error instanceof HubError && !error.isOutage);
    try {
      return { source, ...(await findFiles(this.#hub, this.#toFileQuery(source))) };
    } catch (lack) {
      if (source.fallback === undefined || !isLack(lack)) throw lack;
      return this.#find(source.fallback).catch((error: unknown) => {
        throw isLack(error) ? lack : error;
      });
    }
  }

  #toFileQuery({ config, split, lines, files = lines && Object.values(lines.columns) }: HubSource) {
    return {
      repo: this.#repo,
      ...(this.#asked === undefined ? {} : { revision: this.#asked }),
      ...(config === undefined ? {} : { config }),
      ...(split === undefined ? {} : { split }),
      ...(files === undefined ? {} : { files }),
    };
  }

  async #openFile({ listing, source }: ResolvedSource, path: string): Promise<RowFile> {
    const name = `${listing.repo} ${path}`;
    const { member } = source;
    this.#paths.add(path);
    if (path.endsWith(".parquet")) return this.#openTable(renameBytes(await this.#hub.open(listing, path), name));
    const local = await this.#hub.download(listing, path);
    return isArchive(path) && member !== undefined
      ? this.#files.openPacked({ path: local, name, member })
      : this.#files.add(await openRowFile({ name, path: local }));
  }

  async #openTable(bytes: ByteSource): Promise<RowFile> {
    try {
      return this.#files.add(await openRowFile({ bytes }));
    } catch (error) {
      await bytes.close?.();
      throw error;
    }
  }

  async #openLines(listing: HubListing, { columns, lineBreak }: LineColumns): Promise<RowFile> {
    const local: Record<string, string> = {};
    for (const [column, path] of Object.entries(columns)) {
      local[column] = await this.#hub.download(listing, path);
      this.#paths.add(path);
    }
    const name = `${listing.repo} ${Object.values(columns).join(" + ")}`;
    return openAlignedLines({ name, columns: local, ...(lineBreak === undefined ? {} : { lineBreak }) });
  }
}

/** The same bytes under the name for messages. */
function renameBytes(bytes: ByteSource, name: string): ByteSource {
  return { name, size: bytes.size, read: (start, end) => bytes.read(start, end), close: async () => bytes.close?.() };
}
