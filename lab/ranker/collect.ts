import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import type { Conversation } from '../../bench/locomo/data-set.ts';
import { openInProcess } from '../../bench/locomo/rank-in-process.ts';
import type { NetworkName } from '../../src/search/rank/ranking-models.ts';
import { openCachedModels } from './cached-encoder.ts';
import { type LabelledQuestion, labelledQuestions } from './labelled.ts';

export interface Collected {
  readonly name: string;
  readonly weight: number;
  readonly questions: readonly LabelledQuestion[];
}

export interface AskedUsers {
  readonly name: string;
  readonly weight: number;
  readonly every: number;
  readonly users: readonly Conversation[];
}

/** A fixed present, so that relative times such as "last May" mean the same in each run. */
const clock = { now: () => Date.UTC(2026, 0, 1) };

/**
 * Stores all users through the services in a separate store, and
 * collects the candidates of their questions as a search does.
 * @param folder cache of features and vectors for later runs; undefined for none
 */
export async function collect(
  sets: readonly AskedUsers[],
  model: NetworkName,
  folder: string | undefined,
): Promise<Collected[]> {
  const collected: Collected[] = [];
  for (const set of sets) {
    const file = folder && join(folder, `${model}-${set.name.replace(/\W+/g, '-')}-${set.every}.bin`);
    if (file && existsSync(file)) {
      collected.push({ name: set.name, weight: set.weight, questions: deserialize(readFileSync(file)) });
      continue;
    }
    const questions = await collectSet(set, model, folder);
    if (file) writeFileSync(file, serialize(questions));
    collected.push({ name: set.name, weight: set.weight, questions });
  }
  return collected;
}

async function collectSet(
  { name, users, every }: AskedUsers,
  model: NetworkName,
  folder: string | undefined,
): Promise<LabelledQuestion[]> {
  const began = performance.now();
  const cached = model === 'encoder' ? openCachedModels(folder && join(folder, 'vectors.bin')) : undefined;
  const store = await openInProcess({ clock, models: cached?.models });
  try {
    const questions: LabelledQuestion[] = [];
    for (const user of users) questions.push(...(await labelledQuestions(store, user, every)));
    const seconds = ((performance.now() - began) / 1000).toFixed(0);
    console.log(`${model}: ${name}: ${questions.length} questions of ${users.length} users in ${seconds} s`);
    return questions;
  } finally {
    await store.close();
    await cached?.close();
  }
}
