import { posix } from "node:path";

/** How comments begin, by the ends of the names of files. */
const SLASHES =
  "c cc cpp cs css cts cxx dart go gradle h hpp java js jsx kt kts less m mjs mts cjs php proto rs scala scss swift ts tsx";
const HASHES =
  "bash cfg cmake conf coffee dockerfile ex exs gitignore graphql jl makefile mk nix pl pm php ps1 py r rb sh tcl tf toml yaml yml zsh";
const DASHES = "ada elm hs lua sql vhdl";
const TAGS = "htm html markdown md svg vue xml";
const OTHERS = { ";": "asm clj el ini lisp scm", "%": "erl tex" };

const LINE_COMMENTS: readonly (readonly [names: ReadonlySet<string>, comment: RegExp])[] = [
  [namesIn(SLASHES), /^(?:\/\/|\/\*(?:(?!\*\/).)*(?:\*\/)?$|\*\/$|\*(?:\s(?!\s*\{)|$))/],
  // The line that names the interpreter of a script is no comment.
  [namesIn(HASHES), /^#(?!!)/],
  [namesIn(DASHES), /^--/],
  [namesIn(TAGS), /^<!--(?:(?!-->).)*(?:-->)?$/],
  [namesIn(OTHERS[";"]), /^;/],
  [namesIn(OTHERS["%"]), /^%/],
];

function namesIn(list: string): ReadonlySet<string> {
  return new Set(list.split(" "));
}

/**
 * True for a line that most likely changes nothing: without anything in it, or a comment by itself. What it begins like
 * decides, so that a comment that goes on for several lines is not always seen.
 * @example
 * looksHarmless("src/add.ts", "  // adds two numbers"); // true
 */
export function looksHarmless(path: string, line: string): boolean {
  const text = line.trim();
  if (text === "") return true;
  const name = posix.basename(path).toLowerCase();
  const end = name.slice(name.lastIndexOf(".") + 1);
  return LINE_COMMENTS.some(([names, comment]) => names.has(end) && comment.test(text));
}
