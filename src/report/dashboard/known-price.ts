import type { Price } from "../../core/price.js";
import { ownValue } from "../../core/shape.js";
import type { Manifest } from "../../store/manifest.js";

/** The price of a system that held when the run was made; null when nobody knew it. */
export function knownPrice(systems: Manifest["systems"], name: string): Price | null {
  return ownValue(systems, name)?.limits?.price ?? null;
}
