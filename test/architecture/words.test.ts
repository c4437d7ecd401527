import { describe, expect, it } from 'vitest';
import { tokensOf, typescriptFiles, wordsOf } from './tokens.ts';
import {
  foreignNames,
  obscureProse,
  obscureProseMax,
  retiredBelow,
  retiredNames,
  retiredProse,
  retiredWords,
} from './words.ts';

/** The lists of these tests, and a list of English verbs. */
const lists = [
  'test/architecture/words.ts',
  'test/architecture/words.test.ts',
  'src/language/facts/lemma.ts',
];

const files = typescriptFiles()
  .filter(({ path }) => !lists.includes(path))
  .map(({ path, text }) => ({ path, text, ...tokensOf(text) }));

const testName = /^\s*(?:it|describe)(?:\.\w+)?(?:\([^\n]*\))?\(\s*(['"`])(.*?)\1,/gm;

function wordsRetiredIn(path: string): ReadonlyMap<string, string> {
  const here = Object.entries(retiredBelow).filter(([folder]) => path.startsWith(folder));
  const more = here.flatMap(([, words]) => words.map((word) => [word, 'response'] as const));
  return new Map([...Object.entries(retiredWords), ...more]);
}

/** What to say in place of an identifier; undefined where it is good. */
function betterFor(identifier: string, retired: ReadonlyMap<string, string>): string | undefined {
  if (foreignNames.has(identifier)) return undefined;
  if (Object.hasOwn(retiredNames, identifier)) return retiredNames[identifier];
  if (/^[A-Z]\w*[a-z]Parts$/.test(identifier)) return '…Deps for what a class is given';
  return wordsOf(identifier).flatMap((word) => retired.get(word) ?? [])[0];
}

describe('the tokenizer of these tests', () => {
  it('the tokenizer of these tests sees names in code and in templates, and neither strings nor regular expressions', () => {
    const template = ['const a = `x $', "{b({ c: 'no' })} no`; // said"].join('');
    const text = `${template}\nif (/no'/.test(d)) e = f / g; /* it's */ h('it');`;
    expect(tokensOf(text)).toEqual({
      identifiers: ['const', 'a', 'b', 'c', 'if', 'test', 'd', 'e', 'f', 'g', 'h'],
      comments: ['// said', "/* it's */"],
    });
  });

  it('the tokenizer of these tests takes identifiers apart into words', () => {
    expect(wordsOf('toHTTPName2_of')).toEqual(['to', 'http', 'name2', 'of']);
  });
});

describe('the words of the glossary', () => {
  it('identifiers contain none of the words that the glossary retires', () => {
    const wrong = files.flatMap(({ path, identifiers }) => {
      const retired = wordsRetiredIn(path);
      return [...new Set(identifiers)].flatMap((identifier) => {
        const better = betterFor(identifier, retired);
        return better === undefined ? [] : [`${path}: ${identifier} (say: ${better})`];
      });
    });
    expect(wrong).toEqual([]);
  });

  it('comments contain none of the words that the glossary retires', () => {
    const wrong = files.flatMap(({ path, comments }) =>
      comments.filter((text) => retiredProse.test(text)).map((text) => `${path}: ${text}`),
    );
    expect(wrong).toEqual([]);
  });

  it('comments of src have no more constructions that must be read twice than the budget, which only falls', () => {
    const found = files
      .filter(({ path }) => path.startsWith('src/'))
      .flatMap(({ path, comments }) =>
        comments.flatMap((text) =>
          Object.values(obscureProse).flatMap((pattern) =>
            (text.match(pattern) ?? []).map((m) => `${path}: ${m}`),
          ),
        ),
      );
    expect(found.length, found.slice(0, 20).join('\n')).toBeLessThanOrEqual(obscureProseMax);
  });

  it('names of tests contain none of the words that the glossary retires', () => {
    const named = files.flatMap(({ path, text }) =>
      [...text.matchAll(testName)].map(([, , name]) => `${path}: ${name}`),
    );
    expect(named.length).toBeGreaterThan(500);
    expect(named.filter((name) => retiredProse.test(name))).toEqual([]);
  });
});
