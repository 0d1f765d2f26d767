import { expect, it } from "vitest";
import { UsageError } from "../core/errors.js";
import { checkOutput } from "./streams.js";

it("rejects HTML on a terminal, and says what to do", () => {
  expect(() => checkOutput("html", true)).toThrow(UsageError);
  expect(() => checkOutput("html", true)).toThrow("--output html > report.html");
  expect(() => checkOutput("html", false)).not.toThrow();
  for (const other of ["table", "json", undefined]) expect(() => checkOutput(other, true)).not.toThrow();
});
