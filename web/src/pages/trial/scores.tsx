import type { Grade } from "../../../../src/core/grader.js";
import { type EvalRow, getMeasure, getScore } from "../../../../src/core/row.js";
import type { TrialView } from "../../../../src/report/dashboard/contract.js";
import { formatNumber, LongText, revealLine } from "../../ui/index.js";

const EVIDENCE_EXCERPT = { characters: 600, lines: 8 };

export function Scores({ view: { row, evidence, threshold, grades } }: { view: TrialView }) {
  const scores = listScores(row, omitGraderEvidence(evidence, grades));
  if (scores.length === 0) return null;
  const hasEvidence = scores.some((score) => Boolean(score.evidence));
  return (
    <section aria-labelledby="scores">
      <h2 id="scores">Scores</h2>
      <table class={hasEvidence ? "table scores" : "table narrow"}>
        <caption class="unseen">Scores with their evidence</caption>
        <thead>
          <tr>
            <th scope="col">Field</th>
            <th scope="col" class="number">
              Score
            </th>
            {hasEvidence && <th scope="col">Evidence</th>}
          </tr>
        </thead>
        <tbody>
          {scores.map((score) => (
            <ScoreRow key={score.field} score={score} threshold={threshold} hasEvidence={hasEvidence} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** The evidence that no grader gives: theirs is shown with their verdict. */
function omitGraderEvidence(
  evidence: Readonly<Record<string, string>>,
  grades: readonly Grade[],
): Readonly<Record<string, string>> {
  const told = new Set(listEvidence(grades));
  return Object.fromEntries(Object.entries(evidence).filter(([, text]) => !told.has(text)));
}

function listEvidence(grades: readonly Grade[]): string[] {
  return grades.flatMap(({ evidence, details }) => [evidence, ...listEvidence(details ?? [])]);
}

interface ScoreRowProps {
  score: ScoreWithEvidence;
  threshold: number;
  hasEvidence: boolean;
}

function ScoreRow({ score: { field, score, evidence, decides }, threshold, hasEvidence }: ScoreRowProps) {
  return (
    <tr class={decides ? "decides" : undefined}>
      <th scope="row">
        <bdi>{revealLine(field)}</bdi>
        {decides && <small class="quiet"> decides, ≥ {formatNumber(threshold)} passes</small>}
      </th>
      <td class="number">{formatNumber(score)}</td>
      {hasEvidence && (
        <td>
          {evidence !== null && evidence !== "" && (
            <LongText
              label={`evidence of ${revealLine(field)}`}
              text={evidence}
              length={evidence.length}
              first={EVIDENCE_EXCERPT}
            />
          )}
        </td>
      )}
    </tr>
  );
}

export function Grades({ grades }: { grades: readonly Grade[] }) {
  if (grades.length === 0) return null;
  return (
    <section aria-labelledby="grades">
      <h2 id="grades">Graders</h2>
      <GradeList grades={grades} />
    </section>
  );
}

function GradeList({ grades }: { grades: readonly Grade[] }) {
  return (
    <ul class="grades">
      {grades.map((grade, place) => (
        <li key={place}>
          <GradeLine grade={grade} />
        </li>
      ))}
    </ul>
  );
}

function GradeLine({ grade }: { grade: Grade }) {
  return (
    <>
      <span class={`outcome outcome-${getGradeOutcome(grade)}`}>{formatGradeOutcome(grade)}</span>{" "}
      <b>
        <bdi>{revealLine(grade.name)}</bdi>
      </b>{" "}
      <span class="quiet">
        {revealLine(grade.type)}
        {grade.kind === "llm" && ", a model"} · {formatNumber(grade.score)}
      </span>
      {grade.evidence !== "" && (
        <LongText
          label={`evidence of ${revealLine(grade.name)}`}
          text={grade.evidence}
          length={grade.evidence.length}
          first={EVIDENCE_EXCERPT}
        />
      )}
      {grade.details !== undefined && grade.details.length > 0 && <GradeList grades={grade.details} />}
    </>
  );
}

function getGradeOutcome({ status, passed }: Grade): "pass" | "fail" | "error" {
  if (status === "error") return "error";
  return passed ? "pass" : "fail";
}

function formatGradeOutcome({ status, passed }: Grade): string {
  if (status === "error") return "! could not tell";
  return passed ? "✓ pass" : "✕ fail";
}

/**
 * Why a trial ended as it did; null when nothing is known.
 * @example
 * explainOutcome(row, 0.7); // "f1 = 0.4, less than 0.7"
 */
export function explainOutcome(row: EvalRow, threshold: number): string | null {
  if (row.outcome === "error") return row.attempts.at(-1)?.message ?? row.notes.at(-1) ?? null;
  if (row.outcome === "unscored" || row.outcome === "skipped") return row.notes.at(-1) ?? null;
  const score = getScore(row, "score");
  if (score === undefined) return null;
  const said = `${row.primaryField ?? "score"} = ${formatNumber(score)}`;
  // Graders and required parts may decide differently.
  if (row.passed !== score >= threshold) return said;
  return `${said}, ${row.passed ? "at least" : "less than"} ${formatNumber(threshold)}`;
}

interface ScoreWithEvidence {
  readonly field: string;
  readonly score: number | null;
  readonly evidence: string | null;
  readonly decides: boolean;
}

/** The deciding score first, then evidence without a score. */
export function listScores(row: EvalRow, evidence: Readonly<Record<string, string>>): ScoreWithEvidence[] {
  const found = new Map(Object.entries(evidence));
  const scored = Object.entries(row.scores).map(([field, score]) => ({
    field,
    score,
    evidence: found.get(field) ?? null,
    decides: field === row.primaryField,
  }));
  const measured = Object.entries(row.measures).map(([field, score]) => ({
    field,
    score,
    evidence: found.get(field) ?? null,
    decides: false,
  }));
  const others = [...found]
    .filter(([field]) => getMeasure(row, field) === undefined)
    .map(([field, text]) => ({ field, score: null, evidence: text, decides: false }));
  return [...scored.toSorted((a, b) => Number(b.decides) - Number(a.decides)), ...measured, ...others];
}
