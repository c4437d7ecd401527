import type { SourceSpan } from '../facts/fact.ts';
import type { Token } from '../text/token.ts';

const link = /^https?:\/\//;
const ticket = /^[A-Z]{2,10}-\d+$/;
/** Standards and products that look like a ticket number. */
const standard = /^(UTF|SHA|ISO|COVID|GPT|MD|AES|RSA|HTTP|IPV|MP|USB|ES|CVE)-/;
const hashNumber = /^#\d{2,}$/;
const path = /^[\w.~-]*(\/[\w.{}-]+)+\.\w+$/;
const numbered = /^(migration|ticket|issue|PR|RFC|ADR|version)$/i;
const number = /^#?\d{2,}$/;
/** Identifiers taken from one text. */
const identifiersMax = 100;

/** Links, file paths, tickets and numbered documents in a text, by their lower-case form. */
export function identifiersIn(text: string, tokens: readonly Token[]): ReadonlyMap<string, SourceSpan> {
  const found = new Map<string, SourceSpan>();
  for (const [i, { word, start, end }] of tokens.entries()) {
    if (found.size >= identifiersMax) break;
    const next = tokens[i + 1];
    if (next && numbered.test(word) && number.test(next.word))
      found.set(`${word} ${next.word.replace('#', '')}`.toLowerCase(), {
        text: text.slice(start, next.end),
        start,
        end: next.end,
      });
    else if (isIdentifier(word)) found.set(word.toLowerCase(), { text: word, start, end });
  }
  return found;
}

const isIdentifier = (word: string) =>
  link.test(word) || hashNumber.test(word) || path.test(word) || (ticket.test(word) && !standard.test(word));
