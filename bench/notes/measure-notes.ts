import { awaitSteps } from '../../test/support/await-steps.ts';
import type { Client } from '../../test/support/http-client.ts';
import { randomFrom } from '../../test/support/random.ts';
import { type AskOptions, askQuestions } from '../locomo/ask-questions.ts';
import { type RankedQuestion, type Scores, toScores } from '../locomo/score.ts';
import { type AskedNote, type Half, halves, type NoteSet } from './note-set.ts';

/** One way to search, with its name in the report. */
interface NoteWay {
  name: string;
  options: AskOptions;
}

export interface MeasuredWay {
  way: string;
  half: Half;
  scores: Scores;
  /**
   * Questions of the development half whose note is not among the first 10; never those of the held-out half.
   */
  missed: string[];
}

const orderSeed = 1150;

/**
 * Ways to search, the service's defaults first; `threshold` 0
 * lets each note match, as in the LoCoMo benchmark.
 */
const noteWays: readonly NoteWay[] = [
  { name: 'hybrid', options: { method: 'hybrid' } },
  { name: 'hybrid, default threshold', options: { method: 'hybrid', threshold: 0.5 } },
  { name: 'semantic', options: { method: 'semantic' } },
  { name: 'keyword', options: { method: 'keyword' } },
];

/**
 * Stores all notes for a user without memories, in mixed order, each as a conversation
 * of its own. Asks each question in each way after all steps are done.
 *
 * @throws Error if the run proves nothing: a note is not stored, or semantic search finds none of them
 */
export async function measureNotes(http: Client, set: NoteSet): Promise<MeasuredWay[]> {
  const ids = await storeMixed(http, set);
  await awaitSteps(http);
  const textOf = new Map([...ids].map(([text, id]) => [id, text]));
  const measured: MeasuredWay[] = [];
  for (const { name, options } of noteWays)
    for (const half of halves) {
      const asked = set.asked[half].map((each) => toQuestion(each, half));
      const { questions } = await askQuestions(http, asked, textOf, options);
      const missed = questions.flatMap((ranked, index) => (isMissed(ranked) ? [asked[index].question] : []));
      const kept = half === 'development' ? missed : [];
      measured.push({ way: name, half, scores: toScores(questions), missed: kept });
    }
  const best = Math.max(...measured.map(({ scores }) => scores.recall20));
  if (best === 0) throw new Error('hollow: no note was found by any way');
  return measured;
}

function toQuestion({ note, question }: AskedNote, half: Half) {
  return { question, answer: '', category: half, evidence: [note] };
}

function isMissed({ evidence, found }: RankedQuestion): boolean {
  return !found.slice(0, 10).some((text) => evidence.includes(text));
}

/** @returns the id of the memory of each text */
async function storeMixed(http: Client, { asked, others }: NoteSet): Promise<Map<string, string>> {
  const notes = halves.flatMap((half) => asked[half].map(({ note }) => note));
  const ids = new Map<string, string>();
  for (const content of shuffled([...notes, ...others])) {
    const body = { conversationId: 'NEW', content };
    const response = await http.post<{ data: { id: string } }>('/api/memories', body);
    if (response.status !== 201)
      throw new Error(`"${content}" answered ${response.status}: ${response.text}`);
    ids.set(content, response.body.data.id);
  }
  return ids;
}

function shuffled(texts: readonly string[]): string[] {
  const random = randomFrom(orderSeed);
  return texts
    .map((text) => ({ text, at: random.float() }))
    .sort((a, b) => a.at - b.at)
    .map(({ text }) => text);
}
