import { describe, expect, it } from 'vitest';
import { languageModel } from '../../../test/support/language-model.ts';
import { readText } from '../derive-text.ts';

const model = languageModel();
const factsIn = (text: string) => readText(model, text).facts;
const triples = (text: string) =>
  factsIn(text).map(({ subject, predicate, object }) => `${subject.text} | ${predicate} | ${object.text}`);

describe('facts', () => {
  it('facts have the speaker for a subject where the text says I', () => {
    const [fact] = factsIn('Ana: I moved to Lisbon last spring.');
    expect(fact).toMatchObject({
      subject: { text: 'Ana', start: 0, end: 3 },
      isSelf: true,
      predicate: 'moved to',
      head: 'move',
      object: { text: 'Lisbon', start: 16, end: 22 },
      speaker: 'Ana',
      basis: 'direct',
      isNegated: false,
      times: [{ text: 'last spring', start: 23, end: 34 }],
    });
  });

  it('facts have one object each where the text lists them', () => {
    expect(triples('Marek speaks Polish, German and English.')).toEqual([
      'Marek | speaks | Polish',
      'Marek | speaks | German',
      'Marek | speaks | English',
    ]);
  });

  it('a fact of what somebody plans or intends to do is planned', () => {
    const [plan] = factsIn('Petra plans to visit Linz in May.');
    const [intent] = factsIn('We intend to drop MySQL.');
    expect(triples('Petra plans to visit Linz in May.')).toEqual(['Petra | plans to visit | Linz']);
    expect(triples('We intend to drop MySQL.')).toEqual(['We | intend to drop | MySQL']);
    expect([plan.basis, intent.basis]).toEqual(['planned', 'planned']);
  });

  it('facts say that they are negated, hedged or planned, and are trusted less then', () => {
    const [negated] = factsIn('The storefront does not use Redis.');
    expect(negated).toMatchObject({ isNegated: true, predicate: 'not use' });
    const [hedged] = factsIn('Ana might use Redis.');
    const [planned] = factsIn('Ana will use Redis.');
    const [direct] = factsIn('Ana uses Redis.');
    expect([hedged.basis, planned.basis, direct.basis]).toEqual(['hedged', 'planned', 'direct']);
    expect(hedged.confidence).toBeLessThan(planned.confidence);
    expect(planned.confidence).toBeLessThan(direct.confidence);
  });

  it('facts are found in the terse sentences of notes', () => {
    expect(triples('The gym closes at ten.')).toEqual(['The gym | closes at | ten']);
  });

  it('a fact has a whole object, and its predicate has every preposition, however the sentence goes on', () => {
    expect(triples('The gateway timeout defaults to 30 seconds.')).toEqual([
      'The gateway timeout | defaults to | 30 seconds',
    ]);
    expect(triples('The gateway timeout defaults to 90 seconds now.')).toEqual([
      'The gateway timeout | defaults to | 90 seconds',
    ]);
    expect(triples('Coverage dropped to 71 % after the split.')).toEqual(['Coverage | dropped to | 71 %']);
  });

  it.each([
    'Does Ana use Redis?',
    'Use Redis for the queue.',
    'If Ana uses Redis, the queue is faster.',
    'Ana should use Redis.',
    'She uses Redis.',
    'Ravi wohnt in München und arbeitet bei Siemens.',
    `Ana uses Redis ${'and a queue '.repeat(30)}.`,
  ])(
    'facts are none in a question, command, condition, wish, other language or endless sentence: %s',
    (text) => {
      expect(triples(text)).toEqual([]);
    },
  );
});
