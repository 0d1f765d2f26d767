import type { Example } from "../../core/example.js";
import type { Output, System } from "../../core/system.js";

export interface CompressorOptions {
  name: string;
  /** Identifies the compressor's work in the cache: every parameter that changes its result. */
  parameters: Readonly<Record<string, unknown>>;
  compress: (context: string, example: Example) => string;
}

/**
 * Creates a system that returns a shorter context and never a response. An example without a context gets an empty output,
 * so that nothing is counted as produced.
 * @example
 * createCompressor({ name: "first-line", parameters: {}, compress: (context) => context.split("\n")[0] ?? "" });
 */
export function createCompressor({ name, parameters, compress }: CompressorOptions): System {
  return {
    name,
    process(example: Example): Output {
      const { context } = example;
      return context === undefined ? {} : { context: compress(context, example) };
    },
    // Increase `version` when a compressor changes its result, so that the cache is not reused.
    fingerprint: () => ({ compressor: name.split(":", 1)[0], version: 1, ...parameters }),
  };
}
