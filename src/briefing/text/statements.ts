import { sentencesOf } from '../../language/text/tokens.ts';
import { analyze } from '../../search-index/analysis/index.ts';
import { isFiller, readableBlocks } from './readable.ts';

/** A sentence of a source, word for word except for white space. */
export interface Statement {
  /** Number of the source, from 1. */
  readonly source: number;
  /** Place among the sentences of its source, from 0. */
  readonly position: number;
  readonly text: string;
  readonly terms: ReadonlySet<string>;
}

/**
 * A text of at most this many characters is one statement: a split conversation turn would lose its context.
 */
const wholeLengthMax = 320;
/** Maximum of statements of one source: the rest of a long document has sources of its own. */
const statementsMax = 40;
const analysedMax = 20_000;
/** Sentences longer than this are tables, code or lists: they are cut at a word. */
const lengthMax = 600;

/**
 * The statements of one text: the whole of a short one, else its sentences; without fillers and
 * lines that only tools read. Bounded in number and length.
 */
export function statementsOf(content: string, source: number): Statement[] {
  const blocks = readableBlocks(content.slice(0, analysedMax));
  return blocks
    .flatMap((block) => (block.trim().length <= wholeLengthMax ? [block] : sentencesIn(block)))
    .map(plain)
    .filter((text) => text !== '' && !isFiller(text))
    .slice(0, statementsMax)
    .map((text, position) => ({ source, position, text, terms: new Set(analyze(text)) }));
}

/** The end of a long line in the middle of a sentence: the text was wrapped there. */
const wrapped = /^(.{60,}[^.!?:|\s])\n(?=[\p{L}\p{N}("`])/gmu;

function sentencesIn(wrappedContent: string): string[] {
  const content = wrappedContent.replace(wrapped, '$1 ');
  return sentencesOf(content).map((tokens) => content.slice(tokens[0].start, tokens[tokens.length - 1].end));
}

/** On one line, and no longer than a statement may be. */
function plain(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  if (line.length <= lengthMax) return line;
  const cut = line.lastIndexOf(' ', lengthMax);
  return line.slice(0, cut > 0 ? cut : lengthMax).replace(/[\ud800-\udbff]$/, '');
}
