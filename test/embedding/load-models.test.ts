import { expect, it, vi } from 'vitest';
import { parseConfig } from '../../src/config/load.ts';
import { newDatabase } from '../support/database.ts';

vi.mock('../../src/embedding/static/static-model.ts', async (original) => {
  const module = await original<typeof import('../../src/embedding/static/static-model.ts')>();
  return { ...module, loadStaticModel: vi.fn(module.loadStaticModel) };
});

it('the bundled model is read by the first text and not by a command that only opens the store', async () => {
  // Test files share modules: another one may have read the model.
  vi.resetModules();
  const { openStorage } = await import('../../src/container.ts');
  const { loadBundled } = await import('../../src/embedding/load-models.ts');
  const { loadStaticModel } = await import('../../src/embedding/static/static-model.ts');
  const database = await newDatabase('sqlite');
  const config = parseConfig({ MEMORYD_DATABASE_URL: database.url });
  for (let opened = 0; opened < 2; opened++) {
    const storage = await openStorage(config, { exclusive: true });
    await storage.users.list();
    await storage.close();
  }
  await database.drop();
  expect(loadStaticModel).not.toHaveBeenCalled();
  const { bundled } = loadBundled();
  const { dimension } = bundled.space;
  expect(bundled.embedNow('a note')).toHaveLength(dimension);
  loadBundled().synonyms.near('note');
  expect(loadStaticModel).toHaveBeenCalledTimes(1);
});
