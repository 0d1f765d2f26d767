import type { Fixture } from "../fixture.js";

const TWICE = 'def twice(x: int) -> int:\n    """ Doubles a number.\n    >>> twice(2)\n    4\n    """\n';
const LAST = 'from typing import List\n\n\ndef last(xs: List[int]) -> int:\n    """ The last of a list. """\n';
const TWICE_TEST = "\n\nMETADATA = {}\n\n\ndef check(candidate):\n    assert candidate(2) == 4\n";
const LAST_TEST = "def check(candidate):\n    assert candidate([1, 3]) == 3\n";

function createHumanevalQuestion(name: string): string {
  return `Complete the function ${name}. Answer with one Python code block that holds the whole function.`;
}

export const humanevalFixture: Fixture = {
  files: {
    "openai_humaneval/test-00000-of-00001.parquet": {
      columns: {
        task_id: "VARCHAR",
        prompt: "VARCHAR",
        canonical_solution: "VARCHAR",
        test: "VARCHAR",
        entry_point: "VARCHAR",
      },
      rows: [
        {
          task_id: "HumanEval/0",
          prompt: TWICE,
          canonical_solution: "    return x + x\n",
          test: TWICE_TEST,
          entry_point: "twice",
        },
        {
          task_id: "HumanEval/1",
          prompt: LAST,
          canonical_solution: "    return xs[-1]\n",
          test: LAST_TEST,
          entry_point: "last",
        },
      ],
    },
  },
  expected: [
    {
      id: "HumanEval/0",
      context: TWICE,
      question: createHumanevalQuestion("twice"),
      answer: "    return x + x\n",
      prompt: TWICE,
      entry_point: "twice",
      test: TWICE_TEST,
    },
    {
      id: "HumanEval/1",
      context: LAST,
      question: createHumanevalQuestion("last"),
      answer: "    return xs[-1]\n",
      prompt: LAST,
      entry_point: "last",
      test: LAST_TEST,
    },
  ],
};
