import type { SearchRequest } from '../../src/search/request.ts';
import { type Random, randomFrom } from '../support/random.ts';
import { newSearchFixture, type SearchFixture } from '../support/search-fixture.ts';
import { demand, type Proof, type ProofContext, type ProofResult } from './proof.ts';
import { type HistoryWorld, operations, words } from './time-travel-operations.ts';
import { type Expected, type OracleQuery, TimeTravelOracle } from './time-travel-oracle.ts';

const sizes = { small: { histories: 150 }, full: { histories: 5000 } };
const stepsMax = 24;
const queriesPerHistory = 6;
const start = Date.UTC(2026, 1, 1);

/** Random histories against plain arrays that keep every version. */
export const timeTravel: Proof = {
  name: 'time-travel',
  claim: 'searches as of a time, valid at a time and in every mode agree with arrays that keep every version',
  run: proveTimeTravel,
};

async function proveTimeTravel({ engine, size, seed, log }: ProofContext): Promise<ProofResult> {
  let now = start;
  const fixture = await newSearchFixture(engine, { now: () => now });
  const random = randomFrom(seed);
  const { histories } = sizes[size];
  const counted = { histories, operations: 0, queries: 0, found: 0 };
  try {
    for (let history = 0; history < histories; history++) {
      now = start;
      const world: HistoryWorld = {
        services: fixture.services,
        user: await fixture.newUser(),
        oracle: new TimeTravelOracle(),
        random,
        now: () => now,
      };
      const times = [now];
      for (let step = random.int(4, stepsMax); step > 0; step--) {
        now += random.int(0, 2) * 1000;
        times.push(now);
        await random.pick(operations)(world);
        counted.operations++;
      }
      now += random.int(0, 1) * 1000;
      for (let i = 0; i < queriesPerHistory; i++) {
        const query = queryOf(random, times);
        counted.found += await compare(fixture, world, query, `history ${history} of seed ${seed}`);
        counted.queries++;
      }
      if (history % 500 === 499) log(`${history + 1} histories agree`);
    }
  } finally {
    await fixture.close();
  }
  demand(counted.found > histories, 'too little was found to prove anything', counted);
  return { counted };
}

function queryOf(random: Random, times: readonly number[]): OracleQuery {
  const time = () => random.pick(times) + random.int(-1, 2) * 500;
  return {
    word: random.pick(words),
    mode: random.pick(['current', 'current', 'historical', 'evolution'] as const),
    asOf: random.chance(0.6) ? time() : undefined,
    validAt: random.chance(0.3) ? time() : undefined,
    includeExpired: random.chance(0.3),
    includeSuperseded: random.chance(0.3),
  };
}

function requestOf(query: OracleQuery): Partial<SearchRequest> {
  const { mode: temporalMode, asOf, validAt, includeExpired, includeSuperseded } = query;
  return { temporalMode, includeExpired, limit: 1000, filter: { asOf, validAt, includeSuperseded } };
}

/** @returns how many versions were found */
async function compare(
  fixture: SearchFixture,
  { oracle, user, now }: HistoryWorld,
  query: OracleQuery,
  where: string,
): Promise<number> {
  // A space behind it: the word is finished, and no longer one is meant.
  const { hits, total } = await fixture.search(user, `${query.word} `, requestOf(query));
  const seen: Expected[] = hits.map(({ memory }) => ({
    id: memory.id,
    content: memory.content,
    name: memory.name,
    topics: memory.topics,
    state: memory.effectiveState,
  }));
  const expected = oracle.response(query, now());
  const [a, b] = [seen, expected].map((list) => {
    const lines = list.map((each) => JSON.stringify(each));
    return (query.mode === 'evolution' ? lines : lines.sort()).join('\n');
  });
  demand(a === b, `${where}: ${JSON.stringify(query)}`, `seen:\n${a}`, `wanted:\n${b}`);
  demand(total === expected.length, `${where}: total`, total, expected.length);
  return expected.length;
}
