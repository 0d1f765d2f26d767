/** Words that name what was counted or measured. Single letters are left out: m and s are variables as well. */
const MEASURES = [
  "millimet(?:er|re)s?|centimet(?:er|re)s?|kilomet(?:er|re)s?|met(?:er|re)s?|miles?|yards?|foot|feet|inch(?:es)?",
  "mm|cm|km|ft|yd|mi|lbs?|kg|mg|ml|oz|mph|kph|hrs?|mins?|secs?",
  "seconds?|minutes?|hours?|days?|weeks?|months?|years?|degrees?|deg|radians?|rad",
  "pounds?|ounces?|grams?|kilograms?|tons?|tonnes?|lit(?:er|re)s?|gallons?|quarts?|pints?|cups?",
  "dollars?|cents?|euros?|usd|eur|bucks|rupees?|yen|yuan",
  "percent(?:age)?(?: points?)?|pct|units?|points?|ways?|integers?|solutions?|people|students?|times|sides?|edges?",
];
const POWER = "(?:\\s*\\^\\s*\\{?\\d\\}?)?";
const UNIT = `(?:(?:square|cubic|sq\\.?|cu\\.?)\\s*)?(?:${MEASURES.join("|")})${POWER}`;

/** Units right after a number or a closing bracket, with what they are per: "5 miles per hour". */
const AFTER_NUMBER = new RegExp(
  `(?<=(?:[\\d)}\\]]|\\\\pi)\\s{0,3})(?:\\s*(?:${UNIT})(?![a-z\\d]))(?:\\s*(?:per|/|an?)\\s*(?:${UNIT})(?![a-z\\d]))?`,
  "gi",
);

/** Takes the units off the numbers of an answer; what stood between two numbers leaves a mark, so that they stay two. */
export function withoutUnits(text: string): string {
  return /[a-z]{2}/i.test(text) ? text.replace(AFTER_NUMBER, GONE) : text;
}

/** Stands where words were taken out. */
export const GONE = "\ue000";
