import { crc32 } from "node:zlib";

/** A header of text in the binary format: its name and value, each with its length before it. */
function encodeHeader(name: string, value: string): Buffer {
  const header = Buffer.alloc(1 + name.length + 3 + Buffer.byteLength(value));
  header.writeUInt8(name.length, 0);
  header.write(name, 1);
  header.writeUInt8(TEXT_TYPE, 1 + name.length);
  header.writeUInt16BE(Buffer.byteLength(value), 2 + name.length);
  header.write(value, 4 + name.length);
  return header;
}

const TEXT_TYPE = 7;

/** One message of an AWS event stream: lengths, their checksum, headers, payload, and the checksum of it all. */
export function encodeMessage(headers: Readonly<Record<string, string>>, payload: string): Buffer {
  const head = Buffer.concat(Object.entries(headers).map(([name, value]) => encodeHeader(name, value)));
  const prelude = Buffer.alloc(8);
  prelude.writeUInt32BE(16 + head.length + Buffer.byteLength(payload), 0);
  prelude.writeUInt32BE(head.length, 4);
  const message = Buffer.concat([prelude, encodeChecksum(prelude), head, Buffer.from(payload)]);
  return Buffer.concat([message, encodeChecksum(message)]);
}

function encodeChecksum(bytes: Buffer): Buffer {
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(bytes), 0);
  return checksum;
}

/** An event with JSON in it. */
export function encodeEvent(type: string, payload: object): Buffer {
  const headers = { ":event-type": type, ":content-type": "application/json", ":message-type": "event" };
  return encodeMessage(headers, JSON.stringify(payload));
}

/** An error within a stream. */
export function encodeException(type: string, message: string): Buffer {
  const headers = { ":exception-type": type, ":content-type": "application/json", ":message-type": "exception" };
  return encodeMessage(headers, JSON.stringify({ message }));
}
