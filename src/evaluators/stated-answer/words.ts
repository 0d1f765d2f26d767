/** The word for "answer", in the languages of MGSM and a few others. */
const NOUNS = [
  "answers?|ans(?=\\.?\\s?[:=])",
  "(?:end|schluss)?antwort|endergebnis",
  "respuesta|réponse|reponse|resposta|risposta|antwoord",
  "ответ(?:ом)?|відповідь|odpowiedź|cevap|yanıt|jawaban(?:nya)?|jibu|đáp án|đáp số",
];
/** Scripts without spaces between words, or with endings joined to the word: they need no boundary. */
const JOINED_NOUNS = [
  "答え|解答|回答|正解|答案|答(?=[:：])",
  "উত্তর(?:টি|টা)?|సమాధానం|జవాబు|คำตอบ|उत्तर|정답|답(?=[은:])|الجواب|الإجابة",
];
export const FINALS = [
  "final|finale|correct|overall|endgültige|окончательный|最終的な|最終|最终|চূড়ান্ত|চূড়ান্ত|చివరి|la mwisho|สุดท้าย",
];

/** Every place that names the answer; the group `final` matches if it is called final. */
export const NOUN = new RegExp(
  `(?:(?<final>(?<![a-zA-Z])(?:${joinAlternatives(FINALS)}))\\s?(?:の)?)?(?:(?<![\\p{L}\\p{N}])(?:${NOUNS.join("|")})(?![\\p{L}\\p{N}])|(?:${JOINED_NOUNS.join("|")}))`,
  "giu",
);
/** As in few-shot prompts, "A: 18". */
export const SHORT_NOUN = /(?<=(?:^|\n)[ \t*#>]{0,6})A(?=\**[:：])/g;

/** Verbs that say what the answer is. */
export const COPULAS = [
  "is|are|was|be|would be|will be|should be|must be|might be|may be|could be|has to be|seems to be|appears to be|turns out to be|can only be|comes out to|comes out to be|equal|equals|equal to|equals to|becomes",
  "ist|sind|lautet|beträgt|wäre|es|son|sería|est|sont|serait|é|è|são|sono|ni|ni sawa na|adalah|là",
  "является|равен|равна|равно|составляет|это|будет",
];
export const JOINED_COPULAS = ["は|が|是|为|為|等于|হল|হলো|হচ্ছে|হবে|হ'ল|คือ|เท่ากับ|은|는|هو|هي|है"];
export const ADVERBS = [
  "therefore|thus|then|so|simply|just|also|indeed|approximately|about|around|roughly|exactly|only|now|found to|equal to|a total of|that",
  "clearly|hence|most likely|likely|probably|definitely|certainly|obviously|actually|still",
  "daher|somit|also|etwa|ungefähr|genau|aproximadamente|exactamente|donc|environ|примерно|около|ровно",
  "final|finale|numérica|numérico|correct|correcta|corretta|correta|certa|giusta|juste|la mwisho|sahihi|đúng|yang benar|صحيحة|الصحيحة|الصحيح|correcte|richtige|choice|option|value|number|key|letter",
];
export const JOINED_ADVERBS = ["約|およそ|合計|大约|约|共|ประมาณ"];

/** Longest first: a pattern takes the first match, and "ni" is a prefix of "ni sawa na". */
function joinAlternatives(words: readonly string[]): string {
  return words
    .flatMap((line) => line.split("|"))
    .sort((a, b) => b.length - a.length)
    .join("|");
}

/** May come between the noun and the answer: a verb, adverbs, marks. */
export const LINK = new RegExp(
  `(?:(?<copula>(?:(?:${joinAlternatives(COPULAS)})(?![\\p{L}\\p{N}])|(?:${joinAlternatives(JOINED_COPULAS)})|=|≈))` +
    `|(?:${joinAlternatives(ADVERBS)})(?!_?[\\p{L}\\p{N}])|(?:${joinAlternatives(JOINED_ADVERBS)})|(?<colon>[:：])` +
    `|[\\s*_\`"'“”「»«,、।>#~|…]|[-–—](?![\\d.$\\\\])|[-–—](?= )|\\.{2,})`,
  "iuy",
);

/** Not the verb of a relative clause: "the answer that we are looking for is". */
const VERB =
  "(?:is|are|was|equals|would be|will be|should be|must be)(?![\\p{L}]| (?:looking|asked|asking|trying|searching|seeking|supposed|going|given|after|in)\\b)";
/**
 * Said about the answer before the verb: "the answer to the question is", "the answer, in dollars, is", "the
 * answer (Yes or No) is". The remark in brackets must not be an option letter: that would be the answer itself.
 */
export const ASIDE = new RegExp(
  `\\s?,?\\s(?:to|for|in|of|we|i|you|that|which|here|from|among|based on|given|according to|choice that|option that)\\s(?:[^.:=\\n]{0,100}?\\s)?${VERB}` +
    `|,[^.:=\\n,]{0,60}?,\\s${VERB}` +
    `|[*_]{0,3}\\s?\\((?!\\s?\\w\\s?\\))[^()\\n]{1,80}\\)[*_]{0,3}(?=\\s?(?:[:：=]|${VERB}))`,
  "iuy",
);

/** An answer before the noun: "24 is the answer". */
export const REVERSED =
  /\b(?:is|are|was|would be) (?:therefore |thus |indeed )?(?:the|our|my|your) (?:final |correct )?answer\b/gi;
