import { randomBytes } from 'node:crypto';
import { Client } from '../src/index.js';

/** A client of a user without memories; the environment names the key, as for a person's program. */
export async function newClient(): Promise<Client> {
  const { TEST_URL: url, TEST_KEY: key } = process.env;
  const operator = new Client({ url, key });
  const name = `u${randomBytes(6).toString('hex')}`;
  await operator.createUser({ name });
  const made = await operator.createUserKey(name, { label: 'test', scopes: ['read', 'write'] });
  Object.assign(process.env, { MEMORYD_URL: url, MEMORYD_KEY: made.data.apiKey });
  return new Client();
}
