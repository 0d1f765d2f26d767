import type { Limits } from "../core/price.js";
import type { System } from "../core/system.js";

/** True of a system that is played back, or whose prices are all 0. */
export function isFree({ isRecorded }: System, limits: Limits | null): boolean {
  if (isRecorded === true) return true;
  const price = limits?.price;
  return price != null && Object.values(price).every((each) => typeof each !== "number" || each === 0);
}
