/** The vocabulary of the needle generator. It contains no digits, so that numbers occur only in facts. */

function splitList(text: string): readonly string[] {
  return text.split("|").map((item) => item.trim());
}

export const PLACES = splitList(
  "Marlow|Hartwell|Orrin|Velden|Castry|Dunmore|Eskdale|Fenwick|Galloway|Harrow Hill|Inverley|Kestrel Bay|Lindholm|Merrow|Norbury|Oakhaven|Pendrick|Quarley|Rosthwaite|Silverton|Tarrant|Ulmstead|Wexcombe|Yarrow|Zellwood|Ashgrove|Brackley|Corvale|Drumlin|Elmsworth",
);

/** A kind of building, and a description without its name. */
export const BUILDINGS: readonly (readonly [string, string])[] = [
  ["archive", "the building that holds the old papers"],
  ["library", "the reading rooms and their shelves of books"],
  ["museum", "the house with the exhibitions"],
  ["observatory", "the dome with the telescope"],
  ["clinic", "the place where the sick are treated"],
  ["depot", "the yard where the buses are parked"],
  ["brewery", "the works where the beer is made"],
  ["school", "the classrooms of the children"],
];

export const PEOPLE = splitList(
  "Edith Crane|Tobias Lund|Marta Solberg|Jonas Whitfield|Priya Raman|Oskar Bell|Ingrid Vale|Samuel Okoye|Clara Ferris|Hugo Lambert|Nadia Petrov|Felix Arden|Rosa Jimenez|Walter Pike|Amara Diallo|Leon Hartmann|Greta Moss|Dimitri Kovac|Helen Stroud|Victor Nash|Yara Haddad|Simon Teague|Beatrix Holm|Conrad Weiss",
);

/** A belonging, and a description of it. */
export const BELONGINGS: readonly (readonly [string, string])[] = [
  ["brass compass", "the instrument for finding north"],
  ["silver flute", "the woodwind that musicians play"],
  ["leather diary", "the private journal"],
  ["pearl necklace", "the jewellery for the throat"],
  ["bone chess set", "the board game with kings and pawns"],
  ["travel passport", "the papers needed at a border"],
  ["spare house key", "the thing that opens the front door"],
  ["wool scarf", "the garment against the cold"],
];

export const COLORS = splitList("green|crimson|ivory|turquoise|amber|violet|scarlet|indigo|maroon|teal");
export const FURNITURE = splitList("cabinet|trunk|wardrobe|sideboard|bureau|chest|dresser|bookcase|nightstand|locker");

/** A festival, and a description of it. */
export const FESTIVALS: readonly (readonly [string, string])[] = [
  ["lantern festival", "the evening of paper lights"],
  ["harvest festival", "the feast after the crops are in"],
  ["kite festival", "the days when coloured sails fill the sky"],
  ["choir festival", "the gathering of singers"],
  ["apple festival", "the fair with cider and orchards"],
  ["boat festival", "the regatta on the water"],
];

export const MONTHS = splitList(
  "January|February|March|April|May|June|July|August|September|October|November|December",
);

export const SHIPS = splitList(
  "Halcyon|Meridian|Northern Star|Albatross|Wanderer|Sea Thistle|Curlew|Constance|Peregrine|Silver Wake|Tempest|Good Hope",
);

export const ROLES = splitList(
  "gardener|carpenter|caretaker|baker|librarian|surveyor|ferry pilot|teacher|nurse|clerk|blacksmith|beekeeper|plumber|translator|tailor|cook|watchmaker|mason|postman|shepherd|potter|glazier|electrician|bookkeeper|painter|fisherman|weaver|porter|cyclist|violinist|farmer|cashier|roofer|miller|printer|secretary|driver|lamplighter|botanist|apprentice",
);
export const TRAITS = splitList(
  "patient|cheerful|quiet|experienced|young|retired|careful|tired|curious|local|friendly|visiting|stubborn|punctual|thoughtful|new",
);

