import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const TYPES = new URL("types/", import.meta.url).pathname;

it.each([
  ["the strictest settings", []],
  ["optional keys that may be undefined", ["--exactOptionalPropertyTypes", "false"]],
])("the published types pass rows, systems and summary keys through, under %s", async (_, flags) => {
  // Lines that must not compile are marked with @ts-expect-error, which is an error itself where they do.
  const tsc = new URL("../node_modules/typescript/bin/tsc", import.meta.url).pathname;
  const run = promisify(execFile)(process.execPath, [tsc, "-p", TYPES, ...flags]);
  const { stdout } = await run.catch((failed: { stdout: string }) => failed);
  expect(stdout).toBe("");
});
