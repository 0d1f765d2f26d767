import type { Turn } from "../../core/index.js";
import {
  isRawRow,
  type RawRow,
  RowProblem,
  readOptionalText,
  requireListValue,
  requireText,
  requireTextList,
} from "../../datasets/index.js";
import type { MemoryItem, MemoryQuestion, Session } from "./conversation.js";

/** Suffix of question ids that the history does not answer. */
const ABSTENTION = /_abs$/;
/** Dates that sort as strings: `2023/05/20 (Sat) 02:21`. */
const SORTABLE = /^\d{4}\/\d{2}\/\d{2} /;

/** Reads a LongMemEval item: one question with its own history. */
export function readLongMemEval(item: RawRow): MemoryItem {
  const id = requireText(item, "question_id");
  const published = sortSessions(readLongMemEvalSessions(item));
  const names = new Map(published.map(({ id }, index) => [id, formatSessionName(index)]));
  const sessions = published.map((session, index) => ({ ...session, id: formatSessionName(index) }));
  return {
    conversation: { id, sessions: sessions.filter(({ turns }) => turns.length > 0) },
    questions: [readLongMemEvalQuestion(item, id, names)],
  };
}

/** Published session ids reveal which contain the answer, so a memory gets neutral ones. */
function formatSessionName(index: number): string {
  return `S${index + 1}`;
}

function readLongMemEvalSessions(item: RawRow): Session[] {
  const ids = requireTextList(item, "haystack_session_ids");
  const dates = requireTextList(item, "haystack_dates");
  const sessions = requireListValue(item, "haystack_sessions");
  if (ids.length !== sessions.length || dates.length !== sessions.length) {
    throw new RowProblem(
      `has ${sessions.length} haystack_sessions, but ${ids.length} haystack_session_ids and ${dates.length} haystack_dates`,
    );
  }
  return sessions.map((turns, index) => {
    if (!Array.isArray(turns)) throw new RowProblem(`has no list in "haystack_sessions[${index}]"`);
    return {
      id: ids[index] ?? "",
      date: dates[index] ?? "",
      turns: turns.map((turn) => readLongMemEvalTurn(turn, index)),
    };
  });
}

/** The sessions of the oracle variant are unordered. */
function sortSessions(sessions: readonly Session[]): readonly Session[] {
  if (!sessions.every(({ date = "" }) => SORTABLE.test(date))) return sessions;
  const dateOf = ({ date = "" }: Session) => date;
  return sessions.toSorted((a, b) => (dateOf(a) < dateOf(b) ? -1 : dateOf(a) > dateOf(b) ? 1 : 0));
}

/** Omits `has_answer`, which is part of the gold data. */
function readLongMemEvalTurn(turn: unknown, session: number): Turn {
  if (!isRawRow(turn)) throw new RowProblem(`has a turn that is not an object in "haystack_sessions[${session}]"`);
  return { role: requireText(turn, "role"), content: requireText(turn, "content") };
}

function readLongMemEvalQuestion(item: RawRow, id: string, names: ReadonlyMap<string, string>): MemoryQuestion {
  const question_date = readOptionalText(item, "question_date");
  return {
    id,
    question: requireText(item, "question"),
    answer: requireText(item, "answer"),
    question_type: requireText(item, "question_type"),
    ...(question_date === "" ? {} : { question_date }),
    ...(ABSTENTION.test(id) && { unanswerable: true }),
    ...readLongMemEvalEvidence(item, names),
  };
}

function readLongMemEvalEvidence(
  { answer_session_ids }: RawRow,
  names: ReadonlyMap<string, string>,
): Partial<MemoryQuestion> {
  if (!Array.isArray(answer_session_ids)) return {};
  const evidence = answer_session_ids.flatMap((id) => names.get(String(id)) ?? []);
  return evidence.length === 0 ? {} : { evidence };
}
