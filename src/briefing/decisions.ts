import { invalidInput } from '../domain/shared/errors.ts';
import { sentencesOf } from '../language/text/tokens.ts';
import { isTooDeep, jsonDepthRule } from '../lib/json.ts';

/** Words of a sentence that states a choice or its reason. */
const decision =
  /\b(?:decided|decision|chose|chosen|instead of|rather than|switch(?:ed)? to|replaced .{1,60} (?:by|with)|root cause|the cause (?:is|was)|turned out|because|so that|trade-?off|workaround|must not|from now on)\b/i;
const lineLengthMax = 2000;
const sentenceLengthMax = 300;
const sentenceLengthMin = 20;

/**
 * Sentences that state a decision or a reason, word for word,
 * without repetitions, in order of their last occurrence.
 */
export function decisionsIn(texts: readonly string[], max: number): string[] {
  const found = new Set<string>();
  for (let i = texts.length - 1; i >= 0 && found.size < max; i--) {
    const lines = texts[i].split('\n').filter((line) => line.length <= lineLengthMax && decision.test(line));
    for (const sentence of lines.flatMap(sentencesIn).reverse()) {
      if (found.size < max && isDecision(sentence)) found.add(sentence);
    }
  }
  return [...found].reverse();
}

function isDecision(sentence: string): boolean {
  const { length } = sentence;
  return length >= sentenceLengthMin && length <= sentenceLengthMax && decision.test(sentence);
}

function sentencesIn(line: string): string[] {
  return sentencesOf(line).map((tokens) => {
    const sentence = line.slice(tokens[0].start, tokens[tokens.length - 1].end);
    return sentence.replace(/\s+/g, ' ').trim();
  });
}

/**
 * Messages of people and agents, without tool calls and their results, which are many times as long.
 * @throws 422 for a line that is nested too deeply
 */
export function textsOf(transcript: string): string[] {
  return transcript.split('\n').flatMap((line) => {
    const entry = line.startsWith('{') ? parsed(line) : undefined;
    return entry === undefined ? line : textsOfEntry(entry);
  });
}

/** Undefined for a line that only looks like JSON, such as the first half of a cut one. */
function parsed(line: string): unknown {
  if (isTooDeep(line)) throw invalidInput('a line of transcript', jsonDepthRule);
  try {
    return JSON.parse(line);
  } catch {
    // The line counts as plain text.
    return undefined;
  }
}

interface Entry {
  readonly message?: unknown;
  readonly content?: unknown;
  readonly type?: unknown;
  readonly text?: unknown;
}

/**
 * Texts of an entry: `{message: {content}}` or `{content}`, whose content
 * is a text or a list of parts, some of them `{type: text, text}`.
 */
function textsOfEntry(entry: unknown): string[] {
  if (typeof entry === 'string') return [entry];
  if (typeof entry !== 'object' || entry === null) return [];
  const { message, content, type, text } = entry as Entry;
  if (message !== undefined) return textsOfEntry(message);
  if (type === 'text' && typeof text === 'string') return [text];
  if (typeof content === 'string') return type === 'tool_result' ? [] : [content];
  return type !== 'tool_result' && Array.isArray(content) ? content.flatMap(textsOfEntry) : [];
}
