// npm run bench [-- throughput startup requests gateway memory dashboard queue lines] : prints a Markdown table of ratios.
// npm run bench -- million : a million rows, which takes minutes, only when asked for.
import { machine } from "./measure.mjs";

const SECTIONS = ["throughput", "startup", "requests", "gateway", "memory", "dashboard", "queue", "lines"];
/** Measured only when they are named: they take minutes. */
const ON_REQUEST = ["million"];
const ALL = [...SECTIONS, ...ON_REQUEST];
const wanted = process.argv.slice(2);
const unknown = wanted.filter((section) => !ALL.includes(section));
if (unknown.length > 0) {
  console.error(`Unknown: ${unknown.join(", ")}. Sections: ${ALL.join(", ")}.`);
  process.exit(2);
}
console.log(`${machine()}\n\n| measure | aim | found |\n| --- | --- | --- |`);
for (const section of wanted.length === 0 ? SECTIONS : ALL.filter((name) => wanted.includes(name))) {
  const { measure } = await import(`./${section}.mjs`);
  for (const [what, aim, found] of await measure()) console.log(`| ${what} | ${aim} | ${found} |`);
}
