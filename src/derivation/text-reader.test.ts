import { describe, expect, it } from 'vitest';
import { readTalks } from '../../bench/talks/read-talks.ts';
import { loadTextReaders } from './text-reader.ts';

const { reader, finder } = loadTextReaders();
const texts = readTalks()
  .conversations.flatMap(({ sessions }) => sessions.flatMap(({ turns }) => turns))
  .slice(0, 300)
  .map(({ text }, doc) => ({ doc, content: text, at: Date.UTC(2026, 2, 3), topics: [], contextNames: [] }));

describe('the reader of texts', () => {
  it('derives the same from texts that were compared with others before', () => {
    const request = { userId: 1, mark: 'first', names: [], texts };
    const readBefore = () => texts.filter((text) => finder.readBefore(text) !== undefined);
    expect(readBefore()).toEqual([]);
    const alone = reader.derive(request);
    finder.prepare(texts);
    expect(readBefore()).toEqual(texts);
    expect(reader.derive(request)).toEqual(alone);
    expect(alone?.some(({ facts }) => facts.length > 0)).toBe(true);
  });

  it('does not take a text for the one with the same number that was read before', () => {
    finder.prepare([{ doc: 1, content: 'Anna moved to Berlin in May.' }]);
    const [text] = texts;
    const other = { ...text, doc: 1, content: 'Tom works at Siemens.' };
    const [derived] = reader.derive({ userId: 1, mark: 'first', names: [], texts: [other] }) ?? [];
    expect(derived.facts.map(({ subject }) => subject)).toEqual(['Tom']);
  });
});
