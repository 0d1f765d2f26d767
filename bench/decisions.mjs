// Error rates, coverage and savings of sequential decisions and corrected estimates, in seeded simulations.
// node bench/decisions.mjs [section…]: prints Markdown tables; with the word "write" it puts them into docs/internals/sequential.md.
// Needs a build. All sections take about three minutes of one core.
import { readFileSync, writeFileSync } from "node:fs";
import * as bets from "./decisions/bets.mjs";
import * as estimates from "./decisions/estimates.mjs";
import * as grid from "./decisions/grid.mjs";
import * as sequential from "./decisions/sequential.mjs";

const PAGE = new URL("../docs/internals/sequential.md", import.meta.url);
const SECTIONS = { ...bets, ...sequential, ...grid, ...estimates };

const names = process.argv.slice(2).filter((argument) => argument !== "write");
const unknown = names.filter((name) => !(name in SECTIONS));
if (unknown.length > 0) {
  console.error(`Unknown: ${unknown.join(", ")}. Sections: ${Object.keys(SECTIONS).join(", ")}.`);
  process.exit(2);
}
let page = process.argv.includes("write") ? readFileSync(PAGE, "utf8") : null;
for (const name of names.length === 0 ? Object.keys(SECTIONS) : names) {
  const before = process.cpuUsage().user;
  const { summary, columns, rows } = SECTIONS[name]();
  const seconds = Math.round((process.cpuUsage().user - before) / 1e6);
  const text = [
    ...(summary === undefined ? [] : [summary, ""]),
    `| ${columns.join(" | ")} |`,
    `|${" ---: |".repeat(columns.length)}`,
    ...rows.map((row) => `| ${row.join(" | ")} |`),
  ].join("\n");
  console.log(`## ${name} (${seconds} s)\n\n${text}\n`);
  if (page === null) continue;
  const block = new RegExp(`(<!-- ${name} -->\n)[\\s\\S]*?(<!-- /${name} -->)`);
  if (!block.test(page)) throw new Error(`docs/internals/sequential.md has no block ${name}`);
  page = page.replace(block, (_, begin, end) => `${begin}\n${text}\n\n${end}`);
  writeFileSync(PAGE, page);
}
