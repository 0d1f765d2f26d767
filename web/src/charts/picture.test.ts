import { expect, test } from "vitest";
import { buildFileName, replaceForbiddenCharacters } from "./picture.js";

test("builds file names from the title", () => {
  expect(buildFileName("Cost–Speed Frontier")).toBe("cost-speed-frontier");
  expect(buildFileName("../../etc/passwd")).toBe("etc-passwd");
  expect(buildFileName("Größe: 4 096")).toBe("größe-4-096");
  expect(buildFileName("///")).toBe("chart");
});

test("replaces the characters that XML forbids, and no others", () => {
  expect(replaceForbiddenCharacters("<text>\u001b[31m\ud800 ok 🦊\n</text>")).toBe(
    "<text>\ufffd[31m\ufffd ok 🦊\n</text>",
  );
});
