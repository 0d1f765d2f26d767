import type { Turn } from "../../core/index.js";
import {
  isRawRow,
  type RawRow,
  RowProblem,
  readOptionalText,
  requireIntegerValue,
  requireListValue,
  requireText,
} from "../../datasets/index.js";
import type { MemoryItem, MemoryQuestion, Session } from "./conversation.js";

/** Question types by their number in the file, which differs from the numbers in the paper. */
const CATEGORIES: Readonly<Record<number, string>> = {
  1: "multi-hop",
  2: "temporal",
  3: "open-domain",
  4: "single-hop",
  5: "adversarial",
};
const OPEN_DOMAIN = 3;
const ADVERSARIAL = 5;
const SESSION = /^session_(\d+)$/;

/** Reads a LoCoMo sample: one conversation of two people, and all questions about it. */
export function readLocomo(item: RawRow): MemoryItem {
  const id = requireText(item, "sample_id");
  const { conversation } = item;
  if (!isRawRow(conversation)) throw new RowProblem('has no object in "conversation"');
  const questions = requireListValue(item, "qa").map((qa, index) =>
    wrapRowProblem(`qa ${index + 1}`, () => readLocomoQuestion(qa, id, index)),
  );
  return { conversation: { id, sessions: readLocomoSessions(conversation) }, questions };
}

/** Adds the place in the item to the error. */
function wrapRowProblem<T>(place: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof RowProblem ? new RowProblem(`has a ${place} that ${error.message}`) : error;
  }
}

function readLocomoSessions(conversation: RawRow): Session[] {
  const numbers = Object.keys(conversation).flatMap((key) => SESSION.exec(key)?.[1] ?? []);
  const roles = new Map([
    [requireText(conversation, "speaker_a"), "user"],
    [requireText(conversation, "speaker_b"), "assistant"],
  ]);
  if (numbers.length === 0) throw new RowProblem('has no session in "conversation"');
  return numbers
    .sort((a, b) => Number(a) - Number(b))
    .map((number) => wrapRowProblem(`session_${number}`, () => readLocomoSession(conversation, number, roles)))
    .filter(({ turns }) => turns.length > 0);
}

function readLocomoSession(conversation: RawRow, number: string, roles: ReadonlyMap<string, string>): Session {
  const date = readOptionalText(conversation, `session_${number}_date_time`);
  const turns = requireListValue(conversation, `session_${number}`).map((turn) => readLocomoTurn(turn, roles));
  return { id: `D${number}`, ...(date === "" ? {} : { date }), turns };
}

/** The text includes the speaker's name, because questions refer to people by name. */
function readLocomoTurn(turn: unknown, roles: ReadonlyMap<string, string>): Turn {
  if (!isRawRow(turn)) throw new RowProblem("has a turn that is not an object");
  const speaker = requireText(turn, "speaker");
  const role = roles.get(speaker);
  if (role === undefined) throw new RowProblem(`has a turn of "${speaker}", who is not one of its two speakers`);
  const caption = readOptionalText(turn, "blip_caption");
  const photo = caption === "" ? "" : ` [shares a photo: ${caption}]`;
  return {
    role,
    content: `${speaker}: ${requireText(turn, "text")}${photo}`,
    speaker,
    id: requireText(turn, "dia_id"),
  };
}

function readLocomoQuestion(qa: unknown, conversation: string, index: number): MemoryQuestion {
  if (!isRawRow(qa)) throw new RowProblem("is not an object");
  const category = requireIntegerValue(qa, "category");
  const question_type = CATEGORIES[category];
  if (question_type === undefined) throw new RowProblem(`has the unknown category ${category}; categories are 1 to 5`);
  const evidence = readLocomoEvidence(qa);
  return {
    id: `${conversation}-q${index + 1}`,
    question: requireText(qa, "question"),
    ...readLocomoGold(qa, category),
    question_type,
    ...(evidence.length === 0 ? {} : { evidence }),
  };
}

/** The answer suggested by an adversarial question is wrong: the conversation does not say. */
function readLocomoGold(qa: RawRow, category: number): Partial<MemoryQuestion> {
  if (category === ADVERSARIAL) {
    const trap = readOptionalText(qa, "adversarial_answer");
    return { unanswerable: true, ...(trap === "" ? {} : { adversarial_answer: trap }) };
  }
  const answer = requireText(qa, "answer");
  const [first = ""] = answer.split(";");
  // Inferred answers give their reasons after a semicolon; the answer alone is correct, too.
  return category === OPEN_DOMAIN && first !== answer ? { answers: [first.trim(), answer] } : { answer };
}

/** The file sometimes has two ids in one string: "D8:6; D9:17". */
function readLocomoEvidence({ evidence }: RawRow): string[] {
  if (!Array.isArray(evidence)) return [];
  const texts = evidence.filter((one) => typeof one === "string");
  return texts.flatMap((one) => one.split(/[;,\s]+/)).filter((one) => one !== "");
}
