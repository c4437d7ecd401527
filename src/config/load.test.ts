import { describe, expect, it } from 'vitest';
import { ConfigError, describeConfig, parseConfig } from './load.ts';

describe('configuration', () => {
  it('has a default for everything', () => {
    expect(parseConfig({})).toMatchObject({
      host: '127.0.0.1',
      port: 3000,
      databaseUrl: 'sqlite:./data/memoryd.db',
    });
  });

  it('reports every wrong and unknown variable at once, by name', () => {
    const wrong = {
      MEMORYD_PORT: 'x',
      MEMORYD_DATABASE_URL: 'mysql://a',
      MEMORYD_API_KEY: 'short',
      MEMORYD_PROT: '1',
    };
    try {
      parseConfig(wrong);
      expect.unreachable();
    } catch (error) {
      expect(error).toBeInstanceOf(ConfigError);
      const { faults } = error as ConfigError;
      expect(faults).toHaveLength(4);
      for (const variable of Object.keys(wrong)) expect(faults.join('\n')).toContain(variable);
    }
  });

  it('never shows a secret', () => {
    const config = parseConfig({
      MEMORYD_DATABASE_URL: 'postgres://me:hush@db/x',
      MEMORYD_API_KEY: 'cmk_live_1234.0123456789abcdef',
    });
    const shown = JSON.stringify(describeConfig(config));
    expect(shown).not.toContain('hush');
    expect(shown).not.toContain('0123456789abcdef');
    expect(shown).toContain('postgres://me:***@db/x');
  });
});
