import { EventEmitter } from 'node:events';
import { expect, it } from 'vitest';
import { type FailureLine, FailureLog } from '../lib/failure-log.ts';
import { watchFaults } from './process-faults.ts';

function newSource() {
  const source = new EventEmitter();
  const failures = new FailureLog();
  const lines: FailureLine[] = [];
  const ended: unknown[] = [];
  failures.watch((line) => lines.push(line));
  watchFaults(source, { failures, end: (error) => ended.push(error) });
  return { source, lines, ended };
}

it('a rejection that nobody awaits is logged, and the process goes on', () => {
  const { source, lines, ended } = newSource();
  const error = new Error('forgotten');
  source.emit('unhandledRejection', error);
  expect(lines).toMatchObject([{ task: 'process', error }]);
  expect(ended).toEqual([]);
});

it('the error of a connection that nobody listens to is logged, and the process goes on', () => {
  const { source, lines, ended } = newSource();
  source.emit('uncaughtException', Object.assign(new Error('read'), { code: 'ECONNRESET' }));
  expect(lines.length).toBe(1);
  expect(ended).toEqual([]);
});

it('any other exception that nobody catches is logged, and ends the process', () => {
  const { source, lines, ended } = newSource();
  const error = new TypeError('no function');
  source.emit('uncaughtException', error);
  expect(lines).toMatchObject([{ task: 'process', error }]);
  expect(ended).toEqual([error]);
});
