import { expect, test } from "vitest";
import type { EvalRow } from "../../core/row.js";
import { makeRow } from "../../core/row.js";
import { buildTopErrors, findErrorCode, listErrorTags, normalizeMessage } from "./errors.js";

function failed(message: string, system = "s", errorCategory: EvalRow["errorCategory"] = "api_error"): EvalRow {
  const attempts = [{ errorCategory, message, durationMs: 1 }];
  return makeRow({ system, exampleId: 1, outcome: "error", errorCategory, attempts });
}

test("keeps the codes of compilers and providers", () => {
  const compiled = { system: "s", exampleId: 1, outcome: "fail", errorCategory: "logic_error" } as const;
  expect(findErrorCode(makeRow({ ...compiled, metadata: { err_code: "PAR_001" } }))).toBe("PAR_001");
  expect(findErrorCode(failed("HTTP 429: too many requests, retry after 30 s"))).toBe("HTTP 429");
  expect(findErrorCode(failed('HTTP 400: {"error":{"code":"context_length_exceeded"}}'))).toBe(
    "HTTP 400 context_length_exceeded",
  );
});

test("has equal texts for equal errors", () => {
  expect(normalizeMessage('no file "a.txt" of swift-8b (request 8f3a) within 60.5 s', "swift-8b")).toBe(
    "no file … of … (request #) within # s",
  );
  expect(findErrorCode(failed("no answer within 60 s"))).toBe(findErrorCode(failed("no answer within 30 s")));
});

test("falls back to the category, so that killed trials are among the errors", () => {
  const killed = makeRow({ system: "s", exampleId: 1, outcome: "fail", errorCategory: "cost_killed" });
  expect(findErrorCode(killed)).toBe("cost_killed");
  expect(listErrorTags(killed)).toEqual([]);
  expect(listErrorTags(failed("HTTP 500"))).toEqual(["error=HTTP 500"]);
  expect(findErrorCode(makeRow({ system: "s", exampleId: 1, outcome: "pass" }))).toBeNull();
});

test("counts errors by system, the most frequent first, and says how many are left out", () => {
  const rows = [failed("HTTP 500", "a"), failed("HTTP 429", "a"), failed("HTTP 429", "b"), failed("HTTP 429", "b")];
  expect(buildTopErrors(rows)).toEqual({
    trials: 4,
    leftOut: 0,
    top: [
      {
        code: "HTTP 429",
        category: "api_error",
        message: "HTTP 429",
        count: 3,
        systems: [
          { system: "b", count: 2 },
          { system: "a", count: 1 },
        ],
      },
      { code: "HTTP 500", category: "api_error", message: "HTTP 500", count: 1, systems: [{ system: "a", count: 1 }] },
    ],
  });
  const many = Array.from({ length: 60 }, (_, place) => failed(`cause ${"x".repeat(place + 1)}`));
  expect(buildTopErrors(many)).toMatchObject({ leftOut: 10 });
});
