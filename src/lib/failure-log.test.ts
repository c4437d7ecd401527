import { expect, it } from 'vitest';
import { type FailureLine, FailureLog } from './failure-log.ts';

function newLog() {
  let now = 1000;
  const lines: FailureLine[] = [];
  const log = new FailureLog(() => now);
  log.watch((line) => lines.push(line));
  return { log, lines, pass: (ms: number) => (now += ms) };
}

it('a task that fails again and again has a line a minute, which says how often it failed since', () => {
  const { log, lines, pass } = newLog();
  for (let i = 0; i < 5; i++) log.failed('topic_merge', new Error(`try ${i}`));
  expect(lines.map(({ times }) => times)).toEqual([1]);
  pass(60_000);
  log.failed('topic_merge', new Error('again'));
  expect(lines.map(({ times }) => times)).toEqual([1, 5]);
  expect(log.counts).toEqual([{ task: 'topic_merge', failures: 6, lastFailedAt: 61_000 }]);
});

it('a task that fails in another way has a line at once', () => {
  const { log, lines } = newLog();
  log.failed('serve_lock', Object.assign(new Error('gone'), { code: 'ECONNRESET' }));
  log.failed('serve_lock', Object.assign(new Error('gone'), { code: 'ECONNREFUSED' }));
  log.failed('vacuum', Object.assign(new Error('gone'), { code: 'ECONNREFUSED' }));
  expect(lines.map(({ task }) => task)).toEqual(['serve_lock', 'serve_lock', 'vacuum']);
});

it('failures before there is a log are in it as soon as there is one', () => {
  const log = new FailureLog();
  const error = new Error('early');
  log.failed('warm_up', error);
  const lines: FailureLine[] = [];
  log.watch((line) => lines.push(line));
  expect(lines).toEqual([{ task: 'warm_up', error, times: 1 }]);
});
