/** A text that is read from left to right. */
export class Cursor {
  readonly text: string;
  at = 0;
  /** How many whole numbers were written as fractions so far, such as 10.0. */
  wholeFloats = 0;

  constructor(text: string) {
    this.text = text;
  }

  skipSpace(): void {
    while (/\s/.test(this.text[this.at] ?? "")) this.at += 1;
  }

  /** Takes a character if it comes next, after any space. */
  take(char: string): boolean {
    this.skipSpace();
    if (this.text[this.at] !== char) return false;
    this.at += 1;
    return true;
  }

  peek(): string {
    this.skipSpace();
    return this.text[this.at] ?? "";
  }

  /** Takes what a sticky pattern matches here; null when it does not. */
  match(pattern: RegExp): string | null {
    this.skipSpace();
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0] ?? null;
    if (found !== null) this.at += found.length;
    return found;
  }
}

/** What is not Python; caught where reading began. */
export class NotPython extends Error {}
