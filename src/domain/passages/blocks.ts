/** A heading, list item, paragraph, turn, table or fence of a text. */
export interface Block {
  readonly kind: 'heading' | 'text' | 'table' | 'fence';
  /** UTF-16 units, end exclusive, without blank lines around it. */
  readonly start: number;
  readonly end: number;
  /** Of a heading, from 1; a line in bold counts below all levels of Markdown. */
  readonly level: number;
  /** End of the first row of a table that has a head. */
  readonly headEnd?: number;
}

const fence = /^ {0,3}(```|~~~)/;
const hashes = /^ {0,3}(#{1,6})\s+\S/;
const boldLine = /^\s{0,3}\*\*[^*]{1,100}\*\*:?\s*$/;
const underline = /^ {0,3}(={3,}|-{3,})\s*$/;
const item = /^\s{0,12}(?:[-*+•]|\d{1,3}[.)])\s/;
const row = /^\s{0,3}\|/;
const rule = /^\s{0,3}\|[\s:|-]+$/;
const turn = /^\p{L}[\p{L}\p{M}\p{N} .'’-]{0,39}:\s/u;
const boldLevel = 7;

interface Line {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

function* linesOf(text: string): Generator<Line> {
  for (let start = 0; start < text.length; ) {
    const found = text.indexOf('\n', start);
    const end = found < 0 ? text.length : found;
    yield { text: text.slice(start, end), start, end };
    start = end + 1;
  }
}

/** The blocks of a text, in order: Markdown as far as it shows seams. Linear in the length of the text. */
export function blocksOf(text: string): readonly Block[] {
  const reader = new BlockReader(text);
  for (const line of linesOf(text)) reader.read(line);
  return reader.blocks();
}

class BlockReader {
  readonly #text: string;
  readonly #blocks: Block[] = [];
  #open: { -readonly [K in keyof Block]: Block[K] } | undefined;
  /** Marks that end the fence. */
  #closing: string | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  blocks(): readonly Block[] {
    this.#close();
    return this.#blocks;
  }

  read(line: Line): void {
    if (this.#open && this.#closing !== undefined) {
      this.#open.end = line.end;
      if (line.text.trimStart().startsWith(this.#closing)) this.#close();
      return;
    }
    const marks = fence.exec(line.text)?.[1];
    const level = headingLevel(line.text);
    if (marks !== undefined) {
      this.#begin('fence', line);
      this.#closing = marks;
    } else if (line.text.trim() === '') this.#close();
    else if (level > 0) {
      this.#begin('heading', line, level);
      this.#close();
    } else if (row.test(line.text)) this.#readRow(line);
    else this.#readText(line);
  }

  #begin(kind: Block['kind'], { start, end }: Line, level = 0): void {
    this.#close();
    this.#open = { kind, start, end, level };
  }

  #close(): void {
    if (this.#open) this.#blocks.push(this.#open);
    this.#open = undefined;
    this.#closing = undefined;
  }

  #readRow(line: Line): void {
    const open = this.#open;
    if (open?.kind !== 'table') {
      this.#begin('table', line);
      return;
    }
    if (open.headEnd === undefined && rule.test(line.text) && this.#isOneLine(open)) open.headEnd = open.end;
    open.end = line.end;
  }

  #readText(line: Line): void {
    const open = this.#open;
    if (open?.kind !== 'text') {
      this.#begin('text', line);
      return;
    }
    if (underline.test(line.text) && this.#isOneLine(open)) {
      open.kind = 'heading';
      open.level = line.text.includes('=') ? 1 : 2;
      open.end = line.end;
      this.#close();
    } else if (item.test(line.text) || turn.test(line.text)) this.#begin('text', line);
    else open.end = line.end;
  }

  #isOneLine({ start, end }: Block): boolean {
    return !this.#text.slice(start, end).includes('\n');
  }
}

function headingLevel(line: string): number {
  const marks = hashes.exec(line)?.[1];
  if (marks !== undefined) return marks.length;
  return boldLine.test(line) ? boldLevel : 0;
}
