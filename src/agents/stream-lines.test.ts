import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { startCpuTimer } from "../testing/cpu-time.js";
import { LineSplitter, parseEventLine } from "./agent-run.js";

function linesOf(chunks: readonly Buffer[], maxBytes?: number): string[] {
  const lines = new LineSplitter(maxBytes);
  return [...chunks.flatMap((chunk) => lines.push(chunk)), ...lines.end()];
}

/** Splits the bytes at these positions. */
function cutAt(bytes: Buffer, places: readonly number[]): Buffer[] {
  const sorted = [...places.map((place) => place % (bytes.length + 1)), 0, bytes.length].sort((a, b) => a - b);
  return sorted.slice(1).map((end, at) => bytes.subarray(sorted[at] ?? 0, end));
}

describe("LineSplitter", () => {
  it("returns the same lines however the bytes are split", () => {
    const line = fc.string({ unit: fc.constantFrom("a", "é", "😀", "\u2028", "\u2029", "\r", "\u0085", '"') });
    fc.assert(
      fc.property(fc.array(line), fc.array(fc.nat()), fc.boolean(), (texts, places, endsInFeed) => {
        const bytes = Buffer.from(texts.join("\n") + (endsInFeed ? "\n" : ""));
        const expected = texts.map((text) => text.replace(/\r$/, "")).filter((text) => text.trim() !== "");
        expect(linesOf(cutAt(bytes, places))).toEqual(expected);
      }),
    );
  });

  it("accepts a carriage return before the line feed, even in another chunk", () => {
    expect(linesOf([Buffer.from('{"a":1}\r\n{"b":2}\r'), Buffer.from("\n")])).toEqual(['{"a":1}', '{"b":2}']);
  });

  it("joins a character split between chunks", () => {
    const bytes = Buffer.from("😀\n");
    expect(linesOf([bytes.subarray(0, 2), bytes.subarray(2)])).toEqual(["😀"]);
  });

  it("accepts a line of 20 MB in small chunks", () => {
    const lines = new LineSplitter();
    const chunk = Buffer.alloc(4096, "x");
    const cpuMs = startCpuTimer();
    let early = 0;
    for (let bytes = 0; bytes < 20 * 1024 * 1024; bytes += chunk.length) early += lines.push(chunk).length;
    expect(early).toBe(0);
    const [line] = lines.push(Buffer.from("\nrest"));
    expect(line).toHaveLength(20 * 1024 * 1024);
    expect(lines.end()).toEqual(["rest"]);
    // Joining everything again with each chunk would copy 50 GB.
    expect(cpuMs()).toBeLessThan(10_000);
  });

  it("drops a line over the limit, counts it, and continues with the next", () => {
    const lines = new LineSplitter(10);
    expect(lines.push(Buffer.from("12345678901\nshort\n123456"))).toEqual(["short"]);
    expect(lines.push(Buffer.from("789012\n1234567890\n"))).toEqual(["1234567890"]);
    expect(lines.push(Buffer.from("the last one is too long as well"))).toEqual([]);
    expect(lines.end()).toEqual([]);
    expect(lines.dropped).toBe(3);
  });
});

describe("parseEventLine", () => {
  it("parses a line", () => {
    expect(parseEventLine('{"type":"result","text":"a\u2028b"}')).toEqual({ type: "result", text: "a\u2028b" });
  });

  it("keeps the beginning of a line that is not JSON", () => {
    expect(parseEventLine(`{"type":"res${"x".repeat(5000)}`)).toEqual({ malformed: `{"type":"res${"x".repeat(1988)}` });
  });
});
