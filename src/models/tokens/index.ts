export type { Tokenizer } from "../../core/tokenizer.js";
export { type MemoOptions, memoTokenizer } from "./memo.js";
export { TokenTableError } from "./table.js";
export { loadTokenizer, type TokenizerName } from "./tokenizer.js";
