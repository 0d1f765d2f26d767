import { closeSync, openSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { Workspace } from "../../test/workspace.js";
import { LineBuffer } from "./line-buffer.js";

describe("lines on their way to a file", () => {
  function written(use: (lines: LineBuffer, fd: number) => void): string {
    const space = new Workspace();
    const fd = openSync(space.path("lines"), "w");
    use(new LineBuffer(), fd);
    closeSync(fd);
    return readFileSync(space.path("lines"), "utf8");
  }

  it("are written in their order, each once, and the next ones after them", () => {
    const text = written((lines, fd) => {
      expect(lines.isEmpty).toBe(true);
      lines.add("one");
      lines.add("");
      expect(lines.isEmpty).toBe(false);
      lines.writeTo(fd);
      expect(lines.isEmpty).toBe(true);
      lines.writeTo(fd);
      lines.add("two");
      lines.writeTo(fd);
    });
    expect(text).toBe("one\n\ntwo\n");
  });

  it("may be of any length and in any script", () => {
    const all = ["x".repeat(200_000), "Grüße, 世界 🙂", "é".repeat(70_000), "界".repeat(3_000_000), "end"];
    const text = written((lines, fd) => {
      for (const line of all) lines.add(line);
      lines.writeTo(fd);
      lines.add("after");
      lines.writeTo(fd);
    });
    expect(text === `${[...all, "after"].join("\n")}\n`).toBe(true);
  });

  it("are gone when they could not be written", () => {
    const lines = new LineBuffer();
    lines.add("lost");
    expect(() => lines.writeTo(openSync("/dev/full", "w"))).toThrow(/ENOSPC/);
    expect(lines.isEmpty).toBe(true);
  });

  it("can be forgotten", () => {
    const text = written((lines, fd) => {
      lines.add("one");
      lines.clear();
      lines.add("two");
      lines.writeTo(fd);
    });
    expect(text).toBe("two\n");
  });
});
