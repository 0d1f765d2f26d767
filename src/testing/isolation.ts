import { describeIsolation } from "../exec/sandbox/isolation.js";

/**
 * True when this machine cannot close off a program, so that a suite of the sandbox is skipped. With
 * ASSAY_REQUIRE_SYSTEM=1 that is a failure instead.
 * @example
 * describe.skipIf(await lacksIsolation())("…", () => { … });
 */
export async function lacksIsolation(): Promise<boolean> {
  const { kind, detail, advice } = await describeIsolation();
  if (kind !== null) return false;
  if (process.env.ASSAY_REQUIRE_SYSTEM === "1")
    throw new Error(`There is no isolation: ${detail}. ${advice.join(" ")}`);
  console.warn(`skipped: there is no isolation to run programs in (${detail}); ${advice.join(" ")}`);
  return true;
}
