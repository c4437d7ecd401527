import type { Role } from '../../memories/memory.ts';

export interface Sentence {
  /** A name, or `user`. */
  readonly owner: string;
  readonly text: string;
}

const readMax = 20_000;
const sentencesMax = 200;
const lengthMax = 300;

const speaker = /^\s*([\p{Lu}][\p{L}'’.-]{0,30}(?: [\p{Lu}][\p{L}'’.-]{0,30})?):\s+/u;
const bullet = /^\s*(?:[-*•]|\d{1,3}[.)])\s+/u;
/** Speakers whose words are nobody's wishes. */
const machine = /^(?:assistant|agent|ai|bot|system|chatgpt|claude|copilot|model)$/iu;
/** Heads of lines that name no speaker. */
const noName = /^(?:note|todo|idea|memo|remind|reminder|user|me|human|book|bug|fix|rule|cause|update)$/iu;

/**
 * The sentences of a memory that state something, with who says each; questions and what machines say are left out.
 * Of a long memory the first 20,000 characters count, and the first 200 sentences of up to 300 characters.
 */
export function sentencesOf(content: string, role: Role | null): Sentence[] {
  if (role === 'assistant' || role === 'system') return [];
  const found: Sentence[] = [];
  let owner = 'user';
  for (const line of content.slice(0, readMax).split('\n')) {
    const said = speaker.exec(line);
    if (said) owner = noName.test(said[1]) ? 'user' : said[1];
    if (!machine.test(owner)) found.push(...statedIn(said ? line.slice(said[0].length) : line, owner));
    if (found.length >= sentencesMax) break;
  }
  return found.slice(0, sentencesMax);
}

const statedIn = (line: string, owner: string): Sentence[] =>
  line
    .replace(bullet, '')
    .split(/(?<=[.!?])\s+/u)
    .map((text) => text.trim())
    .filter((text) => text !== '' && text.length <= lengthMax && !text.endsWith('?'))
    .map((text) => ({ owner, text }));
