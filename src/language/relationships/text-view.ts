import type { AnalysedSentence, AnalysedText } from '../analysed-text.ts';
import type { EntityMention } from '../entities/entity.ts';
import type { ExtractedFact, SourceSpan } from '../facts/fact.ts';
import { type Token, tokensOf } from '../text/tokens.ts';
import { isFiller, stemOf, stopWords, toContent } from './content-words.ts';

/** A text as the rules for relationships read it. */
export interface TextView {
  readonly text: string;
  /** The text after the speaker's name. */
  readonly body: string;
  readonly bodyStart: number;
  readonly speaker: string | undefined;
  /** Of the body. */
  readonly sentences: readonly AnalysedSentence[];
  readonly tokens: readonly Token[];
  /** Stems of the content words. */
  readonly content: readonly string[];
  readonly contentSet: ReadonlySet<string>;
  /** Content words that are no fillers, such as `yeah` and `um`. */
  readonly said: number;
  readonly hasFillers: boolean;
  readonly numbers: ReadonlySet<string>;
  readonly entities: readonly EntityMention[];
  /** Names in lower case. */
  readonly names: ReadonlySet<string>;
  readonly facts: readonly ExtractedFact[];
  readonly isNegated: boolean;
  readonly isQuestion: boolean;
  readonly isHedged: boolean;
  /** Links, paths and ticket numbers, in lower case. */
  readonly identifiers: ReadonlyMap<string, SourceSpan>;
}

/** UTF-16 units from the start of a text that the rules read: long texts share words by chance. */
export const viewedLengthMax = 4000;
const factsMax = 50;
const negation =
  /\b(not|never|no longer|n't|isn't|doesn't|don't|didn't|can't|cannot|won't|wasn't|aren't|hasn't|haven't)\b|n['’]t\b/i;
const question = /\?\s*$/;
/** Not the month. */
const permission = /\bmay\b/;
const hedge =
  /\b(might|maybe|perhaps|probably|would|could|should|thinks?|believes?|guess|if|love to|want to|plan(?:s|ning)? (?:to|on))\b/i;

/**
 * @param entities of the whole text, in order
 * @param facts of the whole text, in order
 */
export function toTextView(
  analysed: AnalysedText,
  entities: readonly EntityMention[],
  facts: readonly ExtractedFact[],
): TextView {
  const text = analysed.text.slice(0, viewedLengthMax);
  const { speaker } = analysed;
  const bodyStart = speaker?.bodyStart ?? 0;
  const body = text.slice(bodyStart);
  const sentences = analysed.sentences.filter(({ tokens }) => (tokens.at(-1)?.end ?? 0) <= text.length);
  const tokens = sentences.flatMap((sentence) => sentence.tokens);
  const words = tokens.filter((_, at) => !isFiller(tokens, at));
  const content = tokens.flatMap(({ word }) => toContent(word));
  const within = entities.filter(({ end }) => end <= text.length);
  return {
    text,
    body,
    bodyStart,
    speaker: speaker?.name,
    sentences,
    tokens,
    content,
    contentSet: new Set(content),
    said: words.flatMap(({ word }) => toContent(word)).length,
    hasFillers: words.length < tokens.length,
    numbers: new Set(content.filter((word) => /\d/.test(word))),
    entities: within,
    names: new Set(within.map((entity) => entity.text.toLowerCase())),
    facts: facts.filter(({ object }) => object.end <= text.length).slice(0, factsMax),
    isNegated: negation.test(body),
    isQuestion: question.test(body),
    isHedged: hedge.test(body) || permission.test(body),
    identifiers: identifiersIn(text, tokens),
  };
}

/** Whether both texts name a speaker, and different ones. */
export const speakersDiffer = (a: TextView, b: TextView) =>
  a.speaker !== undefined && b.speaker !== undefined && a.speaker !== b.speaker;

export const areEqual = (a: ReadonlySet<string>, b: ReadonlySet<string>) =>
  a.size === b.size && [...a].every((word) => b.has(word));

/** Span of the first match of the pattern in the body; the whole body if there is none. */
export function evidenceOf(view: TextView, pattern?: RegExp): SourceSpan {
  const found = pattern?.exec(view.body);
  const [start, length] = found
    ? [found.index + view.bodyStart, found[0].length]
    : [view.bodyStart, view.body.length];
  return { text: view.text.slice(start, start + length), start, end: start + length };
}

/** Stems of the content words of a clause. */
export const stemsOf = (clause: string) =>
  new Set(
    tokensOf(clause)
      .map(({ word }) => word.toLowerCase())
      .filter((word) => /\p{L}/u.test(word) && !stopWords.has(word))
      .map(stemOf),
  );

const link = /^https?:\/\//;
const ticket = /^[A-Z]{2,10}-\d+$/;
/** Standards and products that look like a ticket number. */
const standard = /^(UTF|SHA|ISO|COVID|GPT|MD|AES|RSA|HTTP|IPV|MP|USB|ES|CVE)-/;
const hashNumber = /^#\d{2,}$/;
const path = /^[\w.~-]*(\/[\w.{}-]+)+\.\w+$/;
const numbered = /^(migration|ticket|issue|PR|RFC|ADR)$/i;
const number = /^#?\d{2,}$/;
/** Identifiers taken from one text. */
const identifiersMax = 100;

/** Links, file paths, tickets and numbered documents in a text, by their lower-case form. */
function identifiersIn(text: string, tokens: readonly Token[]): ReadonlyMap<string, SourceSpan> {
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
  isDocument(word) || hashNumber.test(word) || path.test(word) || (ticket.test(word) && !standard.test(word));

const host = /^https?:\/\/(?:www\.)?([^/?#]+)([^?#]*)/i;
const codeHost = /^(github|gitlab|bitbucket|codeberg|sr\.ht|gitea)\b/i;
const registry = /(^|\.)(npmjs|pypi|crates|rubygems|nuget|packagist|docker|readthedocs|docs\.rs)\b/i;
const itemOfProject = /\/(issues|pull|pulls|pull-requests|merge_requests|discussions|commit|wiki)\/[\w-]+/i;
const segmentsMin = 2;

/** Whether a link points to a ticket or a document, not to the page or the changes of a project. */
function isDocument(word: string): boolean {
  const [, name, path] = host.exec(word) ?? [];
  if (name === undefined || !link.test(word) || registry.test(name)) return false;
  if (codeHost.test(name)) return itemOfProject.test(path);
  return path.split('/').filter(Boolean).length >= segmentsMin;
}
