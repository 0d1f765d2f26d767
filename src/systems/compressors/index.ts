export type { ShareOptions } from "./compressor.js";
export { type DedupeOptions, dedupe } from "./dedupe.js";
export { extract } from "./extract.js";
export { compressorFactories } from "./factories.js";
export { passthrough } from "./passthrough.js";
export { stopwords } from "./stopwords.js";
export { TRUNCATE_MODES, type TruncateMode, type TruncateOptions, truncate } from "./truncate.js";
export { type WindowOptions, window } from "./window.js";
