import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { makeJpeg, makePng, TINY_PDF } from "../../testing/images.js";
import { detectMedia } from "./media.js";

const latin = (text: string) => Buffer.from(text, "latin1");
const pad = (bytes: Buffer, length: number) => Buffer.concat([bytes, Buffer.alloc(length)]);

describe("detectMedia", () => {
  it.each([
    ["PNG", makePng(800, 600), "image/png"],
    ["JPEG, whose comment contains a marker", makeJpeg(800, 600), "image/jpeg"],
    ["GIF", pad(latin("GIF89a\x20\x03\x58\x02"), 3), "image/gif"],
    ["lossy WebP", pad(latin("RIFF____WEBPVP8 ____\0\0\0\x9d\x01\x2a\x20\x03\x58\x02"), 4), "image/webp"],
    ["lossless WebP", pad(latin("RIFF____WEBPVP8L____\x2f\x1f\xc3\x95\0"), 8), "image/webp"],
    ["extended WebP", pad(latin("RIFF____WEBPVP8X____\0\0\0\0\x1f\x03\0\x57\x02\0"), 4), "image/webp"],
  ])("reads the size of %s", (_, bytes, mediaType) => {
    expect(detectMedia(bytes)).toEqual({ mediaType, width: 800, height: 600 });
  });

  it("knows PDF and UTF-8 text, whatever the name", () => {
    expect(detectMedia(TINY_PDF)).toEqual({ mediaType: "application/pdf" });
    expect(detectMedia(Buffer.from("naïve, 漢字"))).toEqual({ mediaType: "text/plain" });
  });

  it.each([
    ["nothing", Buffer.alloc(0), /is empty/],
    ["other bytes", Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0xff, 0]), /is not PNG, JPEG, GIF, WebP, PDF or UTF-8 text/],
    ["a PNG without its size", makePng(3, 3).subarray(0, 20), /damaged image\/png: its header ends/],
    ["a JPEG without its size", makeJpeg(3, 3).subarray(0, 12), /damaged image\/jpeg/],
    ["a JPEG that begins with data", latin("\xff\xd8\xff\xda\0\x02\xff\xd9"), /damaged image\/jpeg/],
    ["a GIF without its size", latin("GIF89a\x01"), /damaged image\/gif/],
    ["a WebP without its size", latin("RIFF____WEBPVP8 "), /damaged image\/webp/],
    ["an image without pixels", makePng(0, 7), /is 0 × 7 pixels/],
    ["an image of a billion pixels a side", setPngWidth(1_000_000_000), /is 1000000000 × 1 pixels; a side must/],
  ])("refuses %s", (_, bytes, problem) => {
    expect(detectMedia(bytes)).toEqual({ problem: expect.stringMatching(problem) });
  });

  it("never throws, and finds a size only within its limits", () => {
    const heads = [
      makePng(9, 9),
      makeJpeg(9, 9),
      latin("GIF89a"),
      latin("RIFF____WEBPVP8 "),
      latin("RIFF____WEBPVP8L"),
      latin("RIFF____WEBPVP8X"),
    ];
    fc.assert(
      fc.property(fc.constantFrom(...heads), fc.nat(40), fc.uint8Array({ maxLength: 60 }), (head, cut, more) => {
        const found = detectMedia(Buffer.concat([head.subarray(0, cut), more]));
        if (!("width" in found)) return;
        expect(Math.min(found.width, found.height)).toBeGreaterThanOrEqual(1);
        expect(Math.max(found.width, found.height)).toBeLessThanOrEqual(65_535);
      }),
    );
  });
});

function setPngWidth(width: number): Buffer {
  const bytes = makePng(1, 1);
  bytes.writeUInt32BE(width, 16);
  return bytes;
}
