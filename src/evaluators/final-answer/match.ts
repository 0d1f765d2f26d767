import { clauseOf, cleaned, firstBold } from "./clean.js";
import { kindOf, optionLetter, wholeNumber } from "./kind.js";
import { announcedOption, optionOfLine } from "./option.js";
import { ownPart, type Statement, statementIn } from "./statement.js";

/** What a response was found to answer, as text for people, and the forms of it that are compared. */
export interface Reading {
  statement: Statement;
  /** The line that holds the answer. */
  line: string;
  /** Where an answer may stand that is followed by its explanation. */
  firstLine: string;
}

/** What is longer than this is no answer. */
const LONGEST = 20_000;
const LONGEST_NUMBER = 200;
const NUMBER_WITH_UNIT = /^([-−+]?[\d,]*\.?\d+) [a-z][^\d]*$/i;
const BULLET = /^[ \t]*(?:[-*•]|\d{1,3}[.)])[ \t]+/gm;

/** Reads a response once, for any number of gold answers. */
export function readResponse(response: string): Reading {
  const text = ownPart(response);
  const statement = statementIn(text);
  const firstLine = lineFrom(text.trimStart());
  const line = statement.isExplicit ? lineFrom(statement.rest.trimStart()) : lastLine(text);
  return { statement, firstLine: firstLine.slice(0, LONGEST), line: line.slice(0, LONGEST) };
}

/** Whether a response answers with this gold. */
export function answers(reading: Reading, gold: string): boolean {
  switch (kindOf(gold)) {
    case "option":
      return optionIn(reading) === optionLetter(gold);
    case "number":
      return numbersOf(reading).includes(wholeNumber(gold.trim()) ?? Number.NaN);
    case "brackets":
      return textsOf(reading).some((text) => spaceless(text) === spaceless(gold));
    case "list":
      return listsOf(reading).some((list) => wordsOf(list) === wordsOf(cleaned(gold)));
    case "words":
      return textsOf(reading).some((text) => plain(text) === plain(cleaned(gold)));
  }
}

/** What was read, for people. */
export function shownOf({ line }: Reading): string {
  const text = cleaned(line);
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}

function optionIn({ statement, line, firstLine }: Reading): string | null {
  if (statement.isExplicit) return announcedOption(statement.rest, line);
  return optionOfLine(line) ?? optionOfLine(firstLine);
}

/** The forms an answer in words may take: the whole line, its first clause, its bold part. */
function textsOf({ statement, line, firstLine }: Reading): string[] {
  const bold = firstBold(line);
  const texts = [line, clauseOf(line), ...(bold === null ? [] : [bold])];
  if (!statement.isExplicit) texts.push(firstLine);
  return texts.map(cleaned);
}

function numbersOf(reading: Reading): (number | null)[] {
  const result = reading.line.slice(reading.line.lastIndexOf("=") + 1);
  return [...textsOf(reading), cleaned(result)].map(numberOf);
}

function numberOf(text: string): number | null {
  if (text.length > LONGEST_NUMBER) return null;
  return wholeNumber(moneyless(text)) ?? wholeNumber(NUMBER_WITH_UNIT.exec(text)?.[1] ?? "");
}

function listsOf(reading: Reading): string[] {
  const { rest, isExplicit } = reading.statement;
  const long = isExplicit ? [cleaned(rest.slice(0, LONGEST).replace(BULLET, ""))] : [];
  return [...textsOf(reading), ...long];
}

function lineFrom(text: string): string {
  const end = text.indexOf("\n");
  return end === -1 ? text : text.slice(0, end);
}

/** The last line with a letter, a digit or a bracket: marks alone, such as "---" and "$$", are no answer. */
function lastLine(text: string): string {
  const end = text.trimEnd().length;
  for (let stop = end; stop > 0; ) {
    const start = text.lastIndexOf("\n", stop - 1) + 1;
    const line = text.slice(start, stop);
    if (/[\p{L}\p{N}()[\]{}<>]/u.test(line)) return line.trim();
    stop = start - 1;
  }
  return "";
}

function plain(text: string): string {
  return text.toLowerCase().replace(/\s+/g, " ");
}

function wordsOf(text: string): string {
  return text
    .toLowerCase()
    .split(/[\s,;]+/)
    .filter((word) => word !== "")
    .join(" ");
}

function spaceless(text: string): string {
  return text.replace(/\s+/g, "");
}

function moneyless(text: string): string {
  return text.replace(/^([-−+]?)[$€£]/, "$1");
}
