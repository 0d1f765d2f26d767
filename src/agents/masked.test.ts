import { expect, it } from "vitest";
import { withoutKeys } from "./agent-output.js";

it("takes keys out of every text, however deep, and leaves all else as it is", () => {
  const value = {
    events: [{ text: "key sk-12345678, key sk-12345678.", at: 3, ok: true, none: null }],
    plain: "nothing",
  };
  expect(withoutKeys(value, ["sk-12345678", "other-key-9"])).toEqual({
    events: [{ text: "key [key], key [key].", at: 3, ok: true, none: null }],
    plain: "nothing",
  });
});

it("does not take short keys for secrets", () => {
  expect(withoutKeys({ text: "a dummy" }, ["dummy", ""])).toEqual({ text: "a dummy" });
});
