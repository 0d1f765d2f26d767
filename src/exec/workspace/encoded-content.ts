import { isUtf8 } from "node:buffer";

/** The bytes of a file as JSON can hold them: text as it is, anything else in base64. */
export interface EncodedContent {
  readonly content: string;
  readonly encoding?: "base64";
}

export function encodeContent(bytes: Buffer): EncodedContent {
  return isUtf8(bytes)
    ? { content: bytes.toString("utf8") }
    : { content: bytes.toString("base64"), encoding: "base64" };
}

export function decodeContent({ content, encoding }: EncodedContent): Buffer {
  return Buffer.from(content, encoding ?? "utf8");
}
