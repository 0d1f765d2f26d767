import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { EventSplitter, extractEventData } from "./relay.js";

/** Pushes the bytes split at the given positions. */
function splitAt(bytes: Buffer, cuts: readonly number[], maxBytes?: number) {
  const splitter = new EventSplitter(maxBytes);
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  const stretches = places.slice(1).flatMap((end, i) => splitter.push(bytes.subarray(places[i], end)));
  const last = splitter.end();
  return last === null ? stretches : [...stretches, last];
}

const lineEnd = fc.constantFrom("\n", "\r\n");
const event = fc
  .record({ data: fc.string({ maxLength: 20, unit: "grapheme" }), name: fc.boolean(), end: lineEnd })
  .map(({ data, name, end }) => {
    const text = data.replace(/[\r\n]/g, "·");
    return { text, bytes: `${name ? `event: message${end}` : ""}data: ${text}${end}${end}` };
  });

describe("EventSplitter", () => {
  it("finds the same events however the bytes are split, without changing them", () => {
    fc.assert(
      fc.property(fc.array(event), fc.array(fc.nat()), (events, cuts) => {
        const bytes = Buffer.from(events.map((one) => one.bytes).join(""));
        const stretches = splitAt(bytes, cuts);
        expect(stretches.map((stretch) => extractEventData(stretch.bytes))).toEqual(events.map(({ text }) => text));
        expect(Buffer.concat(stretches.map((stretch) => stretch.bytes))).toEqual(bytes);
      }),
    );
  });

  it("keeps every byte of any input, even of events too large to hold", () => {
    const piece = fc.oneof(fc.constantFrom("\n", "\r", "\r\n", "data:", "\n\n"), fc.string({ maxLength: 12 }));
    fc.assert(
      fc.property(fc.array(piece), fc.array(fc.nat()), fc.integer({ min: 1, max: 30 }), (pieces, cuts, max) => {
        const bytes = Buffer.from(pieces.join(""));
        expect(Buffer.concat(splitAt(bytes, cuts, max).map((stretch) => stretch.bytes))).toEqual(bytes);
      }),
    );
  });

  it("continues with the next event after one that was too large", () => {
    const splitter = new EventSplitter(10);
    const chunks = ["data: a long", " event\n", "\ndata: 2\n\n"].map((text) => splitter.push(Buffer.from(text)));
    expect(chunks.flat().map(({ bytes, isWhole }) => [bytes.toString(), isWhole])).toEqual([
      ["data: a long", false],
      [" event\n", false],
      ["\n", false],
      ["data: 2\n\n", true],
    ]);
    expect(splitter.isBetween).toBe(true);
  });

  it("knows whether it is between two events", () => {
    const splitter = new EventSplitter();
    const states = ["data: 1\n", "\n", "d", "ata: 2\n\n"].map((text) => {
      splitter.push(Buffer.from(text));
      return splitter.isBetween;
    });
    expect(states).toEqual([false, true, false, true]);
  });
});

describe("extractEventData", () => {
  it.each([
    ["data: one\ndata: two\n\n", "one\ntwo"],
    ["data:close\r\n\r\n", "close"],
    [": a comment\n\n", null],
    ["event: ping\n\n", null],
    ["id: 7\ndata:  kept space\n\n", " kept space"],
    ["data:\n\n", ""],
  ])("reads %j", (text, data) => {
    expect(extractEventData(Buffer.from(text))).toBe(data);
  });
});
