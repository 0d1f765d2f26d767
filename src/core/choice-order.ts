import type { Example } from "./example.js";

/** The letters that options go by. */
export const OPTION_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

/**
 * Lists options as a question shows them.
 * @example
 * renderChoices(["Rome", "Paris"]); // "A. Rome\nB. Paris"
 */
export function renderChoices(choices: readonly string[]): string {
  return choices.map((choice, index) => `${OPTION_LETTERS[index]}. ${choice}`).join("\n");
}

/** Whether a value is an order of so many choices: each position once. */
export function isChoiceOrder(value: unknown, count: number): value is number[] {
  return Array.isArray(value) && value.length === count && new Set(value).size === count && value.every(isPosition);

  function isPosition(position: unknown): boolean {
    return typeof position === "number" && Number.isInteger(position) && position >= 0 && position < count;
  }
}

/**
 * Tells in which order an example shows its choices, as positions in its dataset's file; null for an example without
 * choices. Without a `choice_order` they are shown as the file has them.
 */
export function readChoiceOrder({ choices, choice_order }: Example): readonly number[] | null {
  if (!Array.isArray(choices)) return null;
  return isChoiceOrder(choice_order, choices.length) ? choice_order : [...choices.keys()];
}

/**
 * Shows the choices of an example in the order that an output saw them in, so that its letters mean what they meant to
 * the system that wrote them. The example itself when the output does not say, or says the same.
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
