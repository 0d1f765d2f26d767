import { crc32 } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { encodeEvent, encodeException, encodeMessage } from "../../testing/mock/protocols/event-stream.js";
import { EventStreamReader } from "./event-stream.js";

function readAll(chunks: readonly Buffer[]): unknown[] {
  const events: unknown[] = [];
  const reader = new EventStreamReader({ onEvent: (event) => events.push(event), source: "127.0.0.1:1" });
  for (const chunk of chunks) reader.push(chunk);
  return events;
}

const STREAM = [
  encodeEvent("messageStart", { role: "assistant" }),
  encodeEvent("contentBlockDelta", { contentBlockIndex: 0, delta: { text: "Grüße – 你好 🙂" } }),
  encodeEvent("messageStop", { stopReason: "end_turn" }),
];
const EVENTS = [
  { messageStart: { role: "assistant" } },
  { contentBlockDelta: { contentBlockIndex: 0, delta: { text: "Grüße – 你好 🙂" } } },
  { messageStop: { stopReason: "end_turn" } },
];

describe("EventStreamReader", () => {
  it("reads the published example of a message, whose payload is not JSON", () => {
    const message = Buffer.from(
      "0000003d0000002007fd83960c636f6e74656e742d747970650700106170706c69636174696f6e2f6a736f6e7b27666f6f273a27626172277d8d9c08b1",
      "hex",
    );
    // Both checksums match: only the payload is refused.
    expect(() => readAll([message])).toThrow(/127\.0\.0\.1:1 sent a corrupted event: its payload is not JSON/);
    // And the encoder of the mock writes the same bytes.
    expect(encodeMessage({ "content-type": "application/json" }, "{'foo':'bar'}").equals(message)).toBe(true);
  });

  it("reads events however the bytes are split", () => {
    const bytes = Buffer.concat(STREAM);
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: bytes.length }), { maxLength: 12 }), (cuts) => {
        const at = [0, ...cuts.sort((a, b) => a - b), bytes.length];
        expect(readAll(at.slice(1).map((end, index) => bytes.subarray(at[index], end)))).toEqual(EVENTS);
      }),
    );
    expect(readAll([...bytes].map((byte) => Buffer.from([byte])))).toEqual(EVENTS);
  });

  it("refuses a message in which any one bit is wrong, and passes on nothing of it", () => {
    const [message = Buffer.alloc(0)] = STREAM;
    fc.assert(
      fc.property(fc.integer({ min: 0, max: message.length * 8 - 1 }), (bit) => {
        const spoiled = Buffer.from(message);
        spoiled[bit >> 3] = (spoiled[bit >> 3] ?? 0) ^ (1 << (bit & 7));
        expect(() => readAll([spoiled])).toThrow("sent a corrupted event: its checksum does not match");
      }),
    );
  });

  it("can be asked again after a corrupted message", () => {
    const spoiled = Buffer.from(STREAM[0] ?? "");
    spoiled[20] = 0;
    expect(() => readAll([spoiled])).toThrow(expect.objectContaining({ retry: { afterMs: null } }));
  });

  it("reads nothing of an incomplete message", () => {
    const bytes = Buffer.concat(STREAM);
    expect(readAll([bytes.subarray(0, -1)])).toEqual(EVENTS.slice(0, 2));
  });

  it("reads exceptions like events, and errors without a payload", () => {
    const error = { ":message-type": "error", ":error-code": "InternalFailure", ":error-message": "It broke." };
    expect(readAll([encodeException("throttlingException", "Slow down."), encodeMessage(error, "")])).toEqual([
      { throttlingException: { message: "Slow down." } },
      { error: { type: "InternalFailure", message: "It broke." } },
    ]);
  });

  it("skips headers of other types", () => {
    const event = encodeEvent("messageStop", { stopReason: "end_turn" });
    const flag = Buffer.from([4, ...Buffer.from("flag"), 0]);
    const time = Buffer.from([4, ...Buffer.from("time"), 8, 0, 0, 1, 0, 0, 0, 0, 0]);
    const bytes = Buffer.from([1, ...Buffer.from("b"), 6, 0, 2, 1, 2]);
    expect(readAll([insertHeaders(event, Buffer.concat([flag, time, bytes]))])).toEqual([
      { messageStop: { stopReason: "end_turn" } },
    ]);
  });

  it("refuses headers that end too early", () => {
    const broken = insertHeaders(encodeEvent("messageStop", {}), Buffer.from([200, 1, 2]));
    expect(() => readAll([broken])).toThrow("its headers are incomplete");
  });

  it("stops when its reader has seen enough", () => {
    const seen: unknown[] = [];
    const reader = new EventStreamReader({ onEvent: (event) => seen.push(event) < 2, source: "x" });
    expect(reader.push(Buffer.concat(STREAM))).toBe(false);
    expect(seen).toEqual(EVENTS.slice(0, 2));
  });

  it("reads a long message in many pieces in linear time", () => {
    const text = "x".repeat(8_000_000);
    const bytes = encodeEvent("contentBlockDelta", { delta: { text } });
    const chunks = Array.from({ length: Math.ceil(bytes.length / 4096) }, (_, at) =>
      bytes.subarray(at * 4096, (at + 1) * 4096),
    );
    expect(readAll(chunks)).toEqual([{ contentBlockDelta: { delta: { text } } }]);
  });
});

/** The same message with further headers in front. */
function insertHeaders(message: Buffer, more: Buffer): Buffer {
  const length = message.readUInt32BE(4);
  const payload = message.subarray(12 + length, -4);
  const body = Buffer.concat([more, message.subarray(12, 12 + length), payload]);
  const prelude = Buffer.alloc(12);
  prelude.writeUInt32BE(body.length + 16, 0);
  prelude.writeUInt32BE(length + more.length, 4);
  prelude.writeUInt32BE(crc32(prelude.subarray(0, 8)), 8);
  const start = Buffer.concat([prelude, body]);
  const end = Buffer.alloc(4);
  end.writeUInt32BE(crc32(start), 0);
  return Buffer.concat([start, end]);
}
