import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sourceFiles } from './sources.ts';

const files = sourceFiles();
const sources = files.filter(({ isTest }) => !isTest);
const linesMax = 400;
const portLinesMax = 120;
const folderFilesMax = 15;
const smallMax = 30;

/** Folders with more files, and how many. */
const largerFolders: Readonly<Record<string, number>> = {
  lib: 17,
};

const generated = 'made by a script';
const entry = 'the entry of a thread, which loads nothing else';
const ofEngine = 'each engine has it under the same name';
/** Small files that one other file imports, and why they are apart. */
const smallFiles: Readonly<Record<string, string>> = {
  'embedding/onnx/encoder-entry.ts': entry,
  'embedding/static/sums-wasm.ts': generated,
  'language/models/row-sums-wasm.ts': generated,
  'search-index/vectors/simd/codes-wasm.ts': generated,
  'search-index/vectors/simd/nibble-sums-wasm.ts': generated,
  'search-index/vectors/simd/products-wasm.ts': generated,
  'search/query/times/question-words.ts': 'data: question words of four languages',
  'storage/sqlite/migrations.ts': ofEngine,
  'threads/graph-entry.ts': entry,
};

describe('files of src', () => {
  it(`files of src have at most ${linesMax} lines`, () => {
    expect(
      files.filter(({ lines }) => lines > linesMax).map(({ path, lines }) => `${path}: ${lines}`),
    ).toEqual([]);
  });

  it(`folders of src have at most ${folderFilesMax} files`, () => {
    const counts = new Map<string, number>();
    for (const { path } of sources) counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1);
    const allowed = (folder: string) => largerFolders[folder] ?? folderFilesMax;
    expect([...counts].filter(([folder, count]) => count > allowed(folder))).toEqual([]);
  });

  it(`files of src below ${smallMax} lines that one other file imports say why they are apart`, () => {
    const importers = new Map<string, number>();
    for (const { imports } of sources)
      for (const target of new Set(imports)) importers.set(target, (importers.get(target) ?? 0) + 1);
    const small = sources.filter(({ path, lines }) => lines < smallMax && importers.get(path) === 1);
    expect(small.map(({ path }) => path).sort()).toEqual(Object.keys(smallFiles).sort());
  });

  it('files of src are named in kebab-case, and never after what they are not', () => {
    const drawers = /(^|\/)(utils?|helpers?|common|misc|new|v2)(\.ts$|\/)/;
    const wrong = files.filter(
      ({ path }) => !/^[a-z0-9/-]+(\.[a-z0-9-]+)*\.ts$/.test(path) || drawers.test(path),
    );
    expect(wrong.map(({ path }) => path)).toEqual([]);
  });

  it('files of src read the environment in config only', () => {
    const reading = /process\.env(?!\.ORT_DISABLE_TELEMETRY = )/;
    const readers = sources.filter(({ path, text }) => reading.test(text) && !path.startsWith('config/'));
    expect(readers.map(({ path }) => path)).toEqual([]);
  });

  it('files of src load onnxruntime in one place, which switches its telemetry off', () => {
    const loaders = sources.filter(({ text }) => text.includes('onnxruntime-node'));
    expect(loaders.map(({ path }) => path)).toEqual(['embedding/onnx/runtime.ts']);
  });

  it('files of src keep ports small', () => {
    const ports = sources.filter(({ path }) => /^domain\/.*-store\.ts$/.test(path));
    expect(ports.filter(({ lines }) => lines > portLinesMax).map(({ path }) => path)).toEqual([]);
  });
});

describe('routes', () => {
  it('routes give every POST that changes something an act for its Idempotency-Key', () => {
    const posts = sources
      // What an operator makes is made once by its name.
      .filter(({ path }) => path.startsWith('http/routes/') && path !== 'http/routes/operator.ts')
      .flatMap(({ path, text }) =>
        text
          .split(/(?=\bapp\.(?:get|post|put|patch|delete)\()/)
          .filter((call) => call.startsWith('app.post('))
          .map((call) => ({ post: `${path}: ${/operationId: '(\w+)'/.exec(call)?.[1]}`, call })),
      );
    const changing = posts.filter(({ call }) => !/scope: 'read'|public: true/.test(call));
    expect(changing.length).toBeGreaterThan(20);
    expect(
      changing.filter(({ call }) => !/\bkeyedAct(OfPart)?[(<]/.test(call)).map(({ post }) => post),
    ).toEqual([]);
  });
});

describe('a failure that is passed over', () => {
  /** A `catch` that does not look at what failed. */
  const blind = /catch \{|\.catch\(\(\) =>/;
  const said = /\/\/|\/\*\*|throw |\.failed\(|log\.|refusal:/;

  it('a failure that is passed over is logged, counted, shown to the caller in other words, or passed over for a reason in a comment', () => {
    const silent = sources.flatMap(({ path, text }) => {
      const lines = text.split('\n');
      return lines.flatMap((line, i) => {
        if (!blind.test(line)) return [];
        const around = lines.slice(Math.max(0, i - 3), i + 4).join('\n');
        return said.test(around) ? [] : [`${path}:${i + 1}`];
      });
    });
    expect(silent).toEqual([]);
  });
});

describe('stores of user data', () => {
  // What works on the whole store, or makes the scope; keys, users and stored responses are looked up without a user.
  const unscoped =
    /^storage\/sql\/((core|jobs|maintenance|transfer|upkeep|users|vectors)\/|(sql-driver|sql-engine)\.ts)/;

  it('stores of user data build every statement from the scoped tables', () => {
    const wrong = sources
      .filter(({ path }) => path.startsWith('storage/sql/') && !unscoped.test(path))
      .filter(({ text }) => /import[^;]*\bKysely\b[^;]*from 'kysely'/.test(text));
    expect(wrong.map(({ path }) => path)).toEqual([]);
  });

  it('match rows of two tables by their user in one place', () => {
    const wrong = sources
      .filter(({ path }) => path.startsWith('storage/sql/') && !unscoped.test(path))
      .filter(({ text }) => /\.user_id\b|\.(inner|left|right|full|cross)Join(Lateral)?\(/.test(text));
    expect(wrong.map(({ path }) => path)).toEqual([]);
  });

  it('stores of user data have user_id first in every primary key and index', async () => {
    const { recordTables } = await import('../../src/storage/sql/core/migrations/0001-records.ts');
    const { derivedTables } = await import('../../src/storage/sql/core/migrations/0001-derived.ts');
    const plain = {
      text: 'TEXT',
      integer: 'INTEGER',
      real: 'REAL',
      bytes: 'BLOB',
      rowId: 'ID',
      user: 'USER',
      clustered: '',
    };
    const shared =
      /^INSERT|CREATE TABLE (store_info|store_counters|users|api_keys|user_counters|vector_spaces|backfills|oauth_records) |INDEX oauth_records_|INDEX jobs_(by_user|parked) /;
    const statements = [...recordTables(plain), ...derivedTables(plain)];
    const wrong = statements.filter((sql) => {
      if (shared.test(sql)) return false;
      if (/^CREATE (UNIQUE )?INDEX/.test(sql)) return !/\(user_id[,)]/.test(sql.replace(/^.*? ON /s, ''));
      return !/PRIMARY KEY \(user_id[,)]/.test(sql);
    });
    expect(wrong).toEqual([]);
  });
});
