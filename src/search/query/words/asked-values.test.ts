import { describe, expect, it } from 'vitest';
import { valueKindsAsked, valueKindsIn } from './asked-values.ts';

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
