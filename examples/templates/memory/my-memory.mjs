// Your memory: takes in a conversation, then answers questions about it. This one remembers every turn.
export default class MyMemory {
  name = "my-memory";
  #turns = [];

  async reset() {
    this.#turns = [];
  }

  async ingest(turns) {
    this.#turns = turns.map(({ content, date }) => `${content} (${date})`);
  }

  async query(question) {
    const wanted = question.toLowerCase().match(/\w{4,}/g) ?? [];
    const shared = (turn) => wanted.filter((word) => turn.toLowerCase().includes(word)).length;
    const [best = ""] = [...this.#turns].sort((a, b) => shared(b) - shared(a));
    return { answer: best, context: best };
  }
}
