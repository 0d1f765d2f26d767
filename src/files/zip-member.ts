import { createWriteStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import { crc32, createInflateRaw } from "node:zlib";
import type { ByteSource } from "./byte-source.js";
import { damaged, readExactly, type ZipMember, ZipProblem } from "./zip.js";

const HEADER = { signature: 0x04034b50, size: 30 };
const PIECE_BYTES = 1 << 20;
const STORED = 0;
const DEFLATED = 8;
const ADVICE = "Unpack it, and give the file inside.";

/**
 * Unpacks one file of an archive to a path that must be free, and checks that it is what was packed.
 * @example
 * await unpackMember(bytes, { member, path: "/tmp/validation.jsonl" });
 */
export async function unpackMember(bytes: ByteSource, { member, path }: { member: ZipMember; path: string }) {
  requireReadable(member);
  const start = await contentStart(bytes, member);
  const packed = () => pieces(bytes, start, start + member.packedSize);
  const whole = (chunks: AsyncIterable<Buffer>) => checked(chunks, member);
  const file = createWriteStream(path, { flags: "wx" });
  try {
    if (member.method === STORED) await pipeline(packed, whole, file);
    else await pipeline(packed, createInflateRaw(), whole, file);
  } catch (error) {
    throw isBadData(error) ? damaged(`"${member.name}" cannot be unpacked`, { cause: error }) : error;
  }
}

function requireReadable({ name, method, isEncrypted }: ZipMember): void {
  if (isEncrypted) throw new ZipProblem(`has "${name}" under a password. ${ADVICE}`);
  if (method === STORED || method === DEFLATED) return;
  throw new ZipProblem(`has "${name}" packed by method ${method}, which is not read here. ${ADVICE}`);
}

/** The member's own header has a name and extra fields of its own lengths. */
async function contentStart(bytes: ByteSource, { name, headerAt, packedSize }: ZipMember): Promise<number> {
  const header = await readExactly(bytes, headerAt, HEADER.size);
  if (header.readUInt32LE(0) !== HEADER.signature) throw damaged(`"${name}" is not where its list of files says`);
  const start = headerAt + HEADER.size + header.readUInt16LE(26) + header.readUInt16LE(28);
  if (start + packedSize > bytes.size) throw damaged(`it ends inside of "${name}"`);
  return start;
}

async function* pieces(bytes: ByteSource, start: number, end: number): AsyncGenerator<Buffer> {
  for (let at = start; at < end; at += PIECE_BYTES) yield readExactly(bytes, at, Math.min(PIECE_BYTES, end - at));
}

/** Stops at the first byte too many: an archive may unpack to far more than it says. */
async function* checked(chunks: AsyncIterable<Buffer>, { name, size, crc32: wanted }: ZipMember) {
  let seen = 0;
  let sum = 0;
  for await (const chunk of chunks) {
    seen += chunk.length;
    if (seen > size) break;
    sum = crc32(chunk, sum);
    yield chunk;
  }
  if (seen !== size || sum !== wanted) throw damaged(`"${name}" is not what was packed`);
}

function isBadData(error: unknown): boolean {
  return String((error as NodeJS.ErrnoException | null)?.code).startsWith("Z_");
}
