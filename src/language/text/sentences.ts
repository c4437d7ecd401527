import type { Token } from './token.ts';
import { tokensOf } from './tokens.ts';

const fullStop = /^(?:[.!?]|\.{2,})$/;
const lowerAscii = /^[a-z]/;

/**
 * Splits a text at line breaks and full stops into sentences, each a list of tokens with offsets in the whole
 * text.
 */
export function sentencesOf(text: string, from = 0): Token[][] {
  const sentences: Token[][] = [];
  let current: Token[] = [];
  const body = from === 0 ? text : text.slice(from);
  const tokens = tokensOf(body);
  for (const [i, token] of tokens.entries()) {
    current.push(from === 0 ? token : { ...token, start: token.start + from, end: token.end + from });
    const next = tokens[i + 1];
    if (next && !endsBetween(body, token, next)) continue;
    sentences.push(current);
    current = [];
  }
  return sentences;
}

function endsBetween(text: string, token: Token, next: Token): boolean {
  if (token.end === next.start) return false;
  if (text.slice(token.end, next.start).includes('\n')) return true;
  return fullStop.test(token.word) && !lowerAscii.test(next.word);
}
