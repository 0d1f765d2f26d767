/** The images that all API formats accept. */
export const IMAGE_TYPES = ["image/png", "image/jpeg", "image/gif", "image/webp"] as const;

type ImageType = (typeof IMAGE_TYPES)[number];

const PDF_TYPE = "application/pdf";
export const TEXT_TYPE = "text/plain";

/** Width and height in pixels. */
export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/** What the bytes of a file are. */
export type Media =
  | ({ readonly mediaType: ImageType } & ImageSize)
  | { readonly mediaType: typeof PDF_TYPE | typeof TEXT_TYPE };

/** A larger side is no picture for a model, and may be meant to crash what decodes it. */
const MAX_SIDE = 65_535;

/**
 * Determines what a file is from its bytes; its name does not count. Returns the problem as the end of a sentence if it
 * is nothing that models read.
 * @example
 * detectMedia(readFileSync("chart.png")); // { mediaType: "image/png", width: 800, height: 600 }
 */
export function detectMedia(bytes: Buffer): Media | { readonly problem: string } {
  if (bytes.length === 0) return { problem: "is empty" };
  const mediaType = detectImageType(bytes);
  if (mediaType !== null) {
    const size = SIZE_READERS[mediaType](bytes);
    if (size === null) return { problem: `is a damaged ${mediaType}: its header ends before its width and height` };
    const { width, height } = size;
    if (width < 1 || height < 1 || width > MAX_SIDE || height > MAX_SIDE)
      return { problem: `is ${width} × ${height} pixels; a side must have 1 to ${MAX_SIDE}` };
    return { mediaType, width, height };
  }
  if (bytes.subarray(0, 1024).includes("%PDF-")) return { mediaType: PDF_TYPE };
  if (isPlainText(bytes)) return { mediaType: TEXT_TYPE };
  return { problem: "is not PNG, JPEG, GIF, WebP, PDF or UTF-8 text" };
}

function detectImageType(bytes: Buffer): ImageType | null {
  const head = bytes.toString("latin1", 0, 12);
  if (head.startsWith("\x89PNG\r\n\x1a\n")) return "image/png";
  if (head.startsWith("\xff\xd8\xff")) return "image/jpeg";
  if (/^GIF8[79]a/.test(head)) return "image/gif";
  return /^RIFF[\s\S]{4}WEBP/.test(head) ? "image/webp" : null;
}

function isPlainText(bytes: Buffer): boolean {
  if (bytes.includes(0)) return false;
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

const SIZE_READERS: Readonly<Record<ImageType, (bytes: Buffer) => ImageSize | null>> = {
  "image/png": readPngSize,
  "image/jpeg": readJpegSize,
  "image/gif": readGifSize,
  "image/webp": readWebpSize,
};

function readPngSize(bytes: Buffer): ImageSize | null {
  if (bytes.length < 24 || bytes.toString("latin1", 12, 16) !== "IHDR") return null;
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

function readGifSize(bytes: Buffer): ImageSize | null {
  return bytes.length < 10 ? null : { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
}

/** The segment that starts a frame has the size; those before it are skipped by their lengths. */
function readJpegSize(bytes: Buffer): ImageSize | null {
  for (let at = 2; at + 3 < bytes.length; ) {
    if (bytes[at] !== 0xff) return null;
    const marker = bytes[at + 1] ?? 0;
    // Any number of bytes 0xFF may fill the space before a marker, and some markers have no segment.
    if (marker === 0xff) at += 1;
    else if (marker === 0x01 || (marker >= 0xd0 && marker <= 0xd7)) at += 2;
    else if (isFrameStart(marker))
      return at + 8 < bytes.length ? { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) } : null;
    else {
      const length = bytes.readUInt16BE(at + 2);
      if (length < 2 || marker === 0xda) return null;
      at += 2 + length;
    }
  }
  return null;
}

/** SOF0 to SOF15 without the tables DHT, JPG and DAC. */
function isFrameStart(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
}

function readWebpSize(bytes: Buffer): ImageSize | null {
  if (bytes.length < 30) return null;
  const kind = bytes.toString("latin1", 12, 16);
  if (kind === "VP8X") return { width: 1 + bytes.readUIntLE(24, 3), height: 1 + bytes.readUIntLE(27, 3) };
  if (kind === "VP8 ")
    return bytes.readUIntBE(23, 3) === 0x9d012a
      ? { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff }
      : null;
  if (kind !== "VP8L" || bytes[20] !== 0x2f) return null;
  const bits = bytes.readUInt32LE(21);
  return { width: 1 + (bits & 0x3fff), height: 1 + ((bits >>> 14) & 0x3fff) };
}
