import type { Price } from "../../core/price.js";
import { ownValue } from "../../core/shape.js";
import type { Manifest } from "../../store/manifest.js";

/** The price at the time of the run; null if unknown. */
export function knownPrice(systems: Manifest["systems"], name: string): Price | null {
  return ownValue(systems, name)?.limits?.price ?? null;
}
