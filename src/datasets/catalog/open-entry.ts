import type { DatasetOrigin, LoadOptions } from "../../core/dataset.js";
import { UsageError } from "../../core/errors.js";
import { nameOfFile } from "../formats.js";
import type { RowFile } from "../row-file.js";
import type { HubSource } from "./entry.js";
import { HubShelf } from "./hub-shelf.js";
import type { NamedEntry } from "./load-entry.js";
import { openLocalFiles } from "./local-files.js";
import { OpenFiles } from "./open-files.js";

/** The files of an entry, ready to be read. */
export interface OpenedEntry {
  readonly files: readonly { readonly file: RowFile; readonly subject?: string }[];
  readonly lookups: Readonly<Record<string, readonly RowFile[]>>;
  /** Null for local files. */
  readonly origin: DatasetOrigin | null;
  /** What happened on the way, such as a repository that has moved. */
  notes(): readonly string[];
  close(): Promise<void>;
}

/** Opens what an entry reads: on the hub, or local files in its place. */
export async function openEntry(named: NamedEntry, config: string, options: LoadOptions): Promise<OpenedEntry> {
  return options.files === undefined ? openFromHub(named, config, options) : openLocal(named, config, options.files);
}

/** Local files: those of the rows, and one for each lookup after them. */
async function openLocal({ name, entry }: NamedEntry, config: string, paths: readonly string[]): Promise<OpenedEntry> {
  const lookups = Object.keys(entry.lookups ?? {});
  if (lookups.length > 0 && paths.length !== lookups.length + 1) {
    throw new UsageError(
      `${name} is read from ${lookups.length + 1} files: its rows, then ${lookups.join(", ")}. Write ${name}=rows.jsonl,${lookups.map((lookup) => `${lookup}.jsonl`).join(",")}.`,
    );
  }
  const files = new OpenFiles();
  try {
    const sources = entry.sources(config);
    const opened = await openLocalFiles(paths, { sources, files });
    const rows = lookups.length > 0 ? opened.slice(0, 1) : opened;
    return {
      files: rows.map((file) => ({ file, ...subjectOf(sourceOf(sources, file.name) ?? {}) })),
      lookups: Object.fromEntries(lookups.map((lookup, index) => [lookup, opened.slice(index + 1, index + 2)])),
      origin: null,
      notes: () => [],
      close: () => files.close(),
    };
  } catch (error) {
    await files.close();
    throw error;
  }
}

/** Which of several sources a local file holds: that which its name ends with. */
function sourceOf(sources: readonly HubSource[], path: string): HubSource | undefined {
  if (sources.length === 1) return sources[0];
  const name = nameOfFile(path);
  return sources.find(({ subject }) => subject !== undefined && new RegExp(`(?:^|[-_])${subject}$`).test(name));
}

async function openFromHub({ entry }: NamedEntry, config: string, options: LoadOptions): Promise<OpenedEntry> {
  const { openHub } = await import("../hub/index.js");
  const { onDownload, signal } = options;
  const notes: string[] = [];
  const hub = openHub({
    ...(onDownload === undefined ? {} : { onProgress: onDownload }),
    ...(signal === undefined ? {} : { signal }),
    onNote: (note) => notes.push(note),
  });
  const shelf = new HubShelf(hub, entry.repo, options.revision);
  try {
    const files: OpenedEntry["files"][number][] = [];
    for (const source of entry.sources(config))
      for (const file of await shelf.open(source)) files.push({ file, ...subjectOf(source) });
    const lookups: Record<string, readonly RowFile[]> = {};
    for (const [name, source] of Object.entries(entry.lookups ?? {})) lookups[name] = await shelf.open(source(config));
    return { files, lookups, origin: shelf.origin, notes: () => notes, close: () => shelf.close() };
  } catch (error) {
    await shelf.close();
    throw error;
  }
}

function subjectOf({ subject }: HubSource): { subject?: string } {
  return subject === undefined ? {} : { subject };
}
