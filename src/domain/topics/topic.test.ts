import { describe, expect, it } from 'vitest';
import { normaliseTopicName, topicWords } from './topic.ts';

describe('the normalised name of a topic', () => {
  it.each([
    ['Straße', 'STRASSE'],
    ['İstanbul', 'istanbul'],
    ['ΟΔΟΣ', 'οδος'],
    ['Ａｐｉ  Design ', 'api design'],
    ['Ǆ', 'ǆ'],
    ['CAFÉ', 'cafe\u0301'],
  ])('the normalised name of a topic is the same for %s and %s', (one, other) => {
    expect(normaliseTopicName(one)).toBe(normaliseTopicName(other));
    expect(topicWords(one)).toEqual(topicWords(other));
  });

  it.each([
    ['resume', 'résumé'],
    ['maße', 'maze'],
  ])('the normalised name of a topic differs for %s and %s', (one, other) => {
    expect(normaliseTopicName(one)).not.toBe(normaliseTopicName(other));
  });

  it('the normalised name of a topic is its own normalised name', () => {
    for (const name of ['Straße', 'İstanbul', 'ΟΔΟΣ ', 'ŉ', 'ﬃ', 'ẞ'])
      expect(normaliseTopicName(normaliseTopicName(name))).toBe(normaliseTopicName(name));
  });
});
