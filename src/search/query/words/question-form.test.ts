import { describe, expect, it } from 'vitest';
import { questionForm, valueKindsAsked, valueKindsIn } from './question-form.ts';

it.each([
  ['Where has Maria made friends?', 'LOCATION'],
  ['From where did Caroline move?', 'LOCATION'],
  ['Which European countries has Maria been to?', 'LOCATION'],
  ['in which city is the office', 'LOCATION'],
  ['Who supports Caroline?', 'PERSON'],
  ['with whom did John go to yoga', 'PERSON'],
  ['When did Nate get Tilly?', 'TIME'],
  ['What is the state of the build?', undefined],
  ['What did Caroline research?', undefined],
  ['the place where we met', undefined],
  ['whole milk', undefined],
  ['Wo wohnt Anna?', undefined],
  ['', undefined],
])('the form of "%s" asks for %s', (query, answerType) => {
  expect(questionForm(query).answerType).toBe(answerType);
});

it.each([
  'What activities does Melanie partake in?',
  'In what ways is Caroline participating?',
  'what musical artists/bands has Melanie seen',
  'Which of the screenplays were rejected?',
  'What kind of art does Caroline make?',
  'What are the names of the children?',
  'What people has Maria met?',
  'How many dogs has Maria adopted?',
  'list the servers',
  'Name all the pets',
])('the form of "%s" asks for a list', (query) => {
  expect(questionForm(query).isListAsked).toBe(true);
});

it.each([
  'What did Caroline research?',
  'What class does Melanie take?',
  'What replaces the backup of the store?',
  'which dog frightens my kids',
  'What is the name of the dogs?',
  "What is Melanie's dog called?",
  "Which dog's food is it?",
  'how much does it cost',
  'deploys and rollbacks',
  'name of the service',
])('the form of "%s" asks for no list', (query) => {
  expect(questionForm(query).isListAsked).toBe(false);
});

it('the form of a text of any length is read from its beginning, in time', () => {
  expect(questionForm(`${'what '.repeat(100_000)}`).isListAsked).toBe(false);
  expect(questionForm(`Where ${'x'.repeat(1_000_000)}`).answerType).toBe('LOCATION');
});

const states = (query: string, text: string) => (valueKindsAsked(query) & valueKindsIn(text)) !== 0;

describe('values that a query asks for', () => {
  it.each([
    ['price of a parcel', 'A parcel costs 4.20 euros', 'The parcel is blue'],
    ['when is the deadline', 'Due on the 3rd of May', 'The deadline was moved again'],
    ['how often do nodes send', 'Nodes send every minute', 'Nodes send packets'],
    ['phone number of the plumber', 'Plumber: 020 7946 0958', 'The plumber was late'],
    ['who owns the printer', 'The printer belongs to Ines', 'The printer jams on thick paper'],
    ['where is the meeting', 'We meet at the library', 'The meeting was cancelled'],
  ])('%j: a text with such a value states it, another on the same matter does not', (query, text, other) => {
    expect(states(query, text)).toBe(true);
    expect(states(query, other)).toBe(false);
  });

  it.each(['rejected', 'label printer', 'which proposals were rejected', 'why does the import fail'])(
    '%j asks for no kind of value',
    (query) => {
      expect(valueKindsAsked(query)).toBe(0);
    },
  );
});
