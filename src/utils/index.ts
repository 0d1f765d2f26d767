/** Tools without a subject of their own: retry, limit, lock, files, YAML, text. */
export { ConcurrencyLimit, type RetryState, retry } from "./async.js";
export { writeAtomically, writeContentAddressed, writePiecesAtomically } from "./files/atomic.js";
export { type ByteSource, createMemoryBytes, openLocalBytes } from "./files/byte-source.js";
export { isInsideDir, openFileInside } from "./files/inside.js";
export { LF, LineBlockSplitter, readLineBlocks, readLines, type TextLine, writeLines } from "./files/lines.js";
export { type FilePosition, type FileProblem, type KeyPath, parseYaml, type YamlTree } from "./files/yaml.js";
export { JSON_SCHEMA_DRAFT, type JsonSchema, toJsonSchema } from "./json-schema.js";
export { isLocked, type LockRules, tryLock, withLock } from "./lock.js";
export { findModule, findPackageFile } from "./package-file.js";
export { checkRequestOrigin, LOOPBACK_HOSTS } from "./request-origin.js";
export { quoteShellWord } from "./shell-word.js";
