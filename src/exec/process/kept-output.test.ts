import { once } from "node:events";
import { Readable } from "node:stream";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { OutputBuffer } from "./run-command.js";

async function keep(chunks: readonly Uint8Array[], maxBytes: number): Promise<OutputBuffer> {
  const stream = Readable.from(chunks.filter(({ length }) => length > 0).map((chunk) => Buffer.from(chunk)));
  const kept = OutputBuffer.read(stream, maxBytes);
  await once(stream, "end");
  return kept;
}

/** Plain letters, so that bytes and characters are the same. */
const letters = fc.array(fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 40 }), { maxLength: 20 });

describe("OutputBuffer", () => {
  it("keeps exactly the first and the last bytes, however they arrive", async () => {
    await fc.assert(
      fc.asyncProperty(letters, fc.integer({ min: 0, max: 60 }), async (parts, maxBytes) => {
        const all = parts.join("");
        const kept = await keep(
          parts.map((part) => Buffer.from(part)),
          maxBytes,
        );
        const head = Math.ceil(maxBytes / 2);
        const tail = maxBytes - head;
        const dropped = Math.max(0, all.length - maxBytes);
        expect(kept.isTruncated).toBe(dropped > 0);
        expect(kept.text()).toBe(
          dropped === 0
            ? all
            : `${all.slice(0, head)}\n[${dropped} bytes left out]\n${tail === 0 ? "" : all.slice(-tail)}`,
        );
      }),
      { numRuns: 300 },
    );
  });

  it("never splits a character", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: "grapheme" }),
        fc.integer({ min: 1, max: 7 }),
        fc.nat(30),
        async (all, size, max) => {
          const bytes = Buffer.from(all);
          const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
            bytes.subarray(at * size, (at + 1) * size),
          );
          const kept = await keep(chunks, max);
          if (!kept.isTruncated) expect(kept.text()).toBe(all);
          const [head = "", tail = ""] = kept.text().split(/\n\[\d+ bytes left out\]\n/);
          expect(all.startsWith(head) && all.endsWith(tail)).toBe(true);
        },
      ),
      { numRuns: 300 },
    );
  });

  it("grows with its content", async () => {
    const kept = await keep([Buffer.alloc(5000, "x"), Buffer.alloc(20_000, "y"), Buffer.from("z")], 1 << 20);
    expect(kept.text()).toBe(`${"x".repeat(5000)}${"y".repeat(20_000)}z`);
  });
});
