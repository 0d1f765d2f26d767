import { describeIsolation } from "../exec/index.js";

/**
 * True if this machine cannot isolate programs, so that sandbox suites are skipped. With ASSAY_REQUIRE_SYSTEM=1 that is a
 * failure instead.
 * @example
 * describe.skipIf(await lacksIsolation())("…", () => { … });
 */
export async function lacksIsolation(): Promise<boolean> {
  const { kind, detail, advice } = await describeIsolation();
  if (kind !== null) return false;
  if (process.env.ASSAY_REQUIRE_SYSTEM === "1")
    throw new Error(`Isolation is not available: ${detail}. ${advice.join(" ")}`);
  console.warn(`skipped: isolation for programs is not available (${detail}); ${advice.join(" ")}`);
  return true;
}
