import { findBoxSupport } from "../exec/index.js";

/**
 * True if this machine cannot make boxes, so that their suites are skipped. With ASSAY_REQUIRE_SYSTEM=1 that is a failure
 * instead.
 * @example
 * describe.skipIf(await lacksBoxes())("…", () => { … });
 */
export async function lacksBoxes(): Promise<boolean> {
  const { kind, detail, advice } = await findBoxSupport();
  if (kind !== null) return false;
  if (process.env.ASSAY_REQUIRE_SYSTEM === "1") throw new Error(`No box can be made: ${detail}. ${advice.join(" ")}`);
  console.warn(`skipped: no box can be made (${detail}); ${advice.join(" ")}`);
  return true;
}
