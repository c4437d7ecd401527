import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { Conversation, Question, Session } from '../../bench/locomo/data-set.ts';
import { kindOf, readTalkSet } from '../../bench/talks/talk-set.ts';
import { type Random, randomFrom } from '../../test/support/random.ts';

/** Users of one kind, with the weight of their questions in the loss. */
export interface TrainingSet {
  readonly name: string;
  readonly weight: number;
  readonly users: readonly Conversation[];
  /** Interval of the questions asked: 1 for all, 2 for every second one. */
  readonly every: number;
}

interface RawUser {
  readonly id: string;
  readonly docs: readonly { readonly text: string; readonly conv: number; readonly time?: string }[];
  readonly questions: readonly {
    readonly q: string;
    readonly ev: readonly number[];
    readonly scope?: number | null;
  }[];
}

const dayMs = 86_400_000;
/** Share of the questions of dated sets that name the time of their evidence. */
const datedShare = 0.25;
const seed = 11;
const scenesOfMerged = 4;

/**
 * Talks and notes of this project, and FriendsQA from a file. FriendsQA has no times, so
 * the scenes of merged users get days, from which the weight of a time is learned.
 * @param friendsFile see `lab/ranker/README.md`; undefined for talks and notes alone
 */
export function readTrainingSets(friendsFile: string | undefined): TrainingSet[] {
  const random = randomFrom(seed);
  const talks = readTalkSet().conversations.map((talk) => withTimes(talk, random));
  const isNotes = ({ id }: Conversation) => kindOf(id) === 'notes';
  const own: TrainingSet[] = [
    { name: 'talks', weight: 0.8, every: 1, users: talks.filter((talk) => !isNotes(talk)) },
    { name: 'notes', weight: 0.8, every: 1, users: talks.filter(isNotes) },
  ];
  if (friendsFile === undefined) return own;
  const friends = readUsers(friendsFile);
  return [
    { name: 'friends', weight: 0.5, every: 1, users: friends.map(toConversation) },
    {
      name: 'friends, merged',
      weight: 0.5,
      every: 2,
      users: mergedUsers(friends).map((user) => withTimes(withDays(toConversation(user), random), random)),
    },
    {
      name: 'friends, each turn alone',
      weight: 0.3,
      every: 3,
      users: friends.map(toConversation).map(eachAlone),
    },
    ...own,
  ];
}

function readUsers(file: string): RawUser[] {
  return (JSON.parse(gunzipSync(readFileSync(file)).toString('utf8')) as { users: RawUser[] }).users;
}

function toConversation({ id, docs, questions }: RawUser): Conversation {
  const sessions: Session[] = [];
  for (const [i, { text, conv, time }] of docs.entries()) {
    sessions[conv] ??= { number: conv, startedAt: time ?? '', turns: [] };
    sessions[conv].turns.push({ id: String(i), speaker: '', text });
  }
  return { id, speakers: [], sessions: sessions.filter(Boolean), questions: questions.map(toQuestion) };
}

function toQuestion({ q, ev, scope }: RawUser['questions'][number]): Question {
  return {
    question: q,
    answer: '',
    category: 'friends',
    evidence: ev.map(String),
    session: scope ?? undefined,
  };
}

/** Merges four users into one, with the questions of all. */
function mergedUsers(users: readonly RawUser[]): RawUser[] {
  const merged: RawUser[] = [];
  for (let from = 0; from < users.length; from += scenesOfMerged)
    merged.push(users.slice(from, from + scenesOfMerged).reduce(joined));
  return merged.map(({ questions, ...user }) => ({
    ...user,
    questions: questions.map((question) => ({ ...question, scope: null })),
  }));
}

function joined(a: RawUser, b: RawUser): RawUser {
  const conversations = 1 + Math.max(...a.docs.map(({ conv }) => conv));
  return {
    id: `${a.id}+${b.id}`,
    docs: [...a.docs, ...b.docs.map((doc) => ({ ...doc, conv: doc.conv + conversations }))],
    questions: [
      ...a.questions,
      ...b.questions.map((question) => ({ ...question, ev: question.ev.map((doc) => doc + a.docs.length) })),
    ],
  };
}

function eachAlone(user: Conversation): Conversation {
  const turns = user.sessions.flatMap((session) => session.turns);
  return {
    ...user,
    sessions: turns.map((turn, i) => ({ number: i, startedAt: '', turns: [turn] })),
    questions: user.questions.map((question) => ({ ...question, session: undefined })),
  };
}

function withDays(user: Conversation, random: Random): Conversation {
  const start = Date.parse('2024-01-05T10:00:00Z');
  const days = user.sessions.map(() => random.float() * 420).sort((a, b) => a - b);
  return {
    ...user,
    sessions: user.sessions.map((session, i) => ({
      ...session,
      startedAt: new Date(start + days[i] * dayMs).toISOString(),
    })),
  };
}

function withTimes(user: Conversation, random: Random): Conversation {
  const sessionOf = new Map(
    user.sessions.flatMap(({ startedAt, turns }) => turns.map(({ id }) => [id, startedAt] as const)),
  );
  return {
    ...user,
    questions: user.questions.map((question) => {
      const time = sessionOf.get(question.evidence[0]) ?? '';
      if (!random.chance(datedShare) || time === '') return question;
      const text = question.question.trim().replace(/\s*\?$/, '');
      return { ...question, question: `${text} ${phraseOf(Date.parse(time), random)}?` };
    }),
  };
}

const months = 'January February March April May June July August September October November December'.split(
  ' ',
);

function phraseOf(at: number, random: Random): string {
  const date = new Date(at);
  const [day, month, year] = [date.getUTCDate(), months[date.getUTCMonth()], date.getUTCFullYear()];
  const chance = random.float();
  if (chance < 0.45) return `in ${month} ${year}`;
  if (chance < 0.6) return `in ${month}, ${year}`;
  return chance < 0.85 ? `on ${day} ${month} ${year}` : `on ${day} ${month}, ${year}`;
}
