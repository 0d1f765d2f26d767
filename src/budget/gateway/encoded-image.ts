import { countImageTokens, detectMedia, type ImageReader } from "../../models/index.js";

/** A text of a request, with the fields that it is in. */
interface FieldText {
  readonly field: string;
  /** The field of the object around it. */
  readonly parent: string;
  readonly value: string;
}

/** The fields with images in base64 or as `data:` URLs. */
const IMAGE_FIELDS = new Set(["data", "image_url", "url"]);

/** Enough for the header of every image; photographs have a preview and other data before their size. */
const HEAD_CHARS = 400_000;

/** Beginnings of PNG, JPEG, GIF and WebP in base64. */
const IMAGE_HEAD = /^(?:iVBORw0KGgo|\/9j\/|R0lGOD|UklGR)/;

/** The most tokens of an image in a request, in any API format; null if a text is no image. */
export function countEncodedImage({ field, parent, value }: FieldText, reader: ImageReader): number | null {
  if (!IMAGE_FIELDS.has(field)) return null;
  if (isImageLink(field, parent) && /^https?:\/\//i.test(value)) return countImageTokens(null, reader);
  const start = value.startsWith("data:") ? value.indexOf(",", 0) + 1 : 0;
  if (!IMAGE_HEAD.test(value.slice(start, start + 16))) return null;
  const media = detectMedia(Buffer.from(value.slice(start, start + HEAD_CHARS), "base64"));
  return countImageTokens("width" in media ? media : null, reader);
}

/** An address in another field is a text. */
function isImageLink(field: string, parent: string): boolean {
  return field === "image_url" || (field === "url" && (parent === "image_url" || parent === "source"));
}
