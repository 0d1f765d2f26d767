/** What a base model writes when it goes on with the next question of its prompt, in the languages of MGSM. */
const NEXT_QUESTION =
  /\n[ \t]*(?:Q|Question|QUESTION|Problem|Exercise|Human|User|Frage|Pregunta|Вопрос|Задача|Swali|問題|问题|質問|প্রশ্ন|ప్రశ్న|โจทย์|#{2,3} ?(?:Instruction|Question|Problem|Input|Human|User))[ \t]?\d{0,3}[ \t]?(?::|：|\n)/g;
const END_OF_TURN =
  /<\|?(?:im_end|im_start|endoftext|eot_id|end_of_text|start_header_id|end|user|eom_id)\|?>|<\/s>|<eos>/;
const REASONING_ENDS = ["</think>", "</thinking>", "</thought>", "</reasoning>", "<|channel|>final<|message|>"];

/**
 * The part of a response that is its own answer: without the reasoning that comes before it in tags, and cut where a
 * base model goes on with another question, as the stop sequences of the official harnesses do.
 */
export function ownAnswer(response: string): string {
  const spoken = withoutReasoning(response);
  const end = spoken.search(END_OF_TURN);
  return beforeNextQuestion(end > 0 && spoken.slice(0, end).trim() !== "" ? spoken.slice(0, end) : spoken);
}

function withoutReasoning(response: string): string {
  for (const tag of REASONING_ENDS) {
    const at = response.lastIndexOf(tag);
    const rest = at === -1 ? "" : response.slice(at + tag.length);
    if (rest.trim() !== "") return rest;
  }
  return response;
}

const ANSWERED = /\\boxed|####|answer|antwort|respuesta|réponse|ответ|jibu|答|উত্তর|సమాధానం|คำตอบ/i;

/** A response that first repeats its question is not cut there: there must be an answer before. */
function beforeNextQuestion(text: string): string {
  let hasAnswer = false;
  let hasDigit = false;
  let from = 0;
  for (const { index, 0: marker } of text.matchAll(NEXT_QUESTION)) {
    // Only what was not searched before: a megabyte may be full of markers.
    const part = text.slice(from, index);
    hasAnswer ||= ANSWERED.test(part);
    hasDigit ||= /\d/.test(part);
    if (hasAnswer || (hasDigit && (marker.startsWith("\nQ") || endsInBlankLine(part)))) return text.slice(0, index);
    from = index;
  }
  return text;
}

function endsInBlankLine(text: string): boolean {
  return text.slice(text.trimEnd().length).includes("\n");
}
