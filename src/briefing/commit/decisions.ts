import { sentencesOf } from '../../language/text/sentences.ts';

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
