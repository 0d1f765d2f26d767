#!/usr/bin/env node
// Writes data/tokens/<encoding>.bin from the rank files in gpt-tokenizer, in the layout that src/models/tokens/table.ts maps
// without parsing. Skips files that are up to date; --force rebuilds them.
import { createHash } from "node:crypto";
import { closeSync, mkdirSync, openSync, readFileSync, readSync, renameSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

const require = createRequire(import.meta.url);
const OUT = new URL("../data/tokens/", import.meta.url);

// The digests tiktoken itself checks after its download: the tables are OpenAI's, whoever packed them.
const ENCODINGS = {
  cl100k_base: "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
  o200k_base: "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
};

// Must agree with src/models/tokens/table.ts; its test looks up every token, so a drift between the two cannot pass.
const MAGIC = 0x4b545341;
const FORMAT = 1;
const HEADER_BYTES = 128;
const STAMP_AT = 32;
const OFFSET_BITS = 21;
const BLOCK_BITS = 6;

function hashOf(bytes) {
  let hash = 0x811c9dc5;
  for (const byte of bytes) hash = Math.imul(hash ^ byte, 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return hash ^ (hash >>> 13);
}

// One bit per class, so that a scanner tests any union of classes with a single mask. `\s` is White_Space, as in the
// regex engine of tiktoken: unlike JavaScript's it holds U+0085 and not U+FEFF.
const CLASSES = [
  [/[\p{Lu}\p{Lt}]/u, 1],
  [/\p{Ll}/u, 2],
  [/[\p{Lm}\p{Lo}]/u, 4],
  [/\p{M}/u, 8],
  [/\p{N}/u, 16],
  [/[\r\n]/u, 64],
  [/\p{White_Space}/u, 32],
];
const OTHER = 128;

function classOf(codePoint) {
  const character = String.fromCodePoint(codePoint);
  return CLASSES.find(([pattern]) => pattern.test(character))?.[1] ?? OTHER;
}

/** A two-stage table: code point >> 6 gives a block, the low 6 bits (a UTF-8 continuation byte) the place in it. */
function classTable() {
  const size = 1 << BLOCK_BITS;
  const index = new Uint16Array(0x110000 >> BLOCK_BITS);
  const blocks = [];
  const known = new Map();
  for (let block = 0; block < index.length; block++) {
    const classes = Buffer.alloc(size);
    for (let low = 0; low < size; low++) classes[low] = classOf((block << BLOCK_BITS) + low);
    const key = classes.toString("latin1");
    if (!known.has(key)) known.set(key, blocks.push(classes) - 1);
    index[block] = known.get(key);
  }
  return { index, blocks: Buffer.concat(blocks) };
}

function readTokens(name) {
  const source = readFileSync(require.resolve(`gpt-tokenizer/data/${name}.tiktoken`));
  const digest = createHash("sha256").update(source).digest("hex");
  if (digest !== ENCODINGS[name]) throw new Error(`${name}.tiktoken is not OpenAI's file: SHA-256 ${digest}`);
  return source
    .toString("latin1")
    .trimEnd()
    .split("\n")
    .map((line, rank) => {
      const [base64, given] = line.split(" ");
      if (Number(given) !== rank) throw new Error(`${name}.tiktoken: rank ${given} on line ${rank + 1}`);
      return Buffer.from(base64, "base64");
    });
}

/** Length-prefixed token bytes in rank order: the place of a token orders like its rank, so ranks need no storage. */
function tokenBlob(tokens) {
  const parts = [Buffer.of(0)];
  for (const token of tokens) parts.push(Buffer.of(token.length), token);
  return Buffer.concat(parts);
}

/** Open addressing with linear probing; a slot holds the top hash bits, so that most misses never touch the blob. */
function slotTable(tokens) {
  const slots = new Int32Array(1 << Math.ceil(Math.log2(tokens.length * 1.2)));
  const mask = slots.length - 1;
  let at = 1;
  for (const token of tokens) {
    const hash = hashOf(token);
    let slot = hash & mask;
    while (slots[slot] !== 0) slot = (slot + 1) & mask;
    slots[slot] = (hash & (-1 << OFFSET_BITS)) | at;
    at += 1 + token.length;
  }
  if (at >= 1 << OFFSET_BITS) throw new Error(`the tokens need ${at} bytes, more than ${OFFSET_BITS} bits can address`);
  return slots;
}

function header(stamp, fields) {
  const bytes = Buffer.alloc(HEADER_BYTES);
  [MAGIC, FORMAT, ...fields].forEach((field, i) => {
    bytes.writeInt32LE(field, i * 4);
  });
  bytes.write(stamp, STAMP_AT, "latin1");
  return bytes;
}

const bytesOf = (array) => Buffer.from(array.buffer, array.byteOffset, array.byteLength);

function build(name, stamp, classes) {
  const tokens = readTokens(name);
  const slots = slotTable(tokens);
  const blob = tokenBlob(tokens);
  const maxTokenBytes = tokens.reduce((longest, token) => Math.max(longest, token.length), 0);
  const fields = [slots.length, classes.index.length, classes.blocks.length, blob.length, maxTokenBytes];
  return Buffer.concat([header(stamp, fields), bytesOf(slots), bytesOf(classes.index), classes.blocks, blob]);
}

function stampOf(file) {
  try {
    const descriptor = openSync(file, "r");
    const bytes = Buffer.alloc(HEADER_BYTES);
    readSync(descriptor, bytes, 0, HEADER_BYTES, 0);
    closeSync(descriptor);
    if (bytes.readInt32LE(0) !== MAGIC || bytes.readInt32LE(4) !== FORMAT) return "";
    return bytes.toString("latin1", STAMP_AT).replace(/\0+$/, "");
  } catch {
    return "";
  }
}

/** A reader never sees half a file: two builds at once, or one that is killed, leave whole files only. */
function writeWhole(file, bytes) {
  const partial = `${file}.${process.pid}.partial`;
  writeFileSync(partial, bytes);
  renameSync(partial, file);
}

function main() {
  const { version } = require("gpt-tokenizer/package.json");
  const stamp = `gpt-tokenizer ${version}, Unicode ${process.versions.unicode}`;
  const stale = Object.keys(ENCODINGS).filter(
    (name) => process.argv.includes("--force") || stampOf(fileURLToPath(new URL(`${name}.bin`, OUT))) !== stamp,
  );
  if (stale.length === 0) return console.log(`token tables: up to date (${stamp})`);
  mkdirSync(OUT, { recursive: true });
  const classes = classTable();
  for (const name of stale) {
    const bytes = build(name, stamp, classes);
    writeWhole(fileURLToPath(new URL(`${name}.bin`, OUT)), bytes);
    console.log(`token tables: wrote ${name}.bin, ${bytes.length} bytes (${stamp})`);
  }
}

main();
