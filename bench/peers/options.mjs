// What may be said after `npm run bench:peers --`.
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

const FULL = { examples: 10_000, requests: 2_000, rounds: 3 };
const QUICK = { examples: 200, requests: 100, rounds: 1 };
const WORKERS = { echo: 8, requests: 64 };

const HELP = `npm run bench:peers -- [options]

Measures Assay, the least that any harness must do, and its peers, in turns, on this machine alone.

  --only NAME,…      only these: NAMES
  --sections NAME,…  only these: SECTIONS
  --examples N       trivial examples (default ${FULL.examples})
  --requests N       calls of the mock endpoint (default ${FULL.requests})
  --rounds N         how often each is run; medians count (default ${FULL.rounds})
  --limit SECONDS    the longest that one run may take (default 900)
  --quick            ${QUICK.examples} examples, ${QUICK.requests} requests, one round: to see that all of it works
  --reinstall        install peers again, even those that are there, to measure that anew
  --cache DIR        where peers are installed (default node_modules/.cache/assay-peers)
  --out DIR          where RESULTS.md and results.svg go; a whole run writes them into bench, any other run nowhere
  --help

Examples:
  npm run bench:peers
  npm run bench:peers -- --quick
  npm run bench:peers -- --only assay,braintrust --sections echo --rounds 9
`;

/** A command line that cannot be understood. */
export class OptionError extends Error {}

/** Reads the arguments; `known` lists who and what can be measured. Throws an OptionError that says what is wrong. */
export function readOptions(args, known) {
  const given = parsed(args);
  if (given.help) return { help: helpFor(known) };
  const base = given.quick ? QUICK : FULL;
  const options = {
    only: chosen("--only", given.only, known.names),
    sections: chosen("--sections", given.sections, known.sections),
    examples: count("--examples", given.examples, base.examples),
    requests: count("--requests", given.requests, base.requests),
    rounds: count("--rounds", given.rounds, base.rounds),
    limit: count("--limit", given.limit, 900),
    workers: WORKERS,
    reinstall: given.reinstall ?? false,
    cache: resolve(given.cache ?? join(ROOT, "node_modules", ".cache", "assay-peers")),
  };
  return { ...options, out: given.out ?? (isWhole(given) ? join(ROOT, "bench") : null) };
}

function helpFor({ names, sections }) {
  return HELP.replace("NAMES", names.join(", ")).replace("SECTIONS", sections.join(", "));
}

/** Figures of a part of it, or of small numbers, do not replace those of a whole run. */
function isWhole(given) {
  return ["only", "sections", "examples", "requests", "rounds", "quick"].every((name) => given[name] === undefined);
}

function parsed(args) {
  const text = { type: "string" };
  const flag = { type: "boolean" };
  const texts = ["only", "sections", "examples", "requests", "rounds", "limit", "cache", "out"];
  const options = {
    ...Object.fromEntries(texts.map((name) => [name, text])),
    quick: flag,
    reinstall: flag,
    help: flag,
  };
  try {
    return parseArgs({ args, options }).values;
  } catch (cause) {
    throw new OptionError(`${cause.message.split(". ")[0]}. See --help.`, { cause });
  }
}

function chosen(flag, list, known) {
  if (list === undefined) return known;
  const names = list.split(",").map((name) => name.trim());
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length > 0) throw new OptionError(`${flag}: unknown ${unknown.join(", ")}. Known: ${known.join(", ")}.`);
  return known.filter((name) => names.includes(name));
}

function count(flag, text, otherwise) {
  if (text === undefined) return otherwise;
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1)
    throw new OptionError(`${flag} ${text}: give a whole number, at least 1.`);
  return number;
}
