import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import * as stats from "../stats/index.js";
import * as scoring from "./scoring.js";

const CASES = resolve(import.meta.dirname, "../../../shared/cases/scoring.json");

interface Case {
  fn: string;
  args: never[];
  expected: unknown;
}

type Callable = (...args: never[]) => unknown;

function functionNamed(name: string): Callable {
  const found = Object.entries({ ...stats, ...scoring }).find(([key]) => key === name)?.[1];
  if (typeof found !== "function") throw new Error(`no function ${name}`);
  return found as Callable;
}

/** Numbers to 1e-9, objects by the expected keys. */
function expectMatch(actual: unknown, expected: unknown, path: string): void {
  if (typeof expected === "number") {
    expect(typeof actual, path).toBe("number");
    expect(Math.abs(Number(actual) - expected), path).toBeLessThanOrEqual(1e-9);
  } else if (typeof expected === "object" && expected !== null) {
    for (const [key, value] of Object.entries(expected)) {
      expectMatch((actual as Record<string, unknown>)[key], value, `${path}.${key}`);
    }
  } else expect(actual, path).toEqual(expected);
}

if (!existsSync(CASES)) console.info(`conformance cases skipped: ${CASES} is not there`);

describe.skipIf(!existsSync(CASES))("conformance cases", () => {
  const cases = existsSync(CASES) ? (JSON.parse(readFileSync(CASES, "utf8")) as Case[]) : [];

  it("has cases", () => {
    expect(cases.length).toBeGreaterThan(50);
  });

  it.each(cases.map((entry) => [`${entry.fn} ${JSON.stringify(entry.args).slice(0, 60)}`, entry] as const))(
    "%s",
    (label, { fn, args, expected }) => {
      const call = () => functionNamed(fn)(...args);
      if (expected === null) expect(call).toThrow(RangeError);
      else expectMatch(call(), expected, label);
    },
  );
});
