import type { ByteSource } from "./byte-source.js";

/** What is wrong with an archive and what to do about it, as words that follow the archive's name. */
export class ZipProblem extends Error {
  override readonly name = "ZipProblem";
}

/** The problem of an archive whose bytes are not those that were packed. */
export function damaged(how: string, options?: { cause: unknown }): ZipProblem {
  return new ZipProblem(`is damaged: ${how}. Get it again.`, options);
}

/** A file inside of an archive, as the archive's list of files has it. */
export interface ZipMember {
  readonly name: string;
  readonly method: number;
  readonly isEncrypted: boolean;
  readonly crc32: number;
  /** Bytes that it takes in the archive. */
  readonly packedSize: number;
  /** Bytes that it has unpacked. */
  readonly size: number;
  /** Where its own header begins. */
  readonly headerAt: number;
}

const END = { signature: 0x06054b50, size: 22 };
const END64_LOCATOR = { signature: 0x07064b50, size: 20 };
const END64 = { signature: 0x06064b50, size: 56 };
const LISTED = { signature: 0x02014b50, size: 46 };
const LONGEST_COMMENT = 0xffff;
/** Stands in a field of four bytes for a number that is too large for it, and is elsewhere in eight. */
const TOO_LARGE = 0xffffffff;
const SIZES_IN_EIGHT_BYTES = 0x0001;

/**
 * The files inside of a zip archive, by its list at the end; nothing is unpacked.
 * @example
 * const members = await listZip(await openBytes("qmsum.zip"));
 * members.map(({ name }) => name); // ["qmsum/train.jsonl", "qmsum/validation.jsonl"]
 */
export async function listZip(bytes: ByteSource): Promise<ZipMember[]> {
  const { start, size, count } = await findList(bytes);
  const list = await readExactly(bytes, start, size);
  const members: ZipMember[] = [];
  for (let at = 0; members.length < count; ) {
    const { member, next } = readListed(list, at);
    members.push(member);
    at = next;
  }
  return members;
}

/** Bytes of an archive, all that were asked for. */
export async function readExactly(bytes: ByteSource, start: number, size: number): Promise<Buffer> {
  if (!Number.isSafeInteger(start + size) || start < 0 || start + size > bytes.size)
    throw damaged("it ends before what its list of files names");
  const read = await bytes.read(start, start + size);
  if (read.length < size) throw damaged("it became shorter while it was read");
  return Buffer.from(read.buffer, read.byteOffset, read.byteLength);
}

/** Where the list of files is, and how many it names. */
interface ListPlace {
  readonly start: number;
  readonly size: number;
  readonly count: number;
}

async function findList(bytes: ByteSource): Promise<ListPlace> {
  const tailSize = Math.min(bytes.size, END.size + LONGEST_COMMENT + END64_LOCATOR.size);
  const tail = await readExactly(bytes, bytes.size - tailSize, tailSize);
  const end = endRecord(tail);
  const place = {
    count: tail.readUInt16LE(end + 10),
    size: tail.readUInt32LE(end + 12),
    start: tail.readUInt32LE(end + 16),
  };
  const locator = end - END64_LOCATOR.size;
  const isLarge = place.count === 0xffff || place.size === TOO_LARGE || place.start === TOO_LARGE;
  if (!isLarge || locator < 0 || tail.readUInt32LE(locator) !== END64_LOCATOR.signature) return place;
  return findLargeList(bytes, eightBytes(tail, locator + 8));
}

/** A comment of any text may follow the record, hence the last signature whose comment ends with the archive. */
function endRecord(tail: Buffer): number {
  for (let at = tail.length - END.size; at >= 0; at -= 1) {
    if (tail.readUInt32LE(at) !== END.signature) continue;
    if (at + END.size + tail.readUInt16LE(at + 20) === tail.length) return at;
  }
  throw new ZipProblem("is no zip archive, or was cut off: its list of files is missing. Get it again.");
}

async function findLargeList(bytes: ByteSource, at: number): Promise<ListPlace> {
  const record = await readExactly(bytes, at, END64.size);
  if (record.readUInt32LE(0) !== END64.signature) throw damagedList();
  return { count: eightBytes(record, 32), size: eightBytes(record, 40), start: eightBytes(record, 48) };
}

function readListed(list: Buffer, at: number): { member: ZipMember; next: number } {
  if (at + LISTED.size > list.length || list.readUInt32LE(at) !== LISTED.signature) throw damagedList();
  const nameEnd = at + LISTED.size + list.readUInt16LE(at + 28);
  const extraEnd = nameEnd + list.readUInt16LE(at + 30);
  const next = extraEnd + list.readUInt16LE(at + 32);
  if (next > list.length) throw damagedList();
  const member = {
    name: list.toString("utf8", at + LISTED.size, nameEnd),
    method: list.readUInt16LE(at + 10),
    isEncrypted: (list.readUInt16LE(at + 8) & 1) === 1,
    crc32: list.readUInt32LE(at + 16),
    ...sizesOf(list.subarray(at, at + LISTED.size), list.subarray(nameEnd, extraEnd)),
  };
  return { member, next };
}

/** The extra field holds, in this order, those of the three that four bytes were too few for. */
function sizesOf(header: Buffer, extra: Buffer): Pick<ZipMember, "size" | "packedSize" | "headerAt"> {
  const large = eightByteField(extra);
  let at = 0;
  const sizeAt = (place: number) => {
    const size = header.readUInt32LE(place);
    if (size !== TOO_LARGE || large === null) return size;
    if (at + 8 > large.length) throw damagedList();
    at += 8;
    return eightBytes(large, at - 8);
  };
  return { size: sizeAt(24), packedSize: sizeAt(20), headerAt: sizeAt(42) };
}

function eightByteField(extra: Buffer): Buffer | null {
  for (let at = 0; at + 4 <= extra.length; ) {
    const end = at + 4 + extra.readUInt16LE(at + 2);
    if (extra.readUInt16LE(at) === SIZES_IN_EIGHT_BYTES) return extra.subarray(at + 4, end);
    at = end;
  }
  return null;
}

function eightBytes(from: Buffer, at: number): number {
  return Number(from.readBigUInt64LE(at));
}

function damagedList(): ZipProblem {
  return damaged("its list of files cannot be read");
}
