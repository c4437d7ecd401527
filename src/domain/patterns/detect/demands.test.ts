import { describe, expect, it } from 'vitest';
import { claimsIn } from './claims.ts';
import type { SourceMemory } from './found-pattern.ts';

const memory = (content: string, role: SourceMemory['role'] = null): SourceMemory => ({
  id: 'm',
  content,
  at: 0,
  conversationId: 'c',
  topics: [],
  role,
  isPast: false,
});
const kinds = new Set(['rule', 'correction', 'preference']);
const demandsOf = (content: string, role?: SourceMemory['role']) =>
  claimsIn(memory(content, role)).filter(({ type, owner }) => kinds.has(type) && owner === 'user');

describe('demands that hold from now on', () => {
  it.each([
    ['rule', 'The user wants short answers, no emoji.'],
    ['correction', 'The user corrected me: run the tests with `just test`.'],
    ['rule', 'Commit messages are in the imperative.'],
    ['rule', 'The user said: do not touch the migrations folder.'],
    ['rule', 'User asked that I explain my reasoning before editing code.'],
    ['preference', 'The user prefers tabs over spaces in Go files.'],
    ['rule', 'All timestamps are stored in UTC.'],
    ['rule', 'In this project we use snake_case for database columns.'],
    ['rule', 'If a command is destructive, ask for confirmation first.'],
    ['correction', "Don't use `npm install` in CI, always `npm ci`."],
    ['rule', 'Do not mock the database in integration tests; use testcontainers.'],
    ['rule', 'Please answer in German.'],
    ['rule', 'No default exports, the user wants named ones only.'],
  ])('a %s is read in the words of agents: %s', (type, text) => {
    expect(demandsOf(text).map((one) => one.type)).toEqual([type]);
  });

  it.each([
    'Now invoice-export takes 9 minutes now, not 40.',
    'The user corrected me: the meeting is on Thursday, not on Friday.',
    'The user asked me to translate this paragraph.',
    'The user wants a coffee.',
    'The user needs the report by Monday.',
    "Don't worry, it is only a scratch.",
    'The deploy must have failed.',
    'The plumber said to never use that valve.',
    'The docs say never to run this as root.',
    'The office moved from Brno to Vienna.',
    "return jsonify({'error': 'All fields are required'}), 400",
  ])('a request for once, a fact, and words of others are none: %s', (text) => {
    expect(demandsOf(text)).toEqual([]);
  });

  it('what named speakers demand of each other, and what a commit tells its readers, is none', () => {
    expect(
      demandsOf('PhD G: Rule: turn your microphone on.\nUser Interface: Never touch the cable.'),
    ).toEqual([]);
    expect(demandsOf('Drop Python 3.8 (#3120)\n\nAlways raise ValueError for simplicity.')).toEqual([]);
    expect(demandsOf('User: Never touch the cable.')).toHaveLength(1);
  });

  it('of what an assistant said only that counts which it says of the user', () => {
    expect(demandsOf('Always rinse the rice before cooking.', 'assistant')).toEqual([]);
    expect(demandsOf('The user wants answers in German.', 'assistant')).toHaveLength(1);
  });
});