/** Verbs with matching objects. */
export const ACTIONS: readonly { readonly verbs: readonly string[]; readonly objects: readonly string[] }[] = [
  {
    verbs: splitList("repaired|inspected|replaced|measured|cleaned|photographed|repainted|sketched"),
    objects: splitList(
      "the garden fence|the wooden railing|the old pump|a cracked window|the kitchen tiles|the weather vane|the stone steps|the rusty hinges|a row of benches|the gutter above the porch|the clock in the hall|the narrow footbridge",
    ),
  },
  {
    verbs: splitList("summarised|corrected|copied|discussed|reread|translated|filed|questioned"),
    objects: splitList(
      "the minutes of the meeting|a long letter|the weekly report|the shopping list|a page of the almanac|the seating plan|the notes from the lecture|a short notice|the menu|the rules of the club|an unsigned postcard|the table of tides",
    ),
  },
  {
    verbs: splitList("planted|watered|trimmed|admired|counted|covered|transplanted|sheltered"),
    objects: splitList(
      "the rose bushes|a bed of tulips|the young birches|several pots of thyme|the hedge along the lane|the tomato vines|a line of willows|the strawberry plants|the climbing beans|the lavender",
    ),
  },
  {
    verbs: splitList("carried|delivered|unpacked|weighed|sorted|stacked|wrapped|collected"),
    objects: splitList(
      "the morning parcels|a basket of pears|three sacks of flour|the empty bottles|a crate of lemons|the folded blankets|a box of candles|the returned books|the winter coats|two bundles of firewood",
    ),
  },
  {
    verbs: splitList("prepared|tasted|served|praised|ordered|burned|shared|reheated"),
    objects: splitList(
      "a pot of lentil soup|the plum cake|a plate of dumplings|the rye bread|a bowl of porridge|the pickled cabbage|an omelette|the mushroom pie|a tray of biscuits|the barley stew",
    ),
  },
];

export const PLACE_PHRASES = splitList(
  "near the harbour|behind the town hall|in the courtyard|beside the river|at the end of the lane|under the arches|on the second floor|outside the bakery|by the old mill|across the square|in the workshop|next to the well|at the market|along the canal|in the back room|on the hillside",
);
export const MANNER_PHRASES = splitList(
  "without any hurry|before the rain began|with great care|in less than an hour|while the others watched|for the third time that week|as usual|without a word|with borrowed tools|in good spirits|despite the wind|to everyone's surprise|just before noon|until it grew dark",
);
export const TIME_PHRASES = splitList(
  "On Monday|Early in the morning|After lunch|Late that evening|During the holidays|A week later|Shortly before dusk|That same afternoon|In early spring|On the following day|Towards the end of the month|Every other Thursday|Not long ago|In the meantime",
);
export const SOURCES = splitList(
  "the newsletter|a neighbour|the notice board|the evening paper|an old photograph|the caretaker's notes|a passing visitor|the radio",
);
export const WEATHER = splitList(
  "the fog lifted slowly|a light drizzle set in|the streets stayed empty|the bells rang twice|the shops closed early|the river rose a little|clouds gathered over the hills|the lamps were lit|gulls circled above the roofs|the wind turned east|children played in the puddles|the market filled with people",
);

/** Notices that a text repeats. Long enough that a copy with one more word is nearly the same. */
export const REFRAINS = splitList(
  "Visitors are kindly reminded to close the gate behind them and to keep their dogs on a lead|This page is reproduced with permission and may not be shared without the consent of the editors|Readers who wish to comment are invited to write to the office at the usual address before Friday|The opening hours may change at short notice when the weather or the number of guests requires it|All opinions are those of the authors and do not reflect the views of the town council|Lost property is kept at the front desk for a fortnight and then given to the charity shop|The next issue will appear as soon as the printing press has been repaired and tested again|Parking is allowed on the left side of the road only and never in front of the fire station",
);
