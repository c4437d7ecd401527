import { describe, expect, it } from 'vitest';
import { tokensOf } from './tokens.ts';

const wordsOf = (text: string) => tokensOf(text).map(({ word }) => word);
/**
 * Not a measurement: a fraction of a second is usual, and a
 * scan that begins again at every character takes minutes.
 */
const watchdogMs = 30_000;

describe('tokens', () => {
  it('keep code, paths, links and names with hyphens whole', () => {
    expect(
      wordsOf(
        'See docker-compose.yml, src/app.ts. and https://example.com/a: UserService.find() costs 3.5%!',
      ),
    ).toEqual([
      'See',
      'docker-compose.yml',
      ',',
      'src/app.ts',
      '.',
      'and',
      'https://example.com/a',
      ':',
      'UserService.find()',
      'costs',
      '3.5%',
      '!',
    ]);
  });

  it('cut clitics off, as in Universal Dependencies', () => {
    expect(wordsOf("Ana's team can't and cannot")).toEqual([
      'Ana',
      "'s",
      'team',
      'ca',
      "n't",
      'and',
      'can',
      'not',
    ]);
  });

  it.each(['+', '~', '1-', 'a@', '-.', '/:', '{}', 'a.', '/a', '_', '1.', '1_', "a'", '@', '#a', 'a/ '])(
    'of 400,000 characters of %s are found in one pass',
    (part) => {
      const text = part.repeat(400_000 / part.length);
      const tokens = tokensOf(text);
      expect(tokens.map(({ word }) => word).join('')).toBe(text.replace(/\s/g, ''));
    },
    watchdogMs,
  );
});
