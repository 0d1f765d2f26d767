import { closeFiles, openRowFile, type RowFile } from "../row-file.js";
import { type PackedFile, type UnpackedFile, unpackFile } from "../unpack.js";

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
