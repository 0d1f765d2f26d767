// The least that any harness must do: a pool of promises, two scorers, one line of JSON an example. No harness.

import { once } from "node:events";
import { createWriteStream, readFileSync } from "node:fs";
import { exact, overlap } from "./work.mjs";

const [input, output, workers] = process.argv.slice(2);
const examples = [];
for (const line of readFileSync(input, "utf8").split("\n")) if (line !== "") examples.push(JSON.parse(line));
const stream = createWriteStream(output);
let next = 0;
let passes = 0;

async function echo(question) {
  return question;
}

async function worker() {
  while (next < examples.length) {
    const { id, question, answer } = examples[next++];
    const started = performance.now();
    const response = await echo(question);
    const scores = { exact: exact(response, answer), overlap: overlap(response, answer) };
    passes += scores.exact;
    const line = JSON.stringify({ id, question, answer, response, scores, ms: performance.now() - started });
    if (!stream.write(`${line}\n`)) await once(stream, "drain");
  }
}

await Promise.all(Array.from({ length: Number(workers) }, worker));
stream.end();
await once(stream, "finish");
console.log(JSON.stringify({ examples: examples.length, passes }));
