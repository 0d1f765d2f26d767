// A trivial dataset: the answer is the question, but for every tenth example.
import { closeSync, openSync, writeSync } from "node:fs";

const WORDS =
  "amber birch cedar delta ember fjord grove haven inlet jetty knoll ledge marsh north orchard prairie quarry ridge".split(
    " ",
  );

export function example(i) {
  const words = [`question-${i}`];
  for (let k = 0; k < 11; k++) words.push(WORDS[(i * 5 + k * 7 + (i >> 4)) % WORDS.length]);
  const question = words.join(" ");
  if (i % 10 === 9) words[4] = "elsewhere";
  return { id: `e${i}`, question, answer: words.join(" ") };
}

export function writeExamples(path, count) {
  const file = openSync(path, "w");
  let pending = "";
  for (let i = 0; i < count; i++) {
    pending += `${JSON.stringify(example(i))}\n`;
    if (pending.length > 1 << 20 || i === count - 1) {
      writeSync(file, pending);
      pending = "";
    }
  }
  closeSync(file);
}
