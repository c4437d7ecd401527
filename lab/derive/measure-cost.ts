import { analyse } from '../../src/language/analysed-text.ts';
import { findEntities } from '../../src/language/entities/find-entities.ts';
import { findFacts } from '../../src/language/facts/find-facts.ts';
import type { LanguageModel } from '../../src/language/language-model.ts';
import { toTextView } from '../../src/language/relationships/text-view.ts';
import { rankTopics, topicCandidatesOf } from '../../src/language/topics.ts';
import { cosineOf, type Embed } from './measure-edges.ts';

/** Processor time per text in milliseconds, by step. */
export type Cost = Readonly<
  Record<'analysis' | 'entities' | 'facts' | 'topics' | 'edge view' | 'all', number>
>;

/**
 * User processor time of each step over the second half of the
 * texts, after a pass over the first; no text twice.
 */
export function measureCost(model: LanguageModel, embed: Embed, all: readonly string[]): Cost {
  const steps = { analysis: 0, entities: 0, facts: 0, topics: 0, 'edge view': 0 };
  const half = Math.floor(all.length / 2);
  for (const measured of [false, true]) {
    const texts = measured ? all.slice(half) : all.slice(0, half);
    const took = <T>(step: keyof typeof steps, act: () => T): T => {
      const before = process.cpuUsage();
      const result = act();
      if (measured) steps[step] += process.cpuUsage(before).user;
      return result;
    };
    const analysed = took('analysis', () => texts.map((text) => analyse(model, text)));
    const entities = took('entities', () => analysed.map((text) => findEntities(model, text)));
    const facts = took('facts', () => analysed.map((text, i) => findFacts(model, text, entities[i])));
    took('topics', () =>
      analysed.map((text, i) => {
        const vector = embed(text.text);
        const closeness = (phrase: string) => cosineOf(embed(phrase), vector);
        return rankTopics(topicCandidatesOf(model, text, entities[i]), {
          texts: 0,
          textsWith: () => 0,
          closeness,
        });
      }),
    );
    took('edge view', () => analysed.map((text, i) => toTextView(text, entities[i], facts[i])));
  }
  const perText = Object.fromEntries(
    Object.entries(steps).map(([step, us]) => [step, us / 1000 / (all.length - half)]),
  ) as Record<keyof typeof steps, number>;
  return { ...perText, all: Object.values(perText).reduce((sum, ms) => sum + ms, 0) };
}
