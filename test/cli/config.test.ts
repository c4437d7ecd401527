import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { newTempFolder } from '../support/temp-folder.ts';
import { runCli } from './run-cli.ts';

describe('memoryd config', () => {
  it('memoryd config shows first what is set and where, then the defaults, as plain text of bounded width without secrets', async () => {
    const folder = newTempFolder('config');
    writeFileSync(join(folder.path, '.env'), 'MEMORYD_PORT=3100\nMEMORYD_TRASH_DAYS=\n');
    const env = { MEMORYD_LOG_LEVEL: 'warn', MEMORYD_DATABASE_URL: 'postgres://me:secret@db/memoryd' };
    const { code, stdout } = await runCli(['config'], { cwd: folder.path, env });
    expect(code).toBe(0);
    const [set = '', byDefault = ''] = stdout.split('As by default:');
    expect(set).toMatch(/^Set:$/m);
    expect(set).toMatch(/^MEMORYD_PORT=3100 {2}\(from \.env; default: 3000\)$/m);
    expect(set).toMatch(/^MEMORYD_LOG_LEVEL=warn {2}\(from the environment; default: info\)$/m);
    expect(set).toMatch(/^MEMORYD_DATABASE_URL=postgres:\/\/me:\*\*\*@db\/memoryd {2}\(/m);
    expect(byDefault).toMatch(/^MEMORYD_TRASH_DAYS=30$/m);
    expect(stdout).not.toContain('me:secret');
    expect(stdout).not.toMatch(/`|\]\(/);
    expect(stdout.split('\n').every((line) => line.startsWith('MEMORYD_') || line.length <= 100)).toBe(true);

    const { data } = JSON.parse((await runCli(['config', '--json'], { cwd: folder.path, env })).stdout);
    expect(data).toContainEqual({
      variable: 'MEMORYD_PORT',
      value: '3100',
      defaultValue: '3000',
      source: '.env',
      kind: 'whole number, 0 to 65535',
      description: 'Port to listen on; 0 takes any free one.',
    });
    folder.remove();
  });
});
