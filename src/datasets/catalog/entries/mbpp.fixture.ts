import type { Fixture } from "../fixture.js";

const SHOUT = 'def shout(s):\n  return s.upper() + "!"';
const SHARED = "def shared(a, b):\n  return tuple(set(a) & set(b))";
const SHOUT_TESTS = ['assert shout("a)(") == "A)(!"', 'assert shout("b") == "B!"'];
const SHARED_TESTS = [
  "assert set(shared((1, 2), (2, 3))) == set((2,))",
  "assert math.isclose(len(shared((1,), (2,))), 0)",
];

export const mbppFixture: Fixture = {
  files: {
    "sanitized/test-00000-of-00001.parquet": {
      columns: {
        source_file: "VARCHAR",
        task_id: "INTEGER",
        prompt: "VARCHAR",
        code: "VARCHAR",
        test_imports: "VARCHAR[]",
        test_list: "VARCHAR[]",
      },
      rows: [
        {
          source_file: "Made up.ipynb",
          task_id: 11,
          prompt: "Write a function that shouts a text.",
          code: SHOUT,
          test_imports: [],
          test_list: SHOUT_TESTS,
        },
        {
          source_file: "Made up.ipynb",
          task_id: 12,
          prompt: "Write a function that finds what two tuples share.",
          code: SHARED,
          test_imports: ["import math"],
          test_list: SHARED_TESTS,
        },
      ],
    },
  },
  expected: [
    {
      id: 11,
      question:
        'Write a function that shouts a text.\n\nIt is called like this: shout("a)(")\nAnswer with one Python code block.',
      answer: SHOUT,
      test_list: SHOUT_TESTS,
      test_imports: [],
    },
    {
      id: 12,
      question:
        "Write a function that finds what two tuples share.\n\nIt is called like this: shared((1, 2), (2, 3))\nAnswer with one Python code block.",
      answer: SHARED,
      test_list: SHARED_TESTS,
      test_imports: ["import math"],
    },
  ],
};
