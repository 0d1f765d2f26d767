import { describe, expect, it } from "vitest";
import { TextReplacer } from "./replace-texts.js";

const replacer = new TextReplacer([["/tmp/assay-1a2b", "{assay:folder}"]]);

const event = (data: unknown) => `data: ${JSON.stringify(data)}\n\n`;
const delta = (index: number, text: string) => event({ type: "delta", index, delta: { partial_json: text } });

describe("texts in a stream", () => {
  it("are replaced where they are divided among events, and other events stay as they are", () => {
    const other = 'event: ping\ndata: {"type": "ping"}\n\n';
    const events = [
      delta(0, '{"path": "/tmp/as'),
      delta(1, "/tmp/as"),
      other,
      delta(0, "say-1a"),
      delta(0, '2b/x.txt"}'),
    ];
    expect(replacer.replaceInEvents(events)).toEqual([
      delta(0, '{"path": "{assay:folder}'),
      delta(1, "/tmp/as"),
      other,
      delta(0, ""),
      delta(0, '/x.txt"}'),
    ]);
  });

  it("are replaced each time they occur", () => {
    const events = [delta(0, "/tmp/assay-1a2b and /tmp/assay"), delta(0, "-1a2b and /tmp/assay-1a2"), delta(0, "b.")];
    const text = replacer
      .replaceInEvents(events)
      .map((one) => JSON.parse(one.slice(6)).delta.partial_json)
      .join("");
    expect(text).toBe("{assay:folder} and {assay:folder} and {assay:folder}.");
  });
});
