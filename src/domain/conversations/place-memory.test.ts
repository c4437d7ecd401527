import { describe, expect, it } from 'vitest';
import { sessionGapMs } from './conversation.ts';
import { continuesActivity, titleFrom } from './place-memory.ts';

describe('titleFrom', () => {
  it('a title made from a short text is that text, on one line', () => {
    expect(titleFrom('  Two\n\nlines  ')).toBe('Two lines');
  });

  it('a title made from a long text is cut at a word and never has more than 80 characters', () => {
    const title = titleFrom('word '.repeat(100));
    expect(title).toBe(`${'word '.repeat(15)}word…`);
    expect(titleFrom('x'.repeat(500))).toBe(`${'x'.repeat(79)}…`);
  });

  it('a title made from a text never cuts a surrogate pair', () => {
    expect(titleFrom('a'.repeat(78) + '😀'.repeat(10)).isWellFormed()).toBe(true);
  });

  it('a text of white space has a title too', () => {
    expect(titleFrom(' \n ')).toBe('Untitled');
  });
});

describe('continuesActivity', () => {
  const conversation = {
    id: 'conv_1',
    title: '',
    summary: null,
    createdAt: 0,
    updatedAt: 0,
    lastActivityAt: 1000,
    memoryCount: 1,
    agentSessionId: null,
    implicit: true,
    lastSessionId: 'session_1',
    autoTitled: true,
    externalId: null,
    metadata: null,
  };

  it('activity in a conversation continues for 90 minutes, the last millisecond included, and for a clock that went back', () => {
    expect(continuesActivity(conversation, 1000 + sessionGapMs)).toBe(true);
    expect(continuesActivity(conversation, 1001 + sessionGapMs)).toBe(false);
    expect(continuesActivity(conversation, 0)).toBe(true);
  });
});
