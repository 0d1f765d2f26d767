import type { DatasetOrigin } from "../../core/dataset.js";
import { DatasetError } from "../../core/errors.js";
import type { ByteSource } from "../../utils/files/byte-source.js";
import { openAlignedLines } from "../aligned-lines.js";
import { isArchive } from "../formats.js";
import type { Hub, HubListing } from "../hub/index.js";
import { openRowFile, type RowFile } from "../row-file.js";
import type { HubSource, LineColumns } from "./entry.js";
import { OpenFiles } from "./open-files.js";

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
