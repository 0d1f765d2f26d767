import { expect, test } from "vitest";
import { parseRoute } from "../ui/index.js";
import { listNavigationItems, resolveRoute } from "./navigation.js";

const ONLY = { id: "r/1", systems: 2 };

test("a file with one run opens it, and offers no lists of runs", () => {
  expect(listNavigationItems(ONLY).map(({ title }) => title)).toEqual(["Run", "Compare"]);
  expect(listNavigationItems({ ...ONLY, systems: 1 }).map(({ title }) => title)).toEqual(["Run"]);
  for (const hash of ["", "#/", "#/runs?q=x", "#/trends"])
    expect(resolveRoute(parseRoute(hash), ONLY)).toEqual({ path: ["run", "r/1"], query: {} });
  for (const hash of ["#/compare", "#/run/r%2F1/rows?outcome=fail", "#/nowhere"])
    expect(resolveRoute(parseRoute(hash), ONLY)).toEqual(parseRoute(hash));
});

test("a server offers all pages", () => {
  expect(listNavigationItems(null).map(({ title }) => title)).toEqual(["Overview", "Runs", "Trends", "Compare"]);
  expect(resolveRoute(parseRoute("#/"), null)).toEqual({ path: [], query: {} });
});
