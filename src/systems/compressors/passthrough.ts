import type { System } from "../../core/index.js";
import { createCompressor } from "./compressor.js";

/**
 * Returns the context unchanged: the baseline for other compressors.
 * @example
 * passthrough().process({ id: 1, context: "All of it." }, trial); // { context: "All of it." }
 */
export function passthrough(): System {
  return createCompressor({ name: "passthrough", parameters: {}, compress: (context) => context });
}
