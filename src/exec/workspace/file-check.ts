import { DatasetError } from "../../core/errors.js";
import { describe } from "../../core/shape.js";
import { type Fields, fieldsOf, innerPath, onlyKeys, textOf } from "./field-check.js";

const FILE_KEYS = ["src", "dest", "content", "encoding", "executable"];

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Throws unless the value is a file of an environment, with its content or with a source. */
export function checkFile(at: string, value: unknown): void {
  const file = fieldsOf(at, value);
  onlyKeys(at, file, FILE_KEYS);
  innerPath(`${at}.dest`, file.dest);
  if (file.src !== undefined) checkSource(at, file);
  else checkContent(at, file);
}

function checkSource(at: string, file: Fields): void {
  innerPath(`${at}.src`, file.src);
  const extra = ["content", "encoding", "executable"].find((key) => key in file);
  if (extra === undefined) return;
  throw new DatasetError(`${at} has both src and ${extra}. Give a src alone, or the content itself.`);
}

function checkContent(at: string, file: Fields): void {
  const { dest, content, encoding, executable } = file;
  if (content === undefined) throw new DatasetError(`${at} has neither src nor content. Give it one of them.`);
  const text = textOf(`${at}.content`, content);
  if (isFolderName(String(dest))) {
    throw new DatasetError(`${at}.dest is ${JSON.stringify(dest)}, which names a folder. Name the file in it.`);
  }
  if (encoding !== undefined && encoding !== "base64") {
    throw new DatasetError(`${at}.encoding is ${describe(encoding)}. It may be "base64", or absent for text.`);
  }
  if (encoding === "base64" && !BASE64.test(text)) {
    throw new DatasetError(`${at}.content is not base64. Encode it, or leave out the encoding for text.`);
  }
  if (executable !== undefined && typeof executable !== "boolean") {
    throw new DatasetError(`${at}.executable is ${describe(executable)}, neither true nor false.`);
  }
}

/** True when a file put there keeps its own name. */
export function isFolderName(dest: string): boolean {
  return dest.endsWith("/") || dest.split("/").at(-1) === ".";
}
