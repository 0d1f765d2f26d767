import * as z from "zod";
import { messageOf } from "../core/errors.js";
import { readConfig } from "./config.js";
import { lastLines, quoted } from "./excerpt.js";
import { GraderError } from "./grader-error.js";

/** What a program says of a trial: at least one of `score` and `passed`. */
export interface ProgramAnswer {
  readonly score?: number | undefined;
  readonly passed?: boolean | undefined;
  readonly evidence?: string | undefined;
}

const share = z.number("must be a number from 0 to 1").min(0, "must be from 0 to 1").max(1, "must be from 0 to 1");

/** Not strict: programs that were written for others say more than is asked here. */
const schema = z
  .object({
    score: share.optional(),
    passed: z.boolean("must be true or false").optional(),
    evidence: z.string("must be a text").optional(),
  })
  .refine(({ score, passed }) => score !== undefined || passed !== undefined, "has neither score nor passed");

/**
 * The answer in what a program printed: the JSON object that begins on the last line that starts with a brace, and goes
 * on to the end. Null when there is no such line; throws when there is one, and what follows is no answer: it was meant
 * as one.
 * @example
 * answerIn('2 of 4 found\n{"score": 0.5, "evidence": "2 of 4"}\n'); // { score: 0.5, evidence: "2 of 4" }
 */
export function answerIn(stdout: string): ProgramAnswer | null {
  const start = stdout.startsWith("{") ? Math.max(0, lastObject(stdout)) : lastObject(stdout);
  if (start === -1) return null;
  const answer = readConfig(schema, parsed(stdout.slice(start)), "the JSON that the program printed");
  const { evidence } = answer;
  return evidence === undefined ? answer : { ...answer, evidence: lastLines(evidence) };
}

function lastObject(stdout: string): number {
  const newline = stdout.lastIndexOf("\n{");
  return newline === -1 ? -1 : newline + 1;
}

function parsed(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch (cause) {
    throw new GraderError(
      `the program printed something that begins like JSON and is none (${messageOf(cause)}): ${quoted(text)}. Print the verdict last, as one object.`,
      { cause },
    );
  }
}
