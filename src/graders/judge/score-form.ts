import {
  cannotReason,
  type Form,
  OPENING,
  objectSchema,
  type Point,
  saysCannot,
  shortReason,
  type Verdict,
} from "./judgement.js";
import { type Fields, fieldsOf } from "./objects-in-text.js";
import { readValue, type Scale, valueText, wanted } from "./scale.js";

/** The field of the whole judgement. */
export const SCORE_FIELD = "judge_score";

/** The field of a criterion. */
export function fieldOf(criterion: string): string {
  return `judge_${criterion}`;
}

/** Asks for one score. */
export function scoreForm(scale: Scale): Form<Verdict> {
  return {
    shape: { name: "verdict", schema: pointSchema(scale) },
    pattern: patternOf(scale),
    fits: (fields) => scale.key in fields || "score" in fields || saysCannot(fields),
    read(fields) {
      const point = readPoint(fields, scale);
      return typeof point === "string" ? `the ${scale.key} ${point}` : { [SCORE_FIELD]: point };
    },
  };
}

/** Asks for a score by each criterion. */
export function criteriaForm(criteria: readonly string[], scale: Scale): Form<Verdict> {
  const each = Object.fromEntries(criteria.map((name) => [name, pointSchema(scale)]));
  const schema = objectSchema({ criteria: objectSchema(each) });
  // Some models leave the outer object out.
  const scoresIn = (fields: Fields) => fieldsOf(fields.criteria) ?? fields;
  return {
    shape: { name: "verdict", schema },
    pattern: `{"criteria": {${criteria.map((name) => `"${name}": ${patternOf(scale)}`).join(", ")}}}`,
    fits: (fields) => criteria.some((name) => Object.hasOwn(scoresIn(fields), name)),
    read: (fields) => readCriteria(scoresIn(fields), criteria, scale),
  };
}

function readCriteria(fields: Fields, criteria: readonly string[], scale: Scale): Verdict | string {
  const points: Record<string, Point> = {};
  for (const name of criteria) {
    if (!Object.hasOwn(fields, name)) return `there is nothing for the criterion "${name}"`;
    const point = readPoint(fieldsOf(fields[name]) ?? { [scale.key]: fields[name] }, scale);
    if (typeof point === "string") return `the ${scale.key} for "${name}" ${point}`;
    points[fieldOf(name)] = point;
  }
  return points;
}

function readPoint(fields: Fields, scale: Scale): Point | string {
  if (saysCannot(fields)) return { score: null, reason: cannotReason(fields) };
  const value = fields[scale.key] ?? fields.score;
  if (value === undefined || value === null) return "is missing";
  const score = readValue(value, scale);
  if (typeof score === "string") return score;
  if (scale.key === "score" && !Number.isInteger(Number(value)))
    return `is ${Number(value)}, but must be ${wanted(scale)}`;
  return { score, value: valueText(score, scale), reason: shortReason(fields.reasoning) };
}

function pointSchema({ key, values }: Scale): Fields {
  const type = key === "verdict" ? "string" : "integer";
  const value = { type, enum: key === "verdict" ? [...values].reverse() : values };
  return objectSchema({ ...OPENING, [key]: value });
}

function patternOf({ key, values }: Scale): string {
  const choices = values.map((value) => JSON.stringify(value)).join(" | ");
  return `{"reasoning": "…", "cannot_judge": true | false, "${key}": ${choices}}`;
}
