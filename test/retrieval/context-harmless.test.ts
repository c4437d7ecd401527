import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { engines } from '../support/database.ts';
import { randomFrom } from '../support/random.ts';
import { newSearchFixture, type SearchFixture } from '../support/search-fixture.ts';

interface Asked {
  readonly query: string;
  readonly expected: string;
}
interface SyntheticSet {
  readonly name: string;
  readonly contents: readonly string[];
  readonly asked: readonly Asked[];
}

const lossMax = 0.005;
const people = 'Ana Ben Clara David Elif Farid Greta Hiro Ines Jonas'.split(' ');
const verbs = 'bought repaired painted cancelled booked borrowed planted sold returned measured'.split(' ');
const things = 'bicycle lamp ticket violin tomato camera router sofa passport kettle drone printer'.split(
  ' ',
);
const places = 'Lisbon Oslo Kyoto Quito Cairo Perth Riga Bergen Dakar Turin'.split(' ');
const random = randomFrom(99);
const upTo = <T>(items: readonly T[]) => random.pick(items);

function notes(): SyntheticSet {
  const made = Array.from({ length: 300 }, (_, i) => ({
    content: `${upTo(people)} ${upTo(verbs)} the ${upTo(things)} in ${upTo(places)}, receipt ${1000 + i * 7}`,
    receipt: 1000 + i * 7,
  }));
  return {
    name: 'notes that follow one another without a conversation',
    contents: made.map(({ content }) => content),
    asked: made.map(({ content, receipt }) => {
      const [person, verb, , thing] = content.split(' ');
      return { query: `did ${person} ${verb} the ${thing}, receipt ${receipt}?`, expected: content };
    }),
  };
}

function documents(): SyntheticSet {
  const subjects = places.flatMap((place) => things.map((thing) => ({ place, thing })));
  const made = subjects.map(({ place, thing }, i) => {
    const filler = Array.from({ length: 150 }, () => `${upTo(verbs)} ${upTo(things)}`).join(' ');
    return {
      query: `report ${i} about the ${thing} of ${place}`,
      expected: `Report ${i}: the ${thing} of ${place}. ${filler}`,
    };
  });
  return { name: 'single long documents', contents: made.map(({ expected }) => expected), asked: made };
}

function code(): SyntheticSet {
  const made = things.flatMap((thing) =>
    verbs.map((verb) => {
      const name = `${verb}${thing[0].toUpperCase()}${thing.slice(1)}`;
      return {
        query: name,
        expected: `export function ${name}(input: Request) { return store.${thing}.${verb}(input.id); }`,
      };
    }),
  );
  return { name: 'code', contents: made.map(({ expected }) => expected), asked: made };
}

const sentences: readonly (readonly [text: string, query: string])[] = [
  ['Die Wanderung durch den Schwarzwald dauerte drei Tage', 'Wanderung Schwarzwald'],
  ['Le marché aux fleurs ouvre chaque samedi matin', 'marché fleurs'],
  ['El tren nocturno llega tarde a Sevilla', 'tren nocturno'],
  ['Поезд до Казани отправляется вечером', 'поезд Казани'],
  ['Το πλοίο για την Κρήτη φεύγει το πρωί', 'πλοίο Κρήτη'],
  ['القطار إلى الدار البيضاء متأخر', 'القطار متأخر'],
  ['הרכבת לחיפה יוצאת בערב', 'הרכבת לחיפה'],
  ['दिल्ली की ट्रेन सुबह चलती है', 'दिल्ली ट्रेन'],
  ['รถไฟไปเชียงใหม่ออกตอนเย็น', 'เชียงใหม่'],
  ['去上海的火车晚上出发', '上海火车'],
];

function languages(): SyntheticSet {
  const contents = Array.from({ length: 20 }, (_, i) => sentences.map(([text]) => `${text} ${i}`)).flat();
  const asked = Array.from({ length: 20 }, (_, i) =>
    sentences.map(([text, query]) => ({ query: `${query} ${i}`, expected: `${text} ${i}` })),
  ).flat();
  return { name: 'ten languages', contents, asked };
}

describe.each(engines)('looking around on %s', (engine) => {
  let fixture: SearchFixture;
  beforeAll(async () => {
    fixture = await newSearchFixture(engine);
  });
  afterAll(() => fixture.close());

  it.each([notes(), documents(), code(), languages()])(
    'context of a conversation costs no recall among $name',
    async ({ contents, asked }) => {
      const user = await fixture.newUser();
      for (const content of contents) await fixture.services.memories.create(user, { content }, {});
      const recall = async (context: boolean) => {
        let found = 0;
        for (const { query, expected } of asked) {
          const hits = await fixture.found(user, query, { context, limit: 10, explain: false });
          if (hits.includes(expected)) found++;
        }
        return found / asked.length;
      };
      const [alone, around] = [await recall(false), await recall(true)];
      expect(alone).toBeGreaterThan(0.5);
      expect(around, `alone ${alone}`).toBeGreaterThanOrEqual(alone - lossMax);
    },
  );
});
