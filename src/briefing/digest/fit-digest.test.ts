import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Memory } from '../../domain/memories/memory.ts';
import { loadTokenCounter } from '../text/tokens.ts';
import { connectingWords } from './cite.ts';
import { type DigestMaterial, type DigestSource, digestFormats } from './digest.ts';
import { fitDigest } from './fit-digest.ts';
import { mergeStatements } from './merge-statements.ts';
import { progressOf } from './progress.ts';
import { nothingFound, renderDigest } from './render.ts';
import { scoreStatements } from './score-statements.ts';

const words = fc.constantFrom(
  'Ada',
  'moved',
  'the',
  'harbour',
  'tea.',
  'Done!',
  'no',
  '- list',
  '[1]',
  '# mark',
  '42',
  'blocked',
  '\n',
);
const texts = fc.array(words, { minLength: 1, maxLength: 60 }).map((parts) => parts.join(' '));
const anyText = fc.oneof(texts, fc.string({ unit: 'grapheme', minLength: 1, maxLength: 200 }));

const memoryOf = (content: string, i: number): Memory =>
  ({
    id: `m${i}`,
    seq: i,
    content,
    topics: i % 3 === 0 ? ['tides'] : [],
    conversationId: `c${i % 4}`,
    eventTime: i * 40_000_000,
    createdAt: 0,
    effectiveState: 'current',
    outcome: null,
    chainId: null,
    chainVersion: null,
  }) as unknown as Memory;

async function materialOf(query: string, contents: readonly string[]): Promise<DigestMaterial> {
  const sources = contents.map(
    (content, i): DigestSource => ({
      number: i + 1,
      memory: memoryOf(content, i),
      relevance: 1 / (i + 1),
      score: 1 / (i + 1),
      conversation: { id: `c${i % 4}`, title: `Talk ${i % 4}` },
      progress: progressOf(memoryOf(content, i), false),
    }),
  );
  const changes =
    sources.length > 2 ? [{ kind: 'SUPERSEDES' as const, earlier: sources[1], later: sources[0] }] : [];
  return {
    query,
    sources,
    changes,
    listsIds: false,
    names: new Map(),
    statements: await mergeStatements(await scoreStatements(sources, new Set(['tea'])), sources),
  };
}

const onOneLine = (text: string) => text.replace(/\s+/g, ' ').trim();

interface Said {
  readonly text: string;
  readonly sources: readonly number[];
}

const numbers = String.raw`(?: \[\d+\])+`;

/** The content of each digest line, without marks, days, connecting words and source numbers. */
function saidIn(digest: string): Said[] {
  const lines = digest
    .split('\n')
    .slice(1)
    .filter((line) => line !== '' && !line.startsWith('## '));
  const body = lines.filter((line) => !line.startsWith(`${connectingWords[0]}: `));
  const connecting = new RegExp(`^(${connectingWords.join('|')})?( ?\\(?\\d{4}-\\d\\d-\\d\\d\\)?)?: `);
  return body.flatMap((line) =>
    line
      .replace(/^- /, '')
      .split(/(?<= \[\d+\]) (?=(?:On|Before|Contradicts|Resolves) \(?\d{4})/)
      .map((part) => ({
        text: part.replace(connecting, '').replace(new RegExp(`${numbers}$`), ''),
        sources: [...(new RegExp(`${numbers}$`).exec(part)?.[0] ?? '').matchAll(/\d+/g)].map(Number),
      })),
  );
}

describe('the text of a digest', () => {
  it.each(['structured', 'timeline', 'status-report'] as const)(
    'the text of a %s digest says nothing that does not stand in a source it names, word for word',
    async (format) => {
      await fc.assert(
        fc.asyncProperty(texts, fc.array(texts, { minLength: 1, maxLength: 12 }), async (query, contents) => {
          const material = await materialOf(query, contents);
          const { text: digest, used } = renderDigest(material, material.statements, format);
          for (const { text, sources } of saidIn(digest)) {
            const contentsOf = sources.map((n) => onOneLine(used[n - 1]?.memory.content ?? ''));
            if (material.statements.length > 0)
              expect(contentsOf.some((content) => content.includes(text))).toBe(true);
          }
        }),
        { numRuns: 200 },
      );
    },
  );

  it('the text of a digest keeps within its budget of tokens, whatever it is made of', async () => {
    const countTokens = await loadTokenCounter();
    await fc.assert(
      fc.asyncProperty(
        anyText,
        fc.array(anyText, { maxLength: 15 }),
        fc.constantFrom(...digestFormats),
        fc.integer({ min: 50, max: 400 }),
        async (query, contents, format, budget) => {
          const { text } = await fitDigest(await materialOf(query, contents), format, {
            budget,
            countTokens,
          });
          expect(countTokens(text)).toBeLessThanOrEqual(budget);
        },
      ),
      { numRuns: 200 },
    );
  });

  it('the text of a digest of nothing says so', async () => {
    expect(renderDigest(await materialOf('tides', []), [], 'structured')).toEqual({
      text: `# tides\n\n${nothingFound}\n`,
      used: [],
    });
  });
});
