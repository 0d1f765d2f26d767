import { expect, it } from "vitest";
import { maskKeys } from "./agent-output.js";

it("masks keys in every text at any depth, and changes nothing else", () => {
  const value = {
    events: [{ text: "key sk-12345678, key sk-12345678.", at: 3, ok: true, none: null }],
    plain: "nothing",
  };
  expect(maskKeys(value, ["sk-12345678", "other-key-9"])).toEqual({
    events: [{ text: "key [key], key [key].", at: 3, ok: true, none: null }],
    plain: "nothing",
  });
});

it("does not treat short keys as secrets", () => {
  expect(maskKeys({ text: "a dummy" }, ["dummy", ""])).toEqual({ text: "a dummy" });
});
