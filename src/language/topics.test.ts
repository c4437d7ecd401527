import { describe, expect, it } from 'vitest';
import { bundledStaticModel, languageModel } from '../../test/support/language-model.ts';
import { StaticEmbedder } from '../embedding/static/static-model.ts';
import { deriveText } from './derive-text.ts';
import { rankTopics } from './topics.ts';

const model = languageModel();
const embedder = new StaticEmbedder('static', bundledStaticModel());

function topicsOf(text: string, known: Readonly<Record<string, number>> = {}) {
  const vector = embedder.embedNow(text);
  return rankTopics(deriveText(model, text).topics, {
    texts: 100,
    textsWith: (phrase) => known[phrase] ?? 0,
    closeness: (phrase) => embedder.embedNow(phrase).reduce((sum, value, i) => sum + value * vector[i], 0),
  }).map(({ name }) => name);
}

describe('topics', () => {
  it('topics of a text are noun phrases and entities, the entities as written', () => {
    const topics = topicsOf(
      'The connection pool of PostgreSQL ran out because the nightly report holds a lock.',
    );
    expect(topics).toEqual(expect.arrayContaining(['PostgreSQL', 'connection pool']));
    expect(topics.length).toBeLessThanOrEqual(3);
  });

  it('topics of a text that says nothing are none', () => {
    expect(topicsOf('Mel: Hey Caro! Thanks, that was a great day.')).toEqual([]);
  });

  it('topics of a text are single words where the user has them already', () => {
    const text = 'Ana asked about the dog before we left for the airport with the kids and grandma.';
    expect(topicsOf(text)).not.toContain('grandma');
    expect(topicsOf(text, { grandma: 5 })).toContain('grandma');
  });

  it('topics of a text are no commands, no stems and no words of code', () => {
    const texts = ['Add info about dashboards and caches.', 'Kafka broker fails on `npx memoryd keys`.'];
    const topics = texts.flatMap((text) => topicsOf(text, { dashboard: 5, cache: 5, 'kafka broker': 5 }));
    expect(topics).toEqual(expect.arrayContaining(['dashboard', 'cache']));
    for (const wrong of ['add info', 'dashboards', 'cach', 'kafka broker fail', 'npx memoryd key'])
      expect(topics).not.toContain(wrong);
  });

  it('topics of a text are no verb phrases, no general words and no pointers', () => {
    const texts = [
      'The key to the shed hangs behind the picture.',
      'Fjellmark Freight: 310 vans, contract renews each October.',
      'It counts stops per van with a correlated subquery.',
      'One port alone never triggers the alarm on the left side.',
    ];
    const others = {
      key: 9,
      picture: 9,
      side: 9,
      'shed hang': 9,
      'contract renews': 9,
      'counts stop': 9,
      'one port': 9,
    };
    const topics = texts.flatMap((text) => topicsOf(text, others));
    expect(topics).toContain('correlated subquery');
    for (const wrong of [...Object.keys(others), 'left side']) expect(topics).not.toContain(wrong);
  });

  it('a phrase of a talk is a topic only if other texts have it', () => {
    const text = 'Jon: The dance studio opens in May.';
    expect(topicsOf(text)).toEqual([]);
    expect(topicsOf(text, { 'dance studio': 2 })).toEqual(['dance studio']);
  });
});
