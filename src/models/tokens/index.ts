export type { Tokenizer } from "../../core/index.js";
export { TokenTableError } from "./table.js";
export { loadTokenizer, type MemoOptions, memoTokenizer, type TokenizerName } from "./tokenizer.js";
