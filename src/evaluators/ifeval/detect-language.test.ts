import { describe, expect, it } from "vitest";
import { createLanguageDetector, listLetterRuns, loadLanguageProfiles } from "./detect-language.js";

const profiles = loadLanguageProfiles();
const detect = createLanguageDetector(profiles);

describe("listLetterRuns", () => {
  const runs = (text: string) => listLetterRuns(text, profiles.alike);

  it("lists one to three letters, with the space before and after a word", () => {
    expect(runs("ab c")).toEqual(["a", " a", "b", "ab", " ab", " ", "b ", "ab ", "c", " c"]);
  });

  it("skips the inside of a word in capitals", () => {
    expect(runs("ABC d")).toEqual(["A", " A", " ", "C ", "BC ", "d", " d"]);
  });

  it("skips addresses, and Latin letters in a text of another script", () => {
    expect(runs("http://a.b/c?d me@x.org")).toEqual([]);
    expect(runs("длинное слово Google и снова слово").join("")).not.toMatch(/[A-Za-z]/);
    expect(runs("слово and many words more").join("")).toMatch(/[A-Za-z]/);
  });

  it("merges characters that are one letter in the profiles", () => {
    expect(runs("한")).toEqual(runs("글"));
    expect(runs("ひ")).toEqual(runs("ら"));
    expect(runs("a\u0301")).toEqual(runs("á"));
    expect(runs("ی")).toEqual(runs("ي"));
  });

  it("reads the first ten thousand characters", () => {
    expect(runs("x".repeat(20_000))).toEqual(runs("x".repeat(10_000)));
    expect(runs(`${"1".repeat(10_000)} word`)).toEqual([]);
  });
});

describe("createLanguageDetector", () => {
  it.each([
    ["ar", "الطقس جميل اليوم ولذلك سنذهب إلى الحديقة مع الأصدقاء."],
    ["bg", "Днес времето е хубаво и ще отидем на разходка в парка."],
    ["bn", "আজ সারাদিন বৃষ্টি হয়েছে তাই আমরা বাড়িতে ছিলাম।"],
    ["de", "Heute regnet es, deshalb bleiben wir zu Hause und lesen."],
    ["en", "It is raining today, so we stay at home and read a book."],
    ["fa", "امروز هوا بسیار خوب است و من می‌خواهم به پارک بروم."],
    ["fi", "Tänään sataa lunta, joten pysymme kotona ja luemme kirjoja."],
    ["gu", "આજે વરસાદ પડ્યો એટલે અમે ઘરે રહીને ચા પીધી."],
    ["hi", "आज मौसम बहुत सुहावना है, इसलिए हम सब बगीचे में घूमने जा रहे हैं।"],
    ["it", "Oggi piove, quindi restiamo a casa a leggere un libro."],
    ["ja", "今日は雨なので、家で本を読みました。"],
    ["kn", "ಪುಸ್ತಕ ಓದುವುದು ಒಳ್ಳೆಯ ಅಭ್ಯಾಸ. ಇದರಿಂದ ಜ್ಞಾನ ಹೆಚ್ಚುತ್ತದೆ."],
    ["ko", "오늘은 비가 와서 집에서 책을 읽었습니다."],
    ["mr", "पावसाळ्यात सह्याद्रीच्या डोंगररांगा हिरव्यागार होतात."],
    ["ne", "नेपाल एक सुन्दर देश हो। यहाँ संसारको सबैभन्दा अग्लो हिमाल सगरमाथा छ।"],
    ["pa", "ਮੇਰੀ ਭੈਣ ਅੰਮ੍ਰਿਤਸਰ ਵਿੱਚ ਰਹਿੰਦੀ ਹੈ।"],
    ["pt", "Hoje choveu muito, então ficamos em casa assistindo a um filme."],
    ["ru", "Сегодня на улице холодно, поэтому мы остались дома."],
    ["sw", "Watu wengi huzungumza Kiswahili kila siku katika nchi ya Tanzania."],
    ["ta", "இன்று மழை பெய்ததால் நாங்கள் வீட்டிலேயே இருந்தோம்."],
    ["te", "ఈ రోజు వాతావరణం చాలా బాగుంది. మేము పార్కుకు వెళ్తాము."],
    ["th", "วันนี้ฝนตกหนัก เราจึงอยู่บ้านดูหนังกัน"],
    ["ur", "آج موسم بہت خوشگوار ہے اس لیے ہم باغ میں سیر کرنے جا رہے ہیں۔"],
    ["vi", "Hôm nay trời mưa to nên chúng tôi ở nhà nấu ăn và xem phim."],
  ])("recognizes %s", (language, text) => {
    expect(detect(text)).toBe(language);
    expect(detect(`**${text}**\n\n* Google\n* ${text} (New York)`)).toBe(language);
  });

  it("recognizes English in capitals and in small letters", () => {
    const text = "The meeting is at noon on Friday. Please bring your notes, and everyone's input is welcome!";
    expect(detect(text.toUpperCase())).toBe("en");
    expect(detect(text.toLowerCase())).toBe("en");
  });

  it("always gives the same answer, even for ambiguous text", () => {
    for (const text of ["Ciao, come stai?", "JAMES IS 10", "ok"]) expect(detect(text)).toBe(detect(text));
  });

  it.each(["", "12345", "!?", "😀"])("returns null for %j, which has no letters", (text) => {
    expect(detect(text)).toBeNull();
  });
});
