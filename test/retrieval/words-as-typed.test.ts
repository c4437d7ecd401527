import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { User } from '../../src/domain/users/user.ts';
import { engines } from '../support/database.ts';
import { newSearchFixture, type SearchFixture } from '../support/search-fixture.ts';

describe.each(engines)('words as people type them, on %s', (engine) => {
  let fixture: SearchFixture;
  let user: User;
  beforeAll(async () => {
    fixture = await newSearchFixture(engine);
  });
  beforeEach(async () => {
    user = await fixture.newUser();
  });
  afterAll(() => fixture?.close());

  const write = async (...contents: string[]) => {
    for (const content of contents) await fixture.write(user, content);
  };
  const found = (query: string) => fixture.found(user, query);
  const factors = async (query: string) =>
    (await fixture.search(user, query)).hits.flatMap(({ explanation }) =>
      (explanation?.contributingFactors ?? []).slice(1),
    );

  it('a query has its last, unfinished word of three letters or more completed, and says so', async () => {
    await write('We moved to Kubernetes.', 'She goes running at dawn.', 'A skating rink.');
    expect(await found('kuber')).toEqual(['We moved to Kubernetes.']);
    expect(await factors('kuber')).toEqual(['"kuber…" read as Kubernetes']);
    expect(await found('dawn kub')).toHaveLength(2);
    expect(await found('runnin')).toEqual(['She goes running at dawn.']);
    expect(await factors('Runnin')).toEqual(['"Runnin…" read as running']);
    for (const finished of ['kuber ', 'kuber?', 'kuber dawn', '"kuber"', 'ku', 'kub3']) {
      expect(await found(finished), finished).not.toContain('We moved to Kubernetes.');
    }
  });

  it('a query finds the word itself before words that begin with it', async () => {
    await write('The catalogue of catalysts.', 'The cat of the house, a quiet one that likes to sleep.');
    expect(await found('cat')).toEqual([
      'The cat of the house, a quiet one that likes to sleep.',
      'The catalogue of catalysts.',
    ]);
    expect(await found('cat?')).toHaveLength(1);
  });

  it('a query has one typo corrected in a word of five letters or more', async () => {
    await write('The kubernetes cluster in Berlin.', 'Running late.', 'Кошка спит на диване.', 'Zürich trip');
    for (const typo of [
      'kuberntes',
      'kuebrnetes',
      'lubernetes',
      'ubernetes',
      'kubernetesx',
      'cluter',
      'Brelin',
    ]) {
      expect(await found(`${typo}?`), typo).toEqual(['The kubernetes cluster in Berlin.']);
    }
    expect(await found('runnign?')).toEqual(['Running late.']);
    expect(await found('диваен?')).toEqual(['Кошка спит на диване.']);
    expect(await found('Zurihc?')).toEqual(['Zürich trip']);
    expect(await factors('kuberntes?')).toEqual(['"kuberntes" read as kubernetes']);
    expect(await found('lats?')).toEqual([]);
  });

  it('a query has two typos corrected in a word of nine letters or more', async () => {
    await write('The administration of kubernetes.');
    for (const word of ['kbuernetse', 'kuberxxtes', 'xubernexes', 'administartino', 'amdinstration']) {
      expect(await found(`${word}?`), word).toHaveLength(1);
    }
    expect(await found('admxnxstrxtion?')).toEqual([]);
    expect(await found('kubrnts?')).toEqual([]);
  });

  it('a query leaves words that memories contain, numbers, identifiers and common words as they are', async () => {
    await write('The sport channel.', 'A short note of 12345 words.', 'Set user_nameless now.', 'An abbot.');
    expect(await found('sport?')).toEqual(['The sport channel.']);
    expect(await found('12346?')).toEqual([]);
    expect(await found('abuot?')).toEqual([]);
    expect(await found('user_namelesx?')).toHaveLength(1);
  });

  it('a query is read by what live memories of this user contain', async () => {
    const other = await fixture.newUser();
    await fixture.write(other, 'The secret walrus.');
    expect(await found('walrsu?')).toEqual([]);
    expect(await found('walr')).toEqual([]);
    const id = await fixture.write(user, 'My own walrus.');
    expect(await found('walrsu?')).toEqual(['My own walrus.']);
    await fixture.services.memories.delete(user, id);
    expect(await found('walrsu?')).toEqual([]);
    expect(await found('walr')).toEqual([]);
  });

  it('a query with a quoted phrase finds it word for word', async () => {
    await write(
      'The state of the art in pumps.',
      'Art of the state.',
      'STATE, of the Árt!',
      'The state art fund.',
    );
    const exact = ['The state of the art in pumps.', 'STATE, of the Árt!'];
    for (const quoted of ['"state of the art"', '“State of the art” pumps', '«state of the art»']) {
      expect((await found(quoted)).toSorted(), quoted).toEqual(exact.toSorted());
    }
    expect(await found('state of the art?')).toHaveLength(4);
    expect(new Set(await factors('"state of the art"'))).toEqual(
      new Set(['holds "state of the art" word for word']),
    );
    expect(await found('"art of the state" "pumps"')).toEqual(['Art of the state.']);
  });

  it('a query takes the words of a phrase that occurs nowhere as plain words, and says so', async () => {
    await write('The art of war.', 'A state visit.');
    expect(await found('"art state"')).toHaveLength(2);
    expect(await factors('"art state"')).toContain(
      'no memory holds "art state" word for word: read as plain words',
    );
  });

  it('a quoted phrase is found in scripts without spaces, in names of topics, and among many memories', async () => {
    await write(
      '我喜欢京都的茶。',
      '京都と東京。',
      ...Array.from({ length: 450 }, (_, i) => `green tea ${i}`),
    );
    await write('tea that is green');
    expect(await found('"京都的茶"')).toEqual(['我喜欢京都的茶。']);
    const response = await fixture.search(user, '"green tea"', { limit: 5 });
    expect(response.total).toBe(450);
    const content = 'About nothing.';
    await fixture.services.memories.create(user, { content, topics: ['Rate Limiting'] }, {});
    expect(await found('"rate limiting"')).toEqual([content]);
  });

  it('a quoted phrase finds only memories that contain it; neighbours help to rank them', async () => {
    const { place } = await fixture.services.memories.create(
      user,
      { content: 'The blue door.' },
      { conversationId: 'NEW' },
    );
    await fixture.write(user, 'It was painted by Ann.', place.conversationId);
    await write('Nobody opens the blue door.');
    const hits = await fixture.found(user, '"blue door" painted', { context: true });
    expect(hits).toEqual(['The blue door.', 'Nobody opens the blue door.']);
  });

  it('a query takes unbalanced quotes and what others call operators as plain text', async () => {
    await write('Use the v flag.', 'The topic of billing.', 'War and peace.', 'A 5" pipe and a 6" one.');
    expect(await found('use the -v flag')).toContain('Use the v flag.');
    expect(await found('topic: billing')).toContain('The topic of billing.');
    expect(await found('war AND peace')).toEqual(['War and peace.']);
    expect(await found('"war peace')).toEqual(['War and peace.']);
    expect(await found('5" pipe and 6"')).toContain('A 5" pipe and a 6" one.');
    for (const empty of ['"', '""', '"" "', '" "', '*', '“”', '"the"'])
      expect(await found(empty)).toEqual([]);
  });

  it('a query of any text returns the same each time', async () => {
    await write('The quick brown fox "jumps" over Kubernetes.', 'Кошка и собака', '東京タワー');
    const piece = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 12 }),
      fc.constantFrom(
        '"',
        '“',
        '«',
        '»',
        '%',
        '_',
        '\\',
        "'",
        '-v',
        '*',
        ' ',
        'kubernet',
        'fox',
        'кошк',
        '東京',
      ),
      fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)),
    );
    const text = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));
    await fc.assert(
      fc.asyncProperty(text, async (query) => {
        const [first, second] = [await fixture.search(user, query), await fixture.search(user, query)];
        expect(second).toEqual(first);
      }),
      { numRuns: 150 },
    );
  });
});
