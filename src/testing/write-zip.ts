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
export function createZip(members: Readonly<Record<string, string | Buffer>>, options: ZipOptions = {}): Buffer {
  const parts: Buffer[] = [];
  const listed: Buffer[] = [];
  let at = 0;
  for (const [name, content] of Object.entries(members)) {
    const member = createZipMember(name, Buffer.from(content), options);
    listed.push(encodeCentralHeader(member, at, options));
    parts.push(encodeLocalHeader(member), member.packed);
    at += 30 + member.name.length + member.packed.length;
  }
  const list = Buffer.concat(listed);
  return Buffer.concat([...parts, list, ...encodeEndRecords({ at, size: list.length, count: listed.length }, options)]);
}

interface ZipMember {
  name: Buffer;
  method: number;
  crc: number;
  size: number;
  packed: Buffer;
}

function createZipMember(name: string, content: Buffer, { isStored = false }: ZipOptions): ZipMember {
  const packed = isStored ? content : deflateRawSync(content);
  return { name: Buffer.from(name), method: isStored ? 0 : 8, crc: crc32(content), size: content.length, packed };
}

/** Fields common to both headers: from the required version to the name length. */
function encodeSharedHeader({ name, method, crc, size, packed }: ZipMember, isLarge: boolean): Buffer {
  const header = Buffer.alloc(24);
  header.writeUInt16LE(isLarge ? 45 : 20, 0);
  header.writeUInt16LE(method, 4);
  header.writeUInt32LE(crc, 10);
  header.writeUInt32LE(isLarge ? TOO_LARGE : packed.length, 14);
  header.writeUInt32LE(isLarge ? TOO_LARGE : size, 18);
  header.writeUInt16LE(name.length, 22);
  return header;
}

function encodeLocalHeader(member: ZipMember): Buffer {
  return Buffer.concat([encodeUint32(0x04034b50), encodeSharedHeader(member, false), Buffer.alloc(2), member.name]);
}

function encodeCentralHeader(member: ZipMember, at: number, { isLarge = false }: ZipOptions): Buffer {
  const extra = isLarge
    ? Buffer.concat([
        encodeUint16(1),
        encodeUint16(24),
        encodeUint64(member.size),
        encodeUint64(member.packed.length),
        encodeUint64(at),
      ])
    : Buffer.alloc(0);
  const rest = [
    encodeUint16(extra.length),
    Buffer.alloc(10),
    encodeUint32(isLarge ? TOO_LARGE : at),
    member.name,
    extra,
  ];
  return Buffer.concat([encodeUint32(0x02014b50), encodeUint16(45), encodeSharedHeader(member, isLarge), ...rest]);
}

function encodeEndRecords(
  { at, size, count }: { at: number; size: number; count: number },
  options: ZipOptions,
): Buffer[] {
  const { isLarge = false, comment = "" } = options;
  const text = Buffer.from(comment);
  const counts = isLarge ? encodeUint16(0xffff) : encodeUint16(count);
  const place = isLarge ? [encodeUint32(TOO_LARGE), encodeUint32(TOO_LARGE)] : [encodeUint32(size), encodeUint32(at)];
  const end = Buffer.concat([
    encodeUint32(0x06054b50),
    Buffer.alloc(4),
    counts,
    counts,
    ...place,
    encodeUint16(text.length),
    text,
  ]);
  if (!isLarge) return [end];
  const versions = [encodeUint16(45), encodeUint16(45), Buffer.alloc(8)];
  const record = [
    encodeUint32(0x06064b50),
    encodeUint64(44),
    ...versions,
    encodeUint64(count),
    encodeUint64(count),
    encodeUint64(size),
    encodeUint64(at),
  ];
  return [...record, encodeUint32(0x07064b50), encodeUint32(0), encodeUint64(at + size), encodeUint32(1), end];
}

function encodeUint16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(value);
  return bytes;
}

function encodeUint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function encodeUint64(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
}
