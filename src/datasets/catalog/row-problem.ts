/** What is wrong with a row, as words that follow "the row": `has null in "question"`. */
export class RowProblem extends Error {
  override readonly name = "RowProblem";
}
