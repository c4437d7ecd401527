import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Conversation, DataSet, Session } from '../locomo/data-set.ts';

const talksFolder = 'bench/data/talks';

/** The users of a folder in the layout of `bench/data/talks/README.md`. @throws Error naming a line that breaks it */
export function readTalks(folder = talksFolder): DataSet {
  const files = readdirSync(folder)
    .filter((name) => name.endsWith('.txt'))
    .sort();
  const conversations = files.map((name) => readTalk(name, readFileSync(join(folder, name), 'utf8')));
  return { source: 'written for memoryd', use: 'measuring and training', conversations };
}

function readTalk(file: string, text: string): Conversation {
  const lines = text.split('\n').map((line) => line.trim());
  const [id, speakers] = partsOf(lines[0].slice(1));
  const talk: Conversation = {
    id,
    speakers: speakers.split(',').map((name) => name.trim()),
    sessions: [],
    questions: [],
  };
  for (const [i, line] of lines.entries()) {
    if (i === 0 || line === '') continue;
    if (!addLine(talk, line)) throw new Error(`${file}:${i + 1}: cannot be read: ${line}`);
  }
  return talk;
}

const partsOf = (line: string) => line.split('|').map((part) => part.trim());

function addLine(talk: Conversation, line: string): boolean {
  if (line.startsWith('#'))
    talk.sessions.push({
      number: talk.sessions.length + 1,
      startedAt: `${line.slice(1).trim()}:00.000Z`,
      turns: [],
    });
  else if (line.startsWith('?')) {
    const [category, question, answer, evidence] = partsOf(line.slice(1));
    if (evidence === undefined) return false;
    talk.questions.push({ category, question, answer, evidence: evidence.split(',').map((id) => id.trim()) });
  } else return addTurn(talk.sessions.at(-1), line);
  return true;
}

function addTurn(session: Session | undefined, line: string): boolean {
  const colon = line.indexOf(': ');
  if (!session || colon < 1) return false;
  const id = `S${session.number}:${session.turns.length + 1}`;
  session.turns.push({ id, speaker: line.slice(0, colon), text: line.slice(colon + 2) });
  return true;
}
