import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Conversation, Turn } from '../../bench/locomo/data-set.ts';
import { type DirectHalf, directHalves, readDirectQuestions } from './direct-questions.ts';

const folder = 'lab/data/small-stores';

/** A question to a small store. */
interface SmallQuestion {
  readonly half: DirectHalf;
  readonly question: string;
  readonly evidence: readonly string[];
}

/** A store of 5 to 30 memories with questions about it. */
export interface SmallStore {
  readonly stored: Conversation;
  /** User of the talk that it is a part of, or a group of the written ones: left out of a fit as one. */
  readonly user: string;
  readonly questions: readonly SmallQuestion[];
}

/** The written stores, each of one half, then parts of the talks with the direct questions about them. */
export function readSmallStores(talks: readonly Conversation[]): SmallStore[] {
  return [...directHalves.flatMap(readWrittenStores), ...talks.flatMap(partsOf)];
}

/** Written stores are judged in so many groups by weights fitted to the others. */
const writtenGroups = 2;

/** @throws if a line is of another form */
export function readWrittenStores(half: DirectHalf): SmallStore[] {
  const blocks = readFileSync(join(folder, `${half}.txt`), 'utf8')
    .trim()
    .split(/\n\n/);
  return blocks.map((block, number) => {
    const [head, ...lines] = block.split('\n');
    const name = head.replace(/^@ /, '');
    const turns: Turn[] = [];
    const questions: SmallQuestion[] = [];
    for (const line of lines) {
      const note = /^(\d+) (.+)$/.exec(line);
      const asked = /^\? ([^|]+) \|([\d, ]*)$/.exec(line);
      if (note) turns.push({ id: note[1], speaker: '', text: note[2] });
      else if (asked) questions.push({ half, question: asked[1], evidence: asked[2].match(/\d+/g) ?? [] });
      else throw new Error(`${half}.txt: cannot be read: ${line}`);
    }
    const stored = storeOf(
      name,
      turns.map((turn) => [turn]),
    );
    return { stored, user: `written ${number % writtenGroups}`, questions };
  });
}

function storeOf(id: string, conversations: readonly (readonly Turn[])[]): Conversation {
  const sessions = conversations.map((turns, i) => ({ number: i + 1, startedAt: '', turns: [...turns] }));
  return { id, speakers: [], sessions, questions: [] };
}

const sizes = [6, 10, 15, 20, 30];
/** Of the questions about something that a part does not contain, each fifth is asked. */
const absentEach = 5;

/** A talk cut into parts of 6 to 30 turns. */
function partsOf({ id, sessions }: Conversation, talk: number): SmallStore[] {
  const turns = sessions.flatMap((session) => session.turns.map((turn) => ({ turn, session })));
  const asked = directHalves.flatMap((half) =>
    readDirectQuestions(half)
      .filter(({ user }) => user === id)
      .map((question) => ({ ...question, half })),
  );
  const parts: SmallStore[] = [];
  for (let from = 0, part = 0; from < turns.length; part++) {
    const own = turns.slice(from, from + sizes[(talk + part) % sizes.length]);
    from += own.length;
    const ids = new Set(own.map(({ turn }) => turn.id));
    const questions = asked
      .map(({ half, question, evidence }) => ({
        half,
        question,
        evidence: evidence.filter((turn) => ids.has(turn)),
      }))
      .filter(({ evidence }, i) => evidence.length > 0 || (i + part) % absentEach === 0);
    const stored = {
      ...storeOf(`${id}/${part}`, []),
      sessions: [...new Set(own.map(({ session }) => session))].map((session) => ({
        ...session,
        turns: own.filter((each) => each.session === session).map(({ turn }) => turn),
      })),
    };
    parts.push({ stored, user: id, questions });
  }
  return parts;
}
