import { expect, test } from "vitest";
import type { RunCard } from "../../../../src/report/dashboard/contract.js";
import { formatHeadline } from "./headline.js";

test("cuts a list of all systems from the title, and nothing else", () => {
  const format = (title: string, ...names: string[]) =>
    formatHeadline({ title, systems: names.map((system) => ({ system })) as unknown as RunCard["systems"] });
  expect(format("villages: a, b", "a", "b")).toBe("villages");
  expect(format("villages: a, b and c", "a", "b")).toBe("villages: a, b and c");
  expect(format("Nightly", "a", "b")).toBe("Nightly");
  expect(format("villages: a", "a")).toBe("villages: a");
  expect(format(": a, b", "a", "b")).toBe(": a, b");
});
