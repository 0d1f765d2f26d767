import type { Example } from "./example.js";

export const OPTION_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

/**
 * Formats options as lettered lines.
 * @example
 * renderChoices(["Rome", "Paris"]); // "A. Rome\nB. Paris"
 */
export function renderChoices(choices: readonly string[]): string {
  return choices.map((choice, index) => `${OPTION_LETTERS[index]}. ${choice}`).join("\n");
}

/** Whether a value is a permutation of 0..count-1. */
export function isChoiceOrder(value: unknown, count: number): value is number[] {
  return Array.isArray(value) && value.length === count && new Set(value).size === count && value.every(isPosition);

  function isPosition(position: unknown): boolean {
    return typeof position === "number" && Number.isInteger(position) && position >= 0 && position < count;
  }
}

/**
 * The order in which an example shows its choices, as positions in the dataset file; null without choices. Without a
 * `choice_order` this is the order of the file.
 */
export function readChoiceOrder({ choices, choice_order }: Example): readonly number[] | null {
  if (!Array.isArray(choices)) return null;
  return isChoiceOrder(choice_order, choices.length) ? choice_order : [...choices.keys()];
}

/**
 * Reorders the choices of an example as the output saw them, so that answer letters keep their meaning. Returns the
 * example itself if the output names no order or the same one.
 */
export function applyChoiceOrder(example: Example, order: unknown): Example {
  const shown = readChoiceOrder(example);
  const { choices, answer_index: answerIndex, question } = example;
  if (shown === null || choices === undefined || !isChoiceOrder(order, shown.length)) return example;
  if (order.every((position, index) => position === shown[index])) return example;
  const moved = order.map((position) => choices[shown.indexOf(position)] as string);
  return {
    ...example,
    choices: moved,
    choice_order: order,
    ...(typeof answerIndex === "number" ? { answer_index: order.indexOf(shown[answerIndex] as number) } : {}),
    ...(question === undefined
      ? {}
      : { question: question.replace(renderChoices(choices), () => renderChoices(moved)) }),
  };
}
