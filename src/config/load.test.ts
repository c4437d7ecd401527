import { describe, expect, it } from 'vitest';
import { ConfigError, describeConfig, parseConfig } from './load.ts';

describe('configuration', () => {
  it('the configuration has a default for everything', () => {
    expect(parseConfig({})).toMatchObject({
      host: '127.0.0.1',
      port: 3000,
      databaseUrl: 'sqlite:./data/memoryd.db',
    });
  });

  it('the configuration reports every wrong and unknown variable at once, by name', () => {
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

  it('the configuration checks every item of a list, and says what a mistyped name was probably meant to be', () => {
    const faultsOf = (environment: Record<string, string>) => {
      try {
        parseConfig(environment);
      } catch (error) {
        return (error as ConfigError).faults.join('\n');
      }
      return '';
    };
    expect(faultsOf({ MEMORYD_TRUSTED_PROXIES: '10.0.0.0/8, loopback, ::1, fd00::/8' })).toBe('');
    for (const wrong of ['nonsense', '10.0.0.0/33', '10.0.0.0/8/8', '1.2.3']) {
      expect(faultsOf({ MEMORYD_TRUSTED_PROXIES: `127.0.0.1,${wrong}` })).toContain(`"${wrong}" is none`);
    }
    expect(faultsOf({ MEMORYD_CORS_ORIGINS: 'https://a.example,http://localhost:5173' })).toBe('');
    expect(faultsOf({ MEMORYD_CORS_ORIGINS: 'https://a.example/path' })).toContain('MEMORYD_CORS_ORIGINS');
    expect(faultsOf({ MEMORYD_PROT: '1' })).toContain('did you mean MEMORYD_PORT?');
    expect(faultsOf({ MEMORYD_SOMETHING_ELSE: '1' })).toContain('`memoryd config` lists them all');
  });

  it('the configuration says all that a server that embeds lacks, and never shows its key', () => {
    const faultsOf = (environment: Record<string, string>) => {
      try {
        return [parseConfig({ MEMORYD_EMBEDDER: 'openai', ...environment }).embedder];
      } catch (error) {
        return (error as ConfigError).faults.map((fault) => fault.split(' ')[0]);
      }
    };
    expect(faultsOf({ MEMORYD_EMBEDDER_BATCH_SIZE: '0' })).toEqual([
      'MEMORYD_EMBEDDER_BATCH_SIZE',
      'MEMORYD_EMBEDDER_URL',
      'MEMORYD_EMBEDDER_MODEL',
      'MEMORYD_EMBEDDER_DIMENSIONS',
    ]);
    const whole = {
      MEMORYD_EMBEDDER_URL: 'http://localhost:11434/v1',
      MEMORYD_EMBEDDER_MODEL: 'nomic-embed-text',
      MEMORYD_EMBEDDER_DIMENSIONS: '768',
    };
    expect(faultsOf(whole)).toEqual(['openai']);
    for (const url of [
      'localhost:11434',
      'ftp://host/v1',
      'https://me:secret@host/v1',
      'https://host/v1?key=1',
    ])
      expect([url, faultsOf({ ...whole, MEMORYD_EMBEDDER_URL: url })]).toEqual([
        url,
        ['MEMORYD_EMBEDDER_URL'],
      ]);
    expect(faultsOf({ ...whole, MEMORYD_EMBEDDER_API_KEY: 'a\nb' })).toEqual(['MEMORYD_EMBEDDER_API_KEY']);
    const shown = describeConfig(parseConfig({ MEMORYD_EMBEDDER_API_KEY: 'sk-seen.never' }));
    expect(JSON.stringify(shown)).not.toMatch(/sk-seen|never"/);
  });

  it('the configuration never shows a password, wherever in a database URL it stands', () => {
    for (const url of [
      'postgres://me:hu@sh@db/x',
      'postgres://db/x?user=me&password=hu@sh',
      'postgres://:hu@sh@db/x',
    ]) {
      const shown = JSON.stringify(describeConfig(parseConfig({ MEMORYD_DATABASE_URL: url })));
      expect(shown).not.toMatch(/hu@|@sh|hu|[^a-z]sh@/);
    }
  });

  it('the configuration never shows a secret', () => {
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
