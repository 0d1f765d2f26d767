/** Common words of German, Spanish, French, Portuguese, Italian, Dutch, Indonesian and Turkish. */
const WORDS =
  /(?<![\p{L}])(?:der|die|das|und|ist|sind|pro|insgesamt|el|los|las|una|es|por|le|les|des|est|une|il|elle|é|uma|di|che|è|het|een|adalah|bir|antwort|respuesta|réponse)(?![\p{L}])/giu;
const CYRILLIC = /[а-яё]{3}/i;
const TAIL = 600;

/** Whether a text is in a language that writes 1.234,5 where English writes 1,234.5, judged by its end. */
export function decimalComma(text: string): boolean {
  const end = text.slice(-TAIL);
  return CYRILLIC.test(end) || new Set((end.match(WORDS) ?? []).map((word) => word.toLowerCase())).size >= 2;
}
