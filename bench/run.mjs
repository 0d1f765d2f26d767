// npm run bench [-- throughput startup tokens overhead requests meter gateway evaluators sandbox parquet memory eval-report history run-list dashboard] : prints a Markdown table of ratios.
import { machine } from "./measure.mjs";

const SECTIONS = [
  "throughput",
  "startup",
  "tokens",
  "overhead",
  "requests",
  "meter",
  "gateway",
  "evaluators",
  "sandbox",
  "parquet",
  "memory",
  "eval-report",
  "history",
  "run-list",
  "dashboard",
];
const wanted = process.argv.slice(2);
const unknown = wanted.filter((section) => !SECTIONS.includes(section));
if (unknown.length > 0) {
  console.error(`Unknown: ${unknown.join(", ")}. Sections: ${SECTIONS.join(", ")}.`);
  process.exit(2);
}
console.log(`${machine()}\n\n| measure | aim | found |\n| --- | --- | --- |`);
for (const section of SECTIONS.filter((name) => wanted.length === 0 || wanted.includes(name))) {
  const { measure } = await import(`./${section}.mjs`);
  for (const [what, aim, found] of await measure()) console.log(`| ${what} | ${aim} | ${found} |`);
}
