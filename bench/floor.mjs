// The least that any harness must do: a pool of promises, two scorers, one line of JSON an example. No harness.
import { createWriteStream, readFileSync } from "node:fs";
import { exact, overlap } from "./work.mjs";

const [input, output, workers] = process.argv.slice(2);
const examples = readFileSync(input, "utf8")
  .split("\n")
  .filter(Boolean)
  .map((line) => JSON.parse(line));
const stream = createWriteStream(output);
let next = 0;
let passes = 0;

async function worker() {
  while (next < examples.length) {
    const example = examples[next++];
    const started = performance.now();
    const response = await Promise.resolve(example.question);
    const scores = { exact: exact(response, example.answer), overlap: overlap(response, example.answer) };
    passes += scores.exact;
    const line = JSON.stringify({ ...example, response, scores, ms: performance.now() - started });
    if (!stream.write(`${line}\n`)) await new Promise((resolve) => stream.once("drain", resolve));
  }
}

await Promise.all(Array.from({ length: Number(workers) }, worker));
await new Promise((resolve) => stream.end(resolve));
console.log(JSON.stringify({ examples: examples.length, passes }));
