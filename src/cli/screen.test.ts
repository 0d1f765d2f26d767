import { describe, expect, it } from "vitest";
import { canRedraw, detectScreen } from "./screen.js";

const TTY = { isTTY: true, columns: 100 };

describe("detectScreen", () => {
  it("is the width of a terminal, 80 if it does not say, and COLUMNS elsewhere", () => {
    expect(detectScreen(TTY, { COLUMNS: "60" }).width).toBe(100);
    expect(detectScreen({ isTTY: true, columns: 0 }, {}).width).toBe(80);
    expect(detectScreen({}, { COLUMNS: "60" })).toEqual({ width: 60, hasColors: false });
  });

  it.each([undefined, "", "0", "-5", "wide", "1.5"])("is Markdown in a pipe where COLUMNS is %j", (COLUMNS) => {
    expect(detectScreen({}, { COLUMNS, FORCE_COLOR: "1" })).toEqual({});
  });

  it.each([
    [TTY, {}, true],
    [TTY, { NO_COLOR: "1" }, false],
    [TTY, { NO_COLOR: "" }, true],
    [TTY, { TERM: "dumb" }, false],
    [TTY, { TERM: "dumb", FORCE_COLOR: "1" }, true],
    [TTY, { NO_COLOR: "1", FORCE_COLOR: "1" }, true],
    [TTY, { FORCE_COLOR: "0" }, false],
    [{}, { COLUMNS: "80", FORCE_COLOR: "1" }, true],
    [{}, { COLUMNS: "80" }, false],
  ])("of %j with %j has colors: %j", (stream, env, hasColors) => {
    expect(detectScreen(stream, env).hasColors).toBe(hasColors);
  });
});

describe("canRedraw", () => {
  it("needs a terminal that knows escape codes", () => {
    expect([canRedraw(TTY, {}), canRedraw(TTY, { TERM: "dumb" }), canRedraw({}, {})]).toEqual([true, false, false]);
  });
});
