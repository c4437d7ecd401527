import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { languageModel } from '../../test/support/language-model.ts';
import { analyse, analysedLengthMax } from './analysed-text.ts';
import { deriveText } from './derive-text.ts';
import { findEntities } from './entities/find-entities.ts';
import { findRelationship } from './relationships/find-relationship.ts';
import { toTextView } from './relationships/text-view.ts';

const model = languageModel();
/** Not a measurement: 0.1 s is usual, and a quadratic scan takes minutes. */
const watchdogMs = 60_000;
const length = 50_000;

const repeated = {
  'one word': 'word ',
  'a capitalised word': 'Berlin ',
  emoji: '😀',
  'joined emoji': '👩‍👩‍👧‍👦',
  slashes: '/a',
  colons: '/:',
  dots: 'a.',
  hyphens: 'a-',
  'numbers and hyphens': '1-',
  pluses: '+',
  tildes: '~',
  'at signs': 'a@',
  braces: '{}',
  underscores: '_',
  spaces: ' ',
  quotes: '"\'',
  apostrophes: "n't",
  newlines: 'a\n',
  questions: 'why? ',
  'one long word': 'a',
  'one long name': 'Aa',
  CJK: '東京に住んでいます。',
  Arabic: 'أعيش في لشبونة. ',
  Hebrew: 'אני גר בתל אביב. ',
  German: 'Ravi wohnt seit Mai in München und arbeitet bei Siemens. ',
  prose: 'Ana moved from Porto to Lisbon and works for Nordlicht, which builds search tools. ',
  'a list without an end': 'Ana, Ben, Rust and Go, ',
  versions: 'Node 22 ',
  surrogates: '\ud800',
};
const texts = Object.entries(repeated).map(
  ([name, part]) => [name, part.repeat(length / part.length)] as const,
);
const file = readFileSync('models/language-en/gazetteer.json', 'utf8');
const others = [
  ['minified data', file.slice(0, length)],
  ['base64', Buffer.from(file).toString('base64').slice(0, length)],
] as const;

function derive(text: string) {
  const { entities, facts, topics } = deriveText(model, text);
  const view = toTextView(analyse(model, text), entities, facts);
  return { entities, facts, topics, edge: findRelationship(model, view, view, 0.7) };
}

describe('a text of 50,000 characters', () => {
  it.each([...texts, ...others])(
    'a text of 50,000 characters of %s is derived',
    (_, text) => {
      const { entities, facts, topics, edge } = derive(text);
      for (const { end } of entities) expect(end).toBeLessThanOrEqual(analysedLengthMax);
      for (const { text: name } of entities) expect(name.length).toBeLessThanOrEqual(200);
      for (const { phrase } of topics) expect(phrase.length).toBeLessThanOrEqual(100);
      for (const { subject } of facts) expect(subject.text.length).toBeLessThanOrEqual(500);
      for (const { object } of facts) expect(object.end).toBeLessThanOrEqual(analysedLengthMax);
      expect(topics.length).toBeLessThanOrEqual(60);
      expect(edge === undefined || edge.evidence.later.end <= text.length).toBe(true);
    },
    watchdogMs,
  );
});

const runs = {
  'one given name': 'Ed ',
  'given names': 'Ed Ana ',
  'one place': 'Paris ',
  'places of three words': 'New York City ',
  'a cue that is a name, too': 'Joined ',
  'cues of an employer': 'Work At ',
  titles: 'Dr. Ana ',
};

describe('a run of names', () => {
  it.each(Object.entries(runs))(
    'a run of names, here of %s, is read some times a word, however long it is',
    (_, part) => {
      const analysed = analyse(model, part.repeat(analysedLengthMax / part.length));
      let reads = 0;
      const counted = <T extends object>(list: T) =>
        new Proxy(list, {
          get(target, key) {
            reads++;
            return Reflect.get(target, key);
          },
        });
      const sentences = analysed.sentences.map((sentence) => ({
        ...sentence,
        words: counted(sentence.words),
        tags: counted(sentence.tags),
      }));
      findEntities(model, { ...analysed, sentences });
      const words = analysed.sentences.reduce((sum, sentence) => sum + sentence.words.length, 0);
      expect(reads / words).toBeLessThan(200);
    },
  );
});

const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.string({ unit: 'grapheme', maxLength: 300 }),
  fc
    .array(
      fc.constantFrom(
        ...'Ana I we the moved from to Lisbon Porto Node 22 . , ? : and is not no longer uses PostgreSQL src/a.ts GET /api/x may if said that 3 March 2026 \n'.split(
          ' ',
        ),
      ),
      { maxLength: 40 },
    )
    .map((words) => words.join(' ')),
);

describe('any text', () => {
  it('any text gives what may be sent to another thread', () => {
    const derived = deriveText(model, 'Ana: I moved to Lisbon in May, the import job fails.');
    expect(structuredClone(derived)).toEqual(derived);
  });

  it('any text gives entities, facts and evidence of edges that are spans of it, the same ones each time', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const found = derive(text);
        const parts = found.facts.flatMap(({ object, verb, times }) => [object, verb, ...times]);
        const subjects = found.facts.map(({ subject }) => subject);
        const evidence = found.edge ? Object.values(found.edge.evidence) : [];
        for (const part of [...found.entities, ...evidence, ...parts, ...subjects])
          expect(text.slice(part.start, part.end)).toBe(part.text);
        for (const [i, { start }] of found.entities.entries())
          if (i > 0) expect(start).toBeGreaterThanOrEqual(found.entities[i - 1].end);
        for (const { confidence } of found.facts) expect(confidence).toBeLessThanOrEqual(1);
        expect(derive(text)).toEqual(found);
      }),
    );
  });
});
