/**
 * An image or a document of an example, without its content: that is read when it is sent, and never stored with a run.
 * The hash makes an example with another content another example.
 */
export type ExampleFile = StoredExampleFile | LinkedExampleFile;

/** A file beside the dataset, or one that the dataset itself contains. */
export interface StoredExampleFile {
  /** Relative to the folder of the dataset; for a file inside the dataset, its name there. */
  readonly path: string;
  readonly mediaType: string;
  /** The size in bytes. */
  readonly size: number;
  readonly sha256: string;
  /** Pixels, of an image. */
  readonly width?: number;
  readonly height?: number;
  /** Reads the content. Not enumerable, and so absent from copies, hashes and stored examples. */
  readonly read?: () => Promise<Uint8Array>;
}

/** A file on the web, which the provider reads. */
export interface LinkedExampleFile {
  readonly url: string;
}

/** The columns of an example with files. */
export const EXAMPLE_FILE_FIELDS = ["images", "files"] as const;

export type ExampleFileField = (typeof EXAMPLE_FILE_FIELDS)[number];

/** True if an example has images or documents. */
export function hasExampleFiles(example: Readonly<Partial<Record<ExampleFileField, unknown>>>): boolean {
  return EXAMPLE_FILE_FIELDS.some((field) => {
    const value = example[field];
    return Array.isArray(value) && value.length > 0;
  });
}

export function isLinkedFile(file: ExampleFile): file is LinkedExampleFile {
  return "url" in file;
}
