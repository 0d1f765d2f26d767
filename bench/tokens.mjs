// First count of input that makes common tokenizers take seconds.
import { loadTokenizer } from "assay";

const LENGTH = 100_000;
const INPUTS = { "one letter": "a", spaces: " ", newlines: "\n", "a Chinese character": "学" };

export async function measure() {
  const tokenizer = loadTokenizer("cl100k_base");
  tokenizer.count("warm");
  return Object.entries(INPUTS).map(([what, text]) => {
    const input = text.repeat(LENGTH);
    const started = performance.now();
    const tokens = tokenizer.count(input);
    const ms = performance.now() - started;
    return [`tokens of ${LENGTH} × ${what}`, "milliseconds", `${ms.toFixed(1)} ms (${tokens} tokens)`];
  });
}
