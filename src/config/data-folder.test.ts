import { describe, expect, it } from 'vitest';
import { defaultDataFolder, type Place } from './data-folder.ts';
import { parseConfig } from './load.ts';

const linux: Place = { platform: 'linux', home: '/home/ana', environment: {}, isCheckout: false };

describe('the data folder of a package', () => {
  it('the data folder of a package is the data folder of the user on each platform', () => {
    expect(defaultDataFolder(linux)).toBe('/home/ana/.local/share/memoryd');
    const xdg = (path: string) => defaultDataFolder({ ...linux, environment: { XDG_DATA_HOME: path } });
    expect(xdg('/data')).toBe('/data/memoryd');
    expect(xdg('relative')).toBe('/home/ana/.local/share/memoryd');
    expect(defaultDataFolder({ ...linux, platform: 'darwin', home: '/Users/ana' })).toBe(
      '/Users/ana/Library/Application Support/memoryd',
    );
    const windows: Place = { ...linux, platform: 'win32', home: 'C:\\Users\\ana' };
    expect(defaultDataFolder(windows)).toBe('C:\\Users\\ana\\AppData\\Local\\memoryd');
    const environment = { LOCALAPPDATA: 'D:\\Local' };
    expect(defaultDataFolder({ ...windows, environment })).toBe('D:\\Local\\memoryd');
  });
});

describe('the store', () => {
  const storeOf = (environment: Record<string, string>, place = linux) =>
    parseConfig(environment, place).databaseUrl;

  it('the store is in ./data of a checkout, in the data folder of the user otherwise, and where a setting says', () => {
    expect(storeOf({}, { ...linux, isCheckout: true })).toBe('sqlite:./data/memoryd.db');
    expect(storeOf({})).toBe('sqlite:/home/ana/.local/share/memoryd/memoryd.db');
    expect(storeOf({ MEMORYD_DATA_DIR: '/srv/memoryd' })).toBe('sqlite:/srv/memoryd/memoryd.db');
    const both = { MEMORYD_DATA_DIR: '/srv/memoryd', MEMORYD_DATABASE_URL: 'sqlite:/tmp/a.db' };
    expect(storeOf(both)).toBe('sqlite:/tmp/a.db');
  });

  it('the store is never in a folder named ~', () => {
    expect(() => storeOf({ MEMORYD_DATA_DIR: '~/memoryd' })).toThrow('MEMORYD_DATA_DIR');
  });
});
