import fc from "fast-check";
import { expect, test } from "vitest";
import { parseRoute } from "../ui/index.js";
import { buildOutcomeAddress, buildTrialAddress, parseOutcome, parseRowList, parseTrialKey } from "./trial-address.js";

const anyKey = fc.record({
  system: fc.string({ unit: "grapheme" }),
  dataset: fc.string({ unit: "grapheme" }),
  exampleId: fc.oneof(fc.integer(), fc.string({ unit: "grapheme" })),
  trial: fc.nat(),
});

test("a trial survives the address, numeric ids as numbers", () => {
  fc.assert(
    fc.property(anyKey, (key) => {
      const { path, query } = parseRoute(buildTrialAddress("a/b", key));
      expect(path).toEqual(["run", "a/b", "trial"]);
      expect(parseTrialKey(query)).toEqual(key);
      expect(parseRowList(query)).toBeNull();
    }),
  );
});

test("the list of rows survives the address, also without filters", () => {
  const key = { system: "s", dataset: "d", exampleId: 1, trial: 0 };
  const listed = (from: Record<string, string>) => parseRowList(parseRoute(buildTrialAddress("r", key, from)).query);
  expect(listed({ outcome: "fail", sort: "-score" })).toMatchObject({ outcome: "fail", sort: "-score" });
  expect(listed({})).not.toBeNull();
});

test("an address without an example names no trial", () => {
  expect(parseTrialKey({ system: "s" })).toBeNull();
  expect(parseTrialKey({ example: "1", trial: "first" })).toBeNull();
  expect(parseTrialKey({ example: "typed by hand" })?.exampleId).toBe("typed by hand");
});

test("a trial can be addressed by its outcome, unless its number is given", () => {
  const key = { system: "s", dataset: "d", exampleId: 7, trial: 3 };
  const { query } = parseRoute(buildOutcomeAddress("r", key, "fail"));
  expect([parseTrialKey(query), parseOutcome(query)]).toEqual([{ ...key, trial: 0 }, "fail"]);
  expect(parseOutcome(parseRoute(buildTrialAddress("r", key)).query)).toBeNull();
  expect(parseOutcome({ ended: "nonsense" })).toBeNull();
});
