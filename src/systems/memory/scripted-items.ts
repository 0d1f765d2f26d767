/** Made-up items in the published format of LoCoMo. */
export function makeLocomoItems() {
  return [
    {
      sample_id: "conv-1",
      conversation: {
        speaker_a: "Mira",
        speaker_b: "Tobias",
        session_2_date_time: "4:10 pm on 2 June, 2023",
        session_2: [
          { speaker: "Tobias", dia_id: "D2:1", text: "I bought a blue canoe." },
          { speaker: "Mira", dia_id: "D2:2", text: "Lovely!", blip_caption: "a photo of a lake", img_url: ["x"] },
        ],
        session_1_date_time: "1:56 pm on 8 May, 2023",
        session_1: [
          { speaker: "Mira", dia_id: "D1:1", text: "My sister Vera moved to Bern." },
          { speaker: "Tobias", dia_id: "D1:2", text: "How nice, I play the cello there." },
        ],
        session_10_date_time: "9:00 am on 1 July, 2023",
        session_10: [{ speaker: "Mira", dia_id: "D10:1", text: "I paint on Sundays." }],
        session_11_date_time: "9:00 am on 2 July, 2023",
      },
      qa: [
        { question: "Where did Vera move?", answer: "Bern", evidence: ["D1:1"], category: 4 },
        { question: "In which year did Tobias buy a canoe?", answer: 2023, evidence: ["D2:1; D1:2"], category: 2 },
        { question: "Would Tobias enjoy a concert?", answer: "Yes; he plays the cello", evidence: [], category: 3 },
        { question: "What does Vera paint?", adversarial_answer: "lakes", evidence: ["D10:1"], category: 5 },
        { question: "Who plays and who paints?", answer: "Tobias, Mira", evidence: ["D1:2", "D10:1"], category: 1 },
      ],
      event_summary: {},
    },
    {
      sample_id: "conv-2",
      conversation: {
        speaker_a: "Ida",
        speaker_b: "Paul",
        session_1_date_time: "8:00 am on 3 March, 2022",
        session_1: [
          { speaker: "Ida", dia_id: "D1:1", text: "My dog is called Rufus." },
          { speaker: "Paul", dia_id: "D1:2", text: "I drink only tea." },
        ],
      },
      qa: [
        { question: "What is the name of Ida's dog?", answer: "Rufus", evidence: ["D1:1"], category: 4 },
        { question: "What does Paul drink?", answer: "tea", evidence: ["D1:2"], category: 4 },
      ],
    },
  ];
}

/** Made-up items in the published format of LongMemEval. */
export function makeLongMemEvalItems() {
  return [
    {
      question_id: "a1b2c3",
      question_type: "knowledge-update",
      question: "Which tea do I drink now?",
      answer: "green tea",
      question_date: "2023/06/01 (Thu) 10:00",
      haystack_session_ids: ["answer_77_2", "sharegpt_x", "answer_77_1"],
      haystack_dates: ["2023/05/30 (Tue) 08:00", "2023/05/02 (Tue) 09:30", "2023/05/01 (Mon) 12:00"],
      haystack_sessions: [
        [{ role: "user", content: "I changed to green tea.", has_answer: true }],
        [
          { role: "user", content: "Sort this list." },
          { role: "assistant", content: "Done." },
        ],
        [{ role: "user", content: "I drink black tea." }],
      ],
      answer_session_ids: ["answer_77_1", "answer_77_2"],
    },
    {
      question_id: "d4e5f6_abs",
      question_type: "single-session-user",
      question: "How many cats do I have?",
      answer: "You did not mention cats.",
      question_date: "2023/06/02 (Fri) 10:00",
      haystack_session_ids: ["s1", "s2"],
      haystack_dates: ["2023/05/01 (Mon) 12:00", "2023/05/02 (Tue) 12:00"],
      haystack_sessions: [[{ role: "user", content: "I have 2 dogs." }], []],
      answer_session_ids: [],
    },
    {
      question_id: "777",
      question_type: "multi-session",
      question: "How many books did I read?",
      answer: 3,
      question_date: "2023/06/03 (Sat) 10:00",
      haystack_session_ids: ["s1"],
      haystack_dates: ["2023/05/01 (Mon) 12:00"],
      haystack_sessions: [[{ role: "user", content: "I read three books." }]],
      answer_session_ids: ["s1"],
    },
  ];
}
