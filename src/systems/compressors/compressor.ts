import type { Example } from "../../core/example.js";
import type { Output, System } from "../../core/system.js";

export interface CompressorOptions {
  name: string;
  /** What identifies the compressor's work in the cache: every parameter that changes its result. */
  parameters: Readonly<Record<string, unknown>>;
  compress: (context: string, example: Example) => string;
}

/**
 * A system that returns a shorter context and never a response. An example without a context has nothing to shorten:
 * its output is empty, so that nothing is made up and nothing is counted as produced.
 * @example
 * compressor({ name: "first-line", parameters: {}, compress: (context) => context.split("\n")[0] ?? "" });
 */
export function compressor({ name, parameters, compress }: CompressorOptions): System {
  return {
    name,
    process(example: Example): Output {
      const { context } = example;
      return context === undefined ? {} : { context: compress(context, example) };
    },
    // `version` is raised when a compressor changes its result, so that caches do not answer for the old one.
    fingerprint: () => ({ compressor: name.split(":", 1)[0], version: 1, ...parameters }),
  };
}
