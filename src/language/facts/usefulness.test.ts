import { describe, expect, it } from 'vitest';
import { languageModel } from '../../../test/support/language-model.ts';
import { deriveText } from '../derive-text.ts';

const model = languageModel();
const shownIn = (text: string) =>
  deriveText(model, text).facts.map(
    ({ subject, predicate, object }) => `${subject.text} | ${predicate} | ${object.text}`,
  );

describe('facts that are shown', () => {
  it.each([
    ['The cluster runs three nodes.', 'The cluster | runs | three nodes'],
    ['CI takes 14 minutes.', 'CI | takes | 14 minutes'],
    ['Tamsin is allergic to nuts.', 'Tamsin | is allergic to | nuts'],
    ['Ana: I work for Nordlicht.', 'Ana | work for | Nordlicht'],
    ['Ida wants a sleepover for her birthday, 2 June.', 'Ida | wants | a sleepover for her birthday'],
    ['User: I live in Porto.', 'User | live in | Porto'],
  ])('facts are shown that say something by themselves: %s', (text, fact) => {
    expect(shownIn(text)).toContain(fact);
  });

  it.each([
    'Caroline: Your help means a lot to me.',
    'The team had a good time.',
    'It works with this option.',
    'Priya does not want feature flags as long as nobody cleans them up.',
    'The build is green.',
    'feat(search): the gateway uses Redis.',
    'Use Redis (#123)\n\nThe gateway uses Redis.',
    'The gateway uses Redis.\n\nSigned-off-by: Ana <ana@example.com>',
    '| the gateway | uses Redis | since 2024 |',
    'Marketing: Um, the remote uses a rubber case.',
    'Jon: I am learning a ton of dances.',
    'Dmitri thinks that the ledger uses Kafka.',
    'Melanie: It reminds me why I love being a mom.',
    'Gina: I love being around friends.',
    'Disk alert on worker-2 was old core dumps, 38 GB.',
    'Customer Halvorsen reported duplicate attachments.',
    'I stood on the stairs.',
    'Paola: I like the movie "Get Out".',
    'Melanie: I am a fan of both classical and modern music.',
    'Kevin: Astronomy is a captivating field.',
    'Agent: I run the suite in two zones.',
    'Half of it is the browser suite.',
  ])('facts are not shown of empty words, doubt, negated parts, or texts that are no prose: %s', (text) => {
    expect(shownIn(text)).toEqual([]);
  });
});
