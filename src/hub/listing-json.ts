import { HubError } from "./errors.js";
import type { HubFile, HubListing } from "./hub.js";
import { isCommit, isSafePath } from "./names.js";

type Fields = Readonly<Record<string, unknown>>;

/** A listing as it was kept; null when it is not one. */
export function parseListing(value: unknown): HubListing | null {
  const { repo, revision, files } = fieldsOf(value);
  if (typeof repo !== "string" || typeof revision !== "string" || !isCommit(revision) || !Array.isArray(files)) {
    return null;
  }
  const parsed = files.map(fileOfFields);
  const isWhole = parsed.every((file): file is HubFile => file !== null && isSafePath(file.path));
  return isWhole ? { repo, revision, files: parsed } : null;
}

/** The file that an entry of the hub's tree stands for; null for a folder. */
export function parseTreeEntry(value: unknown, repo: string): HubFile | null {
  const { type, path, size, oid, lfs } = fieldsOf(value);
  if (type !== "file") return null;
  const large = lfs === undefined || lfs === null ? null : fieldsOf(lfs);
  const hashes = large === null ? { gitSha1: oid } : { sha256: large.oid };
  const file = fileOfFields({ path, size: large?.size ?? size, ...hashes });
  if (file === null) throw new HubError(`The list of files of ${repo} is not as the hub writes it. Check HF_ENDPOINT.`);
  if (!isSafePath(file.path)) {
    throw new HubError(
      `${repo} lists a file ${JSON.stringify(file.path)}, which lies outside of the repository. Nothing of it is read; tell its owner.`,
    );
  }
  return file;
}

/** Hashes become names of files: anything else that stands in their place is left out. */
function fileOfFields(value: unknown): HubFile | null {
  const { path, size, sha256, gitSha1 } = fieldsOf(value);
  if (typeof path !== "string" || typeof size !== "number" || !Number.isSafeInteger(size) || size < 0) return null;
  return {
    path,
    size,
    ...(isHex(sha256, 64) ? { sha256 } : {}),
    ...(isHex(gitSha1, 40) ? { gitSha1 } : {}),
  };
}

function isHex(value: unknown, length: number): value is string {
  return typeof value === "string" && value.length === length && /^[0-9a-f]+$/.test(value);
}

/** The fields of an object; none of anything else. */
export function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null ? (value as Fields) : {};
}
