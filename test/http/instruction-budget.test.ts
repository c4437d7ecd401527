import { beforeEach, describe, expect, it } from 'vitest';
import { loadTokenCounter } from '../../src/briefing/text/tokens.ts';
import { patternLengthMax } from '../../src/domain/patterns/pattern.ts';
import { engines } from '../support/database.ts';
import type { Client } from '../support/http-client.ts';
import { type Random, randomFrom } from '../support/random.ts';
import { useApp } from '../support/use-app.ts';

const cases = 200;
/** Of one token, of several tokens for a character, and of those that join with what stands next to them. */
const pieces = [
  'deploy ',
  'Friday',
  ' ',
  '.',
  '\n',
  '🦊',
  '漢字',
  'ﷺ',
  'ß',
  '<|endoftext|>',
  '```',
  '123456',
  'e\u0301',
];
const rules = [
  'deploy on a Friday',
  'commit keys',
  'skip the tests',
  'push to main',
  'use jest',
  'log names',
];

interface Compiled {
  instructions: { instruction: string }[];
  tokenCount: number;
}

/** At most `most` UTF-16 units long. */
function randomText(random: Random, most: number): string {
  const length = random.int(1, most - 13);
  let text = '';
  while (text.length < length) text += random.pick(pieces);
  return text;
}

describe.each(engines)('the token budget of instructions on %s', (engine) => {
  const app = useApp(engine);
  let http: Client;
  beforeEach(async () => {
    http = await app.newClient();
  });

  it(`instructions of random patterns never have more tokens than asked for, in ${cases} requests`, async () => {
    for (const rule of rules) {
      const body = { content: `Never ${rule}.`, conversationId: 'NEW' };
      expect((await http.post('/api/memories', body)).status).toBe(201);
    }
    const compiled = await http.post<{ data: { id: string }[] }>('/api/patterns/compile', {
      minOccurrences: 1,
    });
    const ids = compiled.body.data.map(({ id }) => id);
    expect(ids).toHaveLength(rules.length);
    const countTokens = await loadTokenCounter();
    const random = randomFrom(18);
    let full = 0;
    for (let left = cases; left > 0; left -= 1) {
      const description = randomText(random, patternLengthMax.description);
      const change = { description, confidence: random.float() };
      expect((await http.patch(`/api/patterns/${random.pick(ids)}`, change)).status).toBe(200);
      const asked = {
        currentQuery: randomText(random, 200),
        tokenBudget: random.chance(0.5) ? random.int(50, 150) : random.int(50, 2000),
        minConfidence: random.chance(0.7) ? 0 : random.float(),
        maxInstructions: random.int(1, 10),
      };
      const { status, body } = await http.post<Compiled>('/api/patterns/compile-instructions', asked);
      expect(status).toBe(200);
      const lines = body.instructions.map(({ instruction }) => instruction).join('\n');
      expect(body.tokenCount).toBe(countTokens(lines));
      expect(body.tokenCount).toBeLessThanOrEqual(asked.tokenBudget);
      expect(body.instructions.length).toBeLessThanOrEqual(asked.maxInstructions);
      if (body.tokenCount > 0) full += 1;
    }
    expect(full).toBeGreaterThan(cases / 4);
  }, 120_000);
});
