// What peers that are programs import: the examples, the system that is measured and the two scorers, for all the same.
import { readFileSync } from "node:fs";

export { exact, overlap } from "../work.mjs";

const { BENCH_DATA, BENCH_URL = "", BENCH_WORKERS } = process.env;

export const workers = Number(BENCH_WORKERS);

export function examples() {
  const lines = readFileSync(BENCH_DATA, "utf8").split("\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line));
}

/** The question itself, or what the endpoint makes of it. */
export async function answer(question) {
  if (BENCH_URL === "") return question;
  const response = await fetch(`${BENCH_URL}/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model: "m", messages: [{ role: "user", content: question }] }),
  });
  if (!response.ok) throw new Error(`The endpoint answered ${response.status}.`);
  const { choices } = await response.json();
  return choices[0].message.content;
}

/** Libraries keep no results themselves: their programs print how many there were. */
export function printOutcome(exactScores) {
  console.log(JSON.stringify({ rows: exactScores.length, passes: exactScores.filter((score) => score === 1).length }));
}
