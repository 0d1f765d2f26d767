import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { TrialError } from "../../core/errors.js";
import { type SseOptions, SseReader } from "./sse.js";

function read(chunks: readonly (string | Buffer)[], options: Partial<SseOptions> = {}): string[] {
  const seen: string[] = [];
  const reader = new SseReader({ onData: (data) => seen.push(data), ...options });
  for (const chunk of chunks) reader.push(Buffer.from(chunk as string));
  reader.end();
  return seen;
}

describe("SseReader", () => {
  it("emits the data of each event, including [DONE]", () => {
    const text =
      'event: x\nid: 3\ndata: {"a":1}\n\n: a comment\n\ndata: two\ndata: lines\n\nretry: 5\n\ndata:[DONE]\n\n';
    expect(read([text])).toEqual(['{"a":1}', "two\nlines", "[DONE]"]);
    expect(read([text.replaceAll("\n", "\r\n")])).toEqual(['{"a":1}', "two\nlines", "[DONE]"]);
  });

  it("emits the same events for any chunk boundaries", () => {
    const lines = fc.array(
      fc.string({ unit: "grapheme" }).map((line) => line.replace(/[\r\n]/g, "")),
      { minLength: 1 },
    );
    fc.assert(
      fc.property(lines, fc.array(fc.nat(400)), fc.constantFrom("\n", "\r\n"), (texts, cuts, eol) => {
        const bytes = Buffer.from(texts.map((text) => `data: ${text}${eol}${eol}`).join(""));
        const edges = [0, ...[...cuts].map((cut) => cut % bytes.length).sort((a, b) => a - b), bytes.length];
        expect(read(edges.slice(1).map((end, at) => bytes.subarray(edges[at], end)))).toEqual(texts);
      }),
    );
  });

  it("reads a last event without its empty line, and skips a byte order mark", () => {
    expect(read(["\uFEFFdata: a\n\n", "data: b"])).toEqual(["a", "b"]);
    expect(read(["data: a\n\n", "data: b\r"])).toEqual(["a", "b"]);
  });

  it("stops when onData returns false", () => {
    const seen: string[] = [];
    const reader = new SseReader({ onData: (data) => seen.push(data) < 2 });
    expect(reader.push(Buffer.from("data: a\n\n"))).toBe(true);
    expect(reader.push(Buffer.from("data: b\n\ndata: c\n\n"))).toBe(false);
    expect(reader.push(Buffer.from("data: d\n\n"))).toBe(false);
    reader.end();
    expect(seen).toEqual(["a", "b"]);
  });

  it("reports invalid UTF-8", () => {
    expect(() => read([Buffer.from([0x64, 0xff, 0xfe, 0x0a])], { source: "host:1" })).toThrow(
      expect.objectContaining({
        message: "host:1 sent invalid UTF-8.",
        category: "api_error",
        retry: { afterMs: null },
      }),
    );
  });

  it("emits the events before invalid bytes, which may stop it", () => {
    const seen: string[] = [];
    const reader = new SseReader({ onData: (data) => seen.push(data) });
    const chunk = Buffer.concat([Buffer.from("data: a\n\ndata: b\n\n"), Buffer.from([0xff])]);
    expect(() => reader.push(chunk)).toThrow(TrialError);
    expect(seen).toEqual(["a", "b"]);
    expect(new SseReader({ onData: () => false }).push(chunk)).toBe(false);
  });

  it("rejects a line or event that is too long", () => {
    const long = "x".repeat(600);
    expect(() => read([`data: ${long}`, long], { maxEventChars: 1000 })).toThrow(TrialError);
    expect(() => read([`data: ${long}\n`, `data: ${long}\n`], { maxEventChars: 1000 })).toThrow(/more than 1000 char/);
    expect(read([`data: ${long}\n\n`, `data: ${long}\n\n`], { maxEventChars: 1000 })).toEqual([long, long]);
  });

  it("rethrows what the listener throws", () => {
    const onData = () => {
      throw new Error("mine");
    };
    expect(() => read(["data: a\n\n"], { onData })).toThrow("mine");
  });
});
