/** Common words of German, Spanish, French, Portuguese, Italian, Dutch, Indonesian and Turkish; also money behind its number. */
const WORDS =
  /(?<![\p{L}])(?:der|die|das|und|ist|sind|pro|insgesamt|er|sie|wir|im|ein|eine|einen|für|mit|von|zu|verdient|kostet|beträgt|jahr|monat|woche|tag|stunde|el|los|las|una|es|por|le|les|des|est|une|il|elle|é|uma|di|che|è|het|een|adalah|bir|antwort|respuesta|réponse)(?![\p{L}])|(?<=\d )\$(?=[\s.,]|$)/giu;
/** Thousands of a currency that stands behind its number: money has no three decimals. */
const MONEY =
  /(?<![\d.,])[1-9]\d{0,2}(?:\.\d{3})+\s?(?:€|(?:euros?|eur|dollar|us-dollar|dólares|reais|pesos|franken|kronen|lire|rupiah|lira)(?![\p{L}]))/iu;
const CYRILLIC = /[а-яё]{3}/i;
const TAIL = 600;

/** Whether a text is in a language that writes 1.234,5 where English writes 1,234.5, judged by its end. */
export function decimalComma(text: string): boolean {
  const end = text.slice(-TAIL);
  return (
    CYRILLIC.test(end) ||
    MONEY.test(end) ||
    new Set((end.match(WORDS) ?? []).map((word) => word.toLowerCase())).size >= 2
  );
}
