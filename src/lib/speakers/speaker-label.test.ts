import { describe, expect, it } from 'vitest';
import { speakerLabelOf } from './speaker-label.ts';

describe('the speaker in front of a text', () => {
  it.each(['Ana', 'Melanie', 'Mary Smith', 'Anna-Lena'])('a common given name speaks: %s', (name) => {
    expect(speakerLabelOf(`${name}: I moved.`)).toMatchObject({ name, isKnownName: true });
  });

  it.each(['Kenji', 'Owen', 'Thandiwe', 'Sanne de Wit', 'Dr. Patel', 'Will', "O'Brien"])(
    'any other name may speak: %s',
    (name) => {
      expect(speakerLabelOf(`${name}: I moved.`)).toMatchObject({ name, isKnownName: false });
    },
  );

  it.each([
    'Incident',
    'Standup',
    'Rejected',
    'Note',
    'Open',
    'Root cause',
    'TypeError',
    'CI',
    'Marketing',
    'Project Manager',
    'PhD C',
    'Retro',
    "Emil's swimming course",
    'Chat with Maren',
    'the gateway',
  ])('a label of a text is no speaker: %s', (name) => {
    expect(speakerLabelOf(`${name}: it was late.`)).toBeUndefined();
  });
});
