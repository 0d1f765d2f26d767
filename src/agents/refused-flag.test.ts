import { expect, it } from "vitest";
import { findRefusedFlag } from "./refused-flag.js";

const USAGE = Array.from(
  { length: 200 },
  (_, i) => `  --flag-${i}   does something, and says "option" in its text`,
).join("\n");

it.each([
  ["error: unknown option '--include-partial-messages'"],
  ["error: unexpected argument '--ephemeral' found"],
  ["Unknown arguments: skip-trust, skipTrust"],
  ["Unknown argument: auto"],
  ["aider: error: unrecognized arguments: --no-pretty"],
  ["Error: unknown flag: --quiet"],
  ["Error: No such option: --yolo"],
])("finds the line %j before and after a usage text", (line) => {
  expect(findRefusedFlag(`${line}\n\n${USAGE}`)).toBe(line);
  expect(findRefusedFlag(`${USAGE}\n\n  ${line}\n`)).toBe(line);
});

it("finds none in other texts", () => {
  expect(findRefusedFlag("")).toBeNull();
  expect(findRefusedFlag(USAGE)).toBeNull();
  expect(findRefusedFlag(`Segmentation fault\n${"unknown option ".repeat(100)}`)).toBeNull();
});
