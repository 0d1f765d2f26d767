import type { Price } from "../../core/price.js";
import { getOwn } from "../../core/shape.js";
import type { Manifest } from "../../store/manifest.js";

/** The price at the time of the run; null if unknown. */
export function findRunPrice(systems: Manifest["systems"], name: string): Price | null {
  return getOwn(systems, name)?.limits?.price ?? null;
}
