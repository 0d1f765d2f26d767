import { expect, test } from "vitest";
import { matchSystems } from "./outputs-tab.js";

test("the name of a system finds its outputs", () => {
  const systems = ["Swift-8b", "atlas-large", "atlas-mini"];
  expect(matchSystems(systems, "swift-8b")).toEqual(["Swift-8b"]);
  expect(matchSystems(systems, "atlas")).toEqual(["atlas-large", "atlas-mini"]);
  expect(matchSystems(systems, "paris")).toEqual([]);
  expect(matchSystems(systems, "")).toEqual([]);
});
