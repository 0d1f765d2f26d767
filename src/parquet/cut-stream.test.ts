import { brotliCompressSync, gzipSync } from "node:zlib";
import { snappyCompress } from "hyparquet-writer/src/snappy.js";
import { describe, expect, it } from "vitest";
import { createRandom } from "../stats/index.js";
import { cutStream } from "./cut-stream.js";
import { loadLibrary } from "./library.js";

/** Text that compresses, then bytes that do not. */
function mixedBytes(): Buffer {
  const random = createRandom(1);
  const noise = Buffer.from(Array.from({ length: 200_000 }, () => random.int(256)));
  const text = Buffer.from(Array.from({ length: 8000 }, (_, at) => `row ${at % 300} of many `).join(""));
  return Buffer.concat([text, noise, text]);
}

const whole = mixedBytes();
const COMPRESSED: Record<string, Uint8Array> = {
  UNCOMPRESSED: whole,
  GZIP: gzipSync(whole),
  BROTLI: brotliCompressSync(whole, { params: {} }),
  SNAPPY: snappyCompress(whole),
};

describe("cutStream", () => {
  it.each(Object.entries(COMPRESSED))("decompresses the beginning of %s", async (codec, compressed) => {
    const cut = cutStream(await loadLibrary(), codec);
    if (cut === null) throw new Error(`${codec} cannot be cut`);
    let longest = 0;
    for (const share of [0.02, 0.1, 0.3, 0.5, 0.7, 1]) {
      const start = cut(compressed.subarray(0, Math.ceil(compressed.length * share)));
      expect(Buffer.compare(start, whole.subarray(0, start.length))).toBe(0);
      expect(start.length).toBeGreaterThanOrEqual(longest);
      longest = start.length;
    }
    expect(longest).toBe(whole.length);
  });

  it("leaves alone what it cannot cut", async () => {
    expect(cutStream(await loadLibrary(), "LZ4_RAW")).toBeNull();
  });
});
