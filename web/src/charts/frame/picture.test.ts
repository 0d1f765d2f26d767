import { expect, test } from "vitest";
import { fileNameOf } from "./picture.js";
import { xmlText } from "./xml-text.js";

test("file names come from the title", () => {
  expect(fileNameOf("Cost–Speed Frontier")).toBe("cost-speed-frontier");
  expect(fileNameOf("../../etc/passwd")).toBe("etc-passwd");
  expect(fileNameOf("Größe: 4 096")).toBe("größe-4-096");
  expect(fileNameOf("///")).toBe("chart");
});

test("what XML forbids is replaced, and nothing else", () => {
  expect(xmlText("<text>\u001b[31m\ud800 ok 🦊\n</text>")).toBe("<text>\ufffd[31m\ufffd ok 🦊\n</text>");
});
