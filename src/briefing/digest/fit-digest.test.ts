import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Memory } from '../../domain/memories/memory.ts';
import { loadTokenCounter } from '../text/tokens.ts';
import { type DigestMaterial, type DigestSource, digestFormats } from './digest.ts';
import { fitDigest } from './fit-digest.ts';
import { connectingWords, nothingFound, renderDigest } from './render.ts';
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
      terms: new Set(),
    }),
  );
  const changes =
    sources.length > 2 ? [{ kind: 'SUPERSEDES' as const, earlier: sources[1], later: sources[0] }] : [];
  return {
    query,
    sources,
    changes,
    listsIds: false,
    statements: await scoreStatements(sources, new Set(['tea'])),
  };
}

const onOneLine = (text: string) => text.replace(/\s+/g, ' ').trim();

/** The content of each digest line, without marks, days, connecting words and source numbers. */
function saidIn(digest: string): { readonly text: string; readonly source: number }[] {
  const lines = digest
    .split('\n')
    .slice(1)
    .filter((line) => line !== '' && !line.startsWith('#'));
  const body = lines.filter((line) => !line.startsWith(`${connectingWords[0]}: `));
  const connecting = new RegExp(`^(${connectingWords.join('|')})?( ?\\d{4}-\\d\\d-\\d\\d)?: `);
  return body.flatMap((line) =>
    line
      .replace(/^- /, '')
      .split(/(?<= \[\d+\]) (?=(?:On \d{4}|Superseded by:|Contradicted by:))|(?<= \[\d+\])$/)
      .filter((part) => part !== '')
      .map((part) => ({
        text: part.replace(connecting, '').replace(/ ?\[\d+\]$/, ''),
        source: Number(/\[(\d+)\]$/.exec(part)?.[1]),
      })),
  );
}

describe('the text of a digest', () => {
  it.each(['structured', 'timeline', 'status-report'] as const)(
    'the text of a %s digest says nothing that does not stand in the source it names, word for word',
    async (format) => {
      await fc.assert(
        fc.asyncProperty(texts, fc.array(texts, { minLength: 1, maxLength: 12 }), async (query, contents) => {
          const material = await materialOf(query, contents);
          for (const { text, source } of saidIn(renderDigest(material, material.statements, format)))
            expect(onOneLine(material.sources[source - 1].memory.content)).toContain(text);
        }),
        { numRuns: 200 },
      );
    },
  );

  it('the text of a narrative digest is made of days and of statements with the numbers of their sources', async () => {
    await fc.assert(
      fc.asyncProperty(texts, fc.array(texts, { minLength: 1, maxLength: 12 }), async (query, contents) => {
        const material = await materialOf(query, contents);
        const digest = renderDigest({ ...material, changes: [] }, material.statements, 'narrative');
        const said = digest
          .split('\n')
          .slice(4)
          .filter((line) => line !== '' && !line.startsWith('## '));
        let rest = said.join('\n');
        for (const { text, source } of [...material.statements].sort((a, b) => b.text.length - a.text.length))
          rest = rest.replace(`${text} [${source}]`, '');
        expect(rest.replace(/On \d{4}-\d\d-\d\d: /g, '').trim()).toBe('');
      }),
      { numRuns: 200 },
    );
  });

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
    expect(renderDigest(await materialOf('tides', []), [], 'structured')).toBe(
      `# tides\n\n${nothingFound}\n`,
    );
  });
});
