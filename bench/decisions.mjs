// Error rates, coverage and savings of sequential decisions and corrected estimates, in seeded simulations.
// node bench/decisions.mjs [section…]: prints Markdown tables; with the word "write" it puts them into docs/internals/sequential.md.
// node bench/decisions.mjs stored FOLDER…: what stopping when decided would have saved in these stored runs.
// Needs a build. All sections take about ten minutes of one core.
import { readFileSync, writeFileSync } from "node:fs";
import * as bets from "./decisions/bets.mjs";
import * as estimates from "./decisions/estimates.mjs";
import * as grid from "./decisions/grid.mjs";
import * as sequential from "./decisions/sequential.mjs";
import { measureStored } from "./decisions/stored.mjs";

const PAGE = new URL("../docs/internals/sequential.md", import.meta.url);
const SECTIONS = { ...bets, ...sequential, ...grid, ...estimates };

function render({ summary, columns, rows }) {
  return [
    ...(summary === undefined ? [] : [summary, ""]),
    `| ${columns.join(" | ")} |`,
    `|${" ---: |".repeat(columns.length)}`,
    ...rows.map((row) => `| ${row.join(" | ")} |`),
  ].join("\n");
}

function runSections(names, isWritten) {
  const unknown = names.filter((name) => !(name in SECTIONS));
  if (unknown.length > 0) {
    console.error(`Unknown: ${unknown.join(", ")}. Sections: ${Object.keys(SECTIONS).join(", ")}; or: stored FOLDER…`);
    process.exit(2);
  }
  let page = isWritten ? readFileSync(PAGE, "utf8") : null;
  for (const name of names.length === 0 ? Object.keys(SECTIONS) : names) {
    const before = process.cpuUsage().user;
    const text = render(SECTIONS[name]());
    const seconds = Math.round((process.cpuUsage().user - before) / 1e6);
    console.log(`## ${name} (${seconds} s)\n\n${text}\n`);
    if (page === null) continue;
    const block = new RegExp(`(<!-- ${name} -->\n)[\\s\\S]*?(<!-- /${name} -->)`);
    if (!block.test(page)) throw new Error(`docs/internals/sequential.md has no block ${name}`);
    page = page.replace(block, (_, begin, end) => `${begin}\n${text}\n\n${end}`);
    writeFileSync(PAGE, page);
  }
}

const [first, ...rest] = process.argv.slice(2);
if (first === "stored") {
  try {
    console.log(render(measureStored(rest)));
  } catch (error) {
    console.error(error.message);
    process.exit(1);
  }
} else {
  const names = process.argv.slice(2).filter((argument) => argument !== "write");
  runSections(names, process.argv.includes("write"));
}
