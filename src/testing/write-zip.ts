import { crc32, deflateRawSync } from "node:zlib";

export interface ZipOptions {
  /** Without compression. */
  isStored?: boolean;
  /** Uses 64-bit sizes and offsets, as in large archives. */
  isLarge?: boolean;
  /** Comment at the end of the archive. */
  comment?: string;
}

const TOO_LARGE = 0xffffffff;

/** A zip archive, written from its specification. */
export function zipOf(members: Readonly<Record<string, string | Buffer>>, options: ZipOptions = {}): Buffer {
  const parts: Buffer[] = [];
  const listed: Buffer[] = [];
  let at = 0;
  for (const [name, content] of Object.entries(members)) {
    const member = memberOf(name, Buffer.from(content), options);
    listed.push(listedHeader(member, at, options));
    parts.push(ownHeader(member), member.packed);
    at += 30 + member.name.length + member.packed.length;
  }
  const list = Buffer.concat(listed);
  return Buffer.concat([...parts, list, ...ends({ at, size: list.length, count: listed.length }, options)]);
}

interface Member {
  name: Buffer;
  method: number;
  crc: number;
  size: number;
  packed: Buffer;
}

function memberOf(name: string, content: Buffer, { isStored = false }: ZipOptions): Member {
  const packed = isStored ? content : deflateRawSync(content);
  return { name: Buffer.from(name), method: isStored ? 0 : 8, crc: crc32(content), size: content.length, packed };
}

/** Fields common to both headers: from the required version to the name length. */
function shared({ name, method, crc, size, packed }: Member, isLarge: boolean): Buffer {
  const header = Buffer.alloc(24);
  header.writeUInt16LE(isLarge ? 45 : 20, 0);
  header.writeUInt16LE(method, 4);
  header.writeUInt32LE(crc, 10);
  header.writeUInt32LE(isLarge ? TOO_LARGE : packed.length, 14);
  header.writeUInt32LE(isLarge ? TOO_LARGE : size, 18);
  header.writeUInt16LE(name.length, 22);
  return header;
}

function ownHeader(member: Member): Buffer {
  return Buffer.concat([four(0x04034b50), shared(member, false), Buffer.alloc(2), member.name]);
}

function listedHeader(member: Member, at: number, { isLarge = false }: ZipOptions): Buffer {
  const extra = isLarge
    ? Buffer.concat([two(1), two(24), eight(member.size), eight(member.packed.length), eight(at)])
    : Buffer.alloc(0);
  const rest = [two(extra.length), Buffer.alloc(10), four(isLarge ? TOO_LARGE : at), member.name, extra];
  return Buffer.concat([four(0x02014b50), two(45), shared(member, isLarge), ...rest]);
}

function ends({ at, size, count }: { at: number; size: number; count: number }, options: ZipOptions): Buffer[] {
  const { isLarge = false, comment = "" } = options;
  const text = Buffer.from(comment);
  const counts = isLarge ? two(0xffff) : two(count);
  const place = isLarge ? [four(TOO_LARGE), four(TOO_LARGE)] : [four(size), four(at)];
  const end = Buffer.concat([four(0x06054b50), Buffer.alloc(4), counts, counts, ...place, two(text.length), text]);
  if (!isLarge) return [end];
  const versions = [two(45), two(45), Buffer.alloc(8)];
  const record = [four(0x06064b50), eight(44), ...versions, eight(count), eight(count), eight(size), eight(at)];
  return [...record, four(0x07064b50), four(0), eight(at + size), four(1), end];
}

function two(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(value);
  return bytes;
}

function four(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function eight(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
}
