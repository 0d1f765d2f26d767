import type { Fixture } from "../fixture.js";

const INSTRUCTION = "Answer with the letter of the right option.";

export const hellaswagFixture: Fixture = {
  files: {
    "default/validation/0000.parquet": {
      isConverted: true,
      columns: {
        ind: "INTEGER",
        activity_label: "VARCHAR",
        ctx_a: "VARCHAR",
        ctx_b: "VARCHAR",
        ctx: "VARCHAR",
        endings: "VARCHAR[]",
        source_id: "VARCHAR",
        split: "VARCHAR",
        split_type: "VARCHAR",
        label: "VARCHAR",
      },
      rows: [
        {
          ind: 1,
          activity_label: "Mending a net",
          ctx_a: "A woman lays a torn net over two chairs.",
          ctx_b: "she",
          ctx: "A woman lays a torn net over two chairs. she",
          endings: ["eats the net.", "ties the loose ends.", "paints the chairs blue.", "rows home."],
          source_id: "activitynet~v_made_up",
          split: "val",
          split_type: "indomain",
          label: "1",
        },
        {
          ind: 2,
          activity_label: "Home and Garden",
          ctx_a: "[header] How to dry herbs [title] Pick them early. [step] Wait until the dew is gone.",
          ctx_b: "",
          ctx: "[header] How to dry herbs [title] Pick them early. [step] Wait until the dew is gone.",
          endings: [
            "Cut them at noon in July. [substeps] Shake off the soil.",
            "Sing to them.",
            "Boil them for a day.",
            "Leave the town.",
          ],
          source_id: "wikihow~made_up",
          split: "val",
          split_type: "zeroshot",
          label: "0",
        },
      ],
    },
  },
  expected: [
    {
      context: "A woman lays a torn net over two chairs. she",
      question: `Which ending continues the text best?\n\nA. eats the net.\nB. ties the loose ends.\nC. rows home.\nD. paints the chairs blue.\n\n${INSTRUCTION}`,
      choices: ["eats the net.", "ties the loose ends.", "rows home.", "paints the chairs blue."],
      answer: "ties the loose ends.",
      answer_index: 1,
      split_type: "indomain",
    },
    {
      context: "How to dry herbs. Pick them early. Wait until the dew is gone.",
      question: `Which ending continues the text best?\n\nA. Cut them at noon in July. Shake off the soil.\nB. Sing to them.\nC. Leave the town.\nD. Boil them for a day.\n\n${INSTRUCTION}`,
      choices: [
        "Cut them at noon in July. Shake off the soil.",
        "Sing to them.",
        "Leave the town.",
        "Boil them for a day.",
      ],
      answer: "Cut them at noon in July. Shake off the soil.",
      answer_index: 0,
      split_type: "zeroshot",
    },
  ],
};
