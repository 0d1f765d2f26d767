import fc from "fast-check";

const DEFAULT_SEED = 20;

/**
 * Property tests draw the same cases on every machine, so that results are repeatable. ASSAY_TEST_SEED draws others:
 * `npm run test:fuzz` sets it, and prints it to repeat a failed run.
 */
fc.configureGlobal({ seed: readSeed(process.env.ASSAY_TEST_SEED) });

function readSeed(text: string | undefined): number {
  if (text === undefined || text === "") return DEFAULT_SEED;
  const seed = Number(text);
  if (!Number.isInteger(seed)) throw new Error(`ASSAY_TEST_SEED must be a whole number, not "${text}".`);
  return seed;
}
