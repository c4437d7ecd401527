import { closeSync, createWriteStream, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { smallDiskIfAllowed } from '../../test/support/small-disk.ts';
import { bufferedOutput } from './buffered-output.ts';

const line = (n: number) => `${JSON.stringify({ level: 30, n, text: 'x'.repeat(500) })}\n`;
const parsed = (text: string) =>
  text
    .split('\n')
    .filter((each) => each.startsWith('{') && each.endsWith('}'))
    .map((each) => JSON.parse(each) as Record<string, unknown>);

const disk = smallDiskIfAllowed('64k');

describe.skipIf(!disk)('a log file on a disk that is full (needs a tmpfs)', () => {
  it('a log on a full disk ends no process, counts what is lost and goes on with a whole line once there is room', () => {
    if (!disk) return;
    const path = join(disk.path, 'log');
    const fd = openSync(path, 'a');
    const stream = Object.assign(createWriteStream(path, { fd, autoClose: false }), { fd });
    const output = bufferedOutput(stream);
    const total = 300;
    try {
      for (let n = 0; n < total; n++) {
        output.write(line(n));
        if (n % 7 === 6) output.flush();
      }
      output.flush();
      const kept = parsed(readFileSync(path, 'utf8')).length;
      expect(output.dropped).toBe(total - kept);
      expect(output.dropped).toBeGreaterThan(100);
      disk.resize('1m');
      output.write(line(1000));
      output.write(line(1001));
      output.flush();
      const lines = parsed(readFileSync(path, 'utf8'));
      expect(lines.slice(kept)).toEqual([
        expect.objectContaining({ level: 40, dropped: total - kept }),
        expect.objectContaining({ n: 1000 }),
        expect.objectContaining({ n: 1001 }),
      ]);
      output.write(line(1002));
      output.flush();
      expect(parsed(readFileSync(path, 'utf8')).length).toBe(kept + 4);
    } finally {
      closeSync(fd);
      disk.remove();
    }
  });
});
