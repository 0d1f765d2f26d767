import { englishWords } from "../english-words.js";

/** What the English model of the official grader's sentence splitter, Punkt, has learned from newspapers. */
interface SentenceModel {
  /** Written with a period at their end that need not end a sentence. */
  readonly abbreviations: ReadonlySet<string>;
  /** Words that begin a sentence when they have a capital and follow an abbreviation. */
  readonly starters: ReadonlySet<string>;
  /** A number or an initial, and a word that belongs to it: no sentence ends between them. */
  readonly pairs: ReadonlySet<string>;
  /** Words seen with a small first letter → whether they were also seen with a capital inside a sentence. */
  readonly small: ReadonlyMap<string, boolean>;
  /** Words seen with a small letter at the beginning of a sentence, and never with a capital. */
  readonly smallStarters: ReadonlySet<string>;
}

/** The type of every number. */
export const NUMBER = "##number##";

const ABBREVIATIONS =
  "a.a a.c a.d a.g a.h a.m a.m.e a.s a.t adm ala ariz aug ave b.f b.v bros c c.i.t c.o.m.b c.v calif chg cie co col colo conn corp cos ct d d.c d.h d.w dec dr e e.f e.h e.l e.m f f.g f.j feb fla fri ft g g.d g.f g.k ga gen h h.c h.f h.m i.m.s ill inc j.b j.c j.j j.k j.p j.r jan jr k kan ky l l.a l.f l.p lt ltd m m.b.a m.d.c m.j maj messrs mg mich minn mr mrs ms n n.c n.d n.h n.j n.m n.v n.y nev nov oct ok okla ore p p.a.m p.m pa ph.d prof r r.a r.h r.i r.j r.k r.t rep reps s s.a s.a.y s.c s.g s.p.a s.s sen sep sept sr st sw t t.j tenn tues u.k u.n u.s u.s.a u.s.s.r v va vs vt w w.c w.r w.va w.w wash wed wis yr";
const STARTERS =
  "according although among both but despite even he however i if in indeed instead it many meanwhile moreover most nevertheless nonetheless nor sales separately similarly since so some the there these they this though thus under when while yet";
const AFTER_NUMBERS =
  "abreast aes business cbot colgate commodities cooper corrections credit dividend financing genentech henley insider international leisure letters notable pay-fone pegasus pepper review rj wedgestone who zimmer";
const AFTER_INITIALS =
  "b,edelman b,levine b,smith b,stewart b,wigton i,magnin i,toussie j,aron j,fialka j,walter o,ludcke";

/** Built at the first sentence, and kept: every response is split by the same model. */
let english: SentenceModel | null = null;

export function englishModel(): SentenceModel {
  english ??= {
    // Three periods with spaces between them stand for something left out.
    abbreviations: new Set([...ABBREVIATIONS.split(" "), ". . "]),
    starters: new Set(STARTERS.split(" ")),
    pairs: new Set([...AFTER_NUMBERS.split(" ").map((word) => `${NUMBER},${word}`), ...AFTER_INITIALS.split(" ")]),
    small: new Map(englishWords().map((word) => [word.replace("^", ""), word.startsWith("^")])),
    smallStarters: new Set(["administrators", "b-week", "r-revised", "z-holiday"]),
  };
  return english;
}
