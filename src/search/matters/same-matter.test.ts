import { describe, expect, it } from 'vitest';
import { toCompared } from './compared-text.ts';
import { sameMatter } from './same-matter.ts';

const kindOf = (earlier: string, later: string) =>
  sameMatter(toCompared(later), toCompared(earlier), () => 1);

describe('texts on the same matter', () => {
  it.each([
    ['The lease ends on 31 August.', 'The lease ends on 30 September now.', 'otherValue'],
    ['The pool has 4 threads.', 'The pool has twelve threads.', 'otherValue'],
    [
      'Mail goes out by Mailgun, with templates.',
      'Mail goes out by Postmark instead of Mailgun.',
      'otherValue',
    ],
    [
      'Shifts are stored in MariaDB 10.11.',
      'Changed: shifts are stored in PostgreSQL 16, not in MariaDB.',
      'otherValue',
    ],
    ['The lease ends on 31 August.', 'Reminder: the lease ends on August 31st.', 'sameValue'],
    [
      'The internal wiki is called Trellis.',
      'Trellis, the internal wiki, is called Arbor now.',
      'otherValue',
    ],
    [
      'feat: sessions expire after 30 minutes without a request',
      'fix: sessions expire after 2 hours without a request, 30 minutes logged out field staff',
      'otherValue',
    ],
    ['The lease of the flat ends soon.', 'the lease of the flat ends soon', 'duplicate'],
  ])(
    'another value, the same value and the same words are told apart: "%s", "%s"',
    (earlier, later, kind) => {
      expect(kindOf(earlier, later)).toBe(kind);
    },
  );

  it.each([
    ['The lease of the office ends on 31 August.', 'The lease of the car ends on 30 April.'],
    ['The museum opens at 10:00 on weekdays.', 'The museum opens at 11:00 on Sundays.'],
    ['Release 5.2 is due on 3 May.', 'Release 5.3 is due on 3 July.'],
    ['Mara: I went to the gym on Tuesday.', 'Mara: I went to the gym on Thursday too.'],
    ['Marek prefers Vim.', 'Olga prefers Vim.'],
    ['The import runs at 9:00.', 'Does the import run at 10:00?'],
    ['Thanks, your help means a lot!', 'Thanks, your support means a lot!'],
    ['The beta starts on 3 May.', 'The beta costs 40 euros.'],
    [
      'The garden shed needs new paint before Lisbon.',
      'Marek moved the bikes into the garden shed before Lisbon.',
    ],
  ])('texts that only share words are not: "%s", "%s"', (earlier, later) => {
    expect(kindOf(earlier, later)).toBeUndefined();
  });
});
