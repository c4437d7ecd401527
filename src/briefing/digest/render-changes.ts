import { statementsOf } from '../text/statements.ts';
import type { Change, DigestSource } from './digest.ts';
import { cited, heading } from './markdown.ts';

const titles = { SUPERSEDES: 'Superseded', CONTRADICTS: 'Contradicted' } as const;
const words = { SUPERSEDES: 'Superseded by', CONTRADICTS: 'Contradicted by' } as const;
const shownMax = 10;
/** Of a text, more than a statement is long. */
const firstLengthMax = 2000;

export interface ChangesSection {
  readonly text: string;
  /** Numbers of the sources that it cites. */
  readonly cites: readonly number[];
}

/** A section for each kind of change: the earlier statement, and what took its place or contradicts it. */
export function renderChanges(changes: readonly Change[], isShown: boolean): ChangesSection[] {
  if (!isShown) return [];
  return (['SUPERSEDES', 'CONTRADICTS'] as const).flatMap((kind) => {
    const own = changes.filter((change) => change.kind === kind).slice(0, shownMax);
    const pairs = own.flatMap(({ earlier, later }) => {
      const [before, after] = [earlier, later].map(firstOf);
      return before && after ? [{ before, after }] : [];
    });
    if (pairs.length === 0) return [];
    const items = pairs.map(({ before, after }) => `- ${cited(before)} ${words[kind]}: ${cited(after)}`);
    return [
      {
        text: [heading(2, titles[kind]), ...items].join('\n'),
        cites: pairs.flatMap(({ before, after }) => [before.source, after.source]),
      },
    ];
  });
}

/** Undefined for a text of white space alone. */
const firstOf = ({ memory, number }: DigestSource) =>
  statementsOf(memory.content.trimStart().slice(0, firstLengthMax), number).at(0);
