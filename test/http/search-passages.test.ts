import { describe, expect, it } from 'vitest';
import { engines } from '../support/database.ts';
import { useApp, useClient } from '../support/use-app.ts';

interface Passage {
  readonly start: number;
  readonly end: number;
  readonly headings: readonly string[];
}

interface Hit {
  readonly id: string;
  readonly content: string;
  readonly preview: string;
  readonly passage?: Passage;
  readonly secondPassage?: Passage;
  readonly highlights?: readonly { readonly start: number; readonly end: number }[];
}

const section = (title: string, fact: string) =>
  `## ${title}\n\n${`Most of what is written about ${title.toLowerCase()} is of no use here. `.repeat(6)}${fact}\n\n`;
const handbook = `# Handbook\n\n${[
  section('Heating', 'The boiler is bled with the square key in the cellar.'),
  section('Garden', 'The pear tree is pruned in February.'),
  section('Roof', 'Moss is brushed off the tiles with a soft broom.'),
  section('Water', 'The stopcock sits behind the washing machine.'),
].join('')}`;

describe.each(engines)('passages of long texts, on %s', (engine) => {
  const http = useClient(useApp(engine));
  const search = async (query: string, extra: object = {}) =>
    (await http.post<{ data: Hit[] }>('/api/memories/search', { query, ...extra })).body.data;

  it.each(['hybrid', 'keyword', 'semantic'])(
    'a %s search shows the passage, its headings and the words in it',
    async (searchMethod) => {
      await http.post('/api/memories', { content: handbook, conversationId: 'NEW' });
      const [{ content, passage, highlights = [], preview }] = await search('where is the stopcock', {
        searchMethod,
        threshold: 0,
      });
      expect(content.slice(passage?.start, passage?.end)).toContain('behind the washing machine');
      expect(passage?.headings).toEqual(['Handbook']);
      if (searchMethod !== 'semantic') expect(preview).toContain('stopcock');
      for (const { start, end } of highlights)
        expect(content.slice(start, end).toLowerCase()).toContain('stopcock');
    },
  );

  it('a second passage is shown that answers nearly as well elsewhere in the text', async () => {
    const away = (parts: readonly string[]) => `# Boat\n\n${parts.join('')}`;
    const spare = (title: string) => section(title, `A spare key hangs in the ${title.toLowerCase()}.`);
    const other = section('Garden', 'The pear tree is pruned in February.');
    const shownOf = async (content: string) => {
      await http.post('/api/memories', { content, conversationId: 'NEW' });
      const [hit] = await search('where are spare keys');
      return [hit.passage, hit.secondPassage].map((part) => part && hit.content.slice(part.start, part.end));
    };
    const [first, second] = await shownOf(away([spare('Galley'), other, other, spare('Locker')]));
    expect([first, second].sort()).toEqual([
      expect.stringContaining('in the galley'),
      expect.stringContaining('in the locker'),
    ]);
  });

  it('words in different passages are less of a match than the same words in one', async () => {
    await http.post('/api/memories', { content: handbook, conversationId: 'NEW' });
    const { data } = (
      await http.post<{ data: { id: string } }>('/api/memories', {
        content: 'The square broom of the garden is new.',
        conversationId: 'NEW',
      })
    ).body;
    const [first] = await search('square broom garden', { searchMethod: 'keyword' });
    expect(first.id).toBe(data.id);
    expect(first.passage).toBeUndefined();
  });

  it('an edited text has the passages of the edit', async () => {
    const { data } = (
      await http.post<{ data: { id: string } }>('/api/memories', { content: handbook, conversationId: 'NEW' })
    ).body;
    await search('stopcock');
    await http.put(`/api/memories/${data.id}`, {
      content: `${section('Attic', 'Boxes with tinsel stand under the window.').repeat(1)}${handbook}`,
    });
    const [{ content, passage }] = await search('tinsel');
    expect(content.slice(passage?.start, passage?.end)).toContain('tinsel');
  });
});
