import { describe, expect, it } from 'vitest';
import { engines } from '../support/database.ts';
import { deriveAll } from '../support/derive.ts';
import { listOperations, type Operation } from '../support/openapi.ts';
import { writeSampleRecords } from '../support/sample-records.ts';
import { useApp } from '../support/use-app.ts';

/** Beyond 32 bits, beyond what a double holds exactly, beyond 64 bits: engines refuse each of them in some place. */
const large = ['2147483648', '9007199254740993', '99999999999999999999'];
const isNumeric = (type: unknown) => type === 'integer' || type === 'number';

const numbersOfQuery = ({ parameters }: Operation) =>
  parameters
    .filter(({ in: place, schema }) => place === 'query' && isNumeric(schema?.type))
    .map(({ name }) => name);

const numbersOfBody = ({ body }: Operation) =>
  Object.entries(body?.properties ?? {})
    .filter(([, { type }]) => isNumeric(type))
    .map(([name]) => name);

describe.each(engines)('numbers larger than any column on %s', (engine) => {
  const app = useApp(engine);

  it('numbers larger than any column are accepted or refused, wherever a request may have a number', async () => {
    const http = await app.newClient();
    const records = await writeSampleRecords(http, { derive: () => deriveAll(app.services) });
    const asked: string[] = [];
    for (const operation of await listOperations(http)) {
      const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) =>
        records.parameter(operation.path, name),
      );
      const example = JSON.parse(records.fill(JSON.stringify(operation.example ?? {}))) as object;
      const check = async (name: string, url: string, rawBody?: string) => {
        const headers: Record<string, string> = rawBody ? { 'content-type': 'application/json' } : {};
        const { status } = await http.send(operation.method, url, { rawBody, headers });
        expect([operation.method, url, rawBody, status < 500]).toEqual([
          operation.method,
          url,
          rawBody,
          true,
        ]);
        asked.push(`${operation.path} ${name}`);
      };
      for (const number of large) {
        for (const name of numbersOfQuery(operation)) await check(name, `${path}?${name}=${number}`);
        for (const name of numbersOfBody(operation)) {
          const body = JSON.stringify({ ...example, [name]: 'NUMBER' }).replace('"NUMBER"', number);
          await check(name, path, body);
        }
      }
    }
    expect(asked).toContain('/api/conversations minMemories');
    expect(asked).toContain('/api/memories/search limit');
  });
});
