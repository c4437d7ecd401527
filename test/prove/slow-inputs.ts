import { mapConcurrently } from '../support/concurrently.ts';
import { newDatabase } from '../support/database.ts';
import { client } from '../support/http-client.ts';
import { listOperations } from '../support/openapi.ts';
import { type Random, randomFrom } from '../support/random.ts';
import { type Server, startServer } from '../support/server.ts';
import { demand, type Proof, type ProofContext, type ProofResult } from './proof.ts';
import { knownSlowCount, knownSlowText, slowText } from './slow-texts.ts';
import { type TextField, textFields } from './text-fields.ts';
import { type Watchdog, watch } from './watchdog.ts';

/** Texts for each field. Free queries are read by most parsers, so they get more. */
const sizes = {
  small: { known: 1, generated: 1, times: 15 },
  full: { known: knownSlowCount, generated: 30, times: 8 },
};
const atOnce = 4;
/** The service refuses no honest request for this long; one that stands still is stopped by the watchdog before. */
const responseDeadlineMs = 60_000;

/** Generated slow inputs over every text field of the OpenAPI document, so a new field is covered by itself. */
export const slowInputs: Proof = {
  name: 'slow-inputs',
  claim: 'no text in any field keeps the service from answering others',
  run: proveSlowInputs,
};

async function proveSlowInputs(context: ProofContext): Promise<ProofResult> {
  const random = randomFrom(context.seed);
  const database = await newDatabase(context.engine);
  const server = await startServer({ databaseUrl: database.url });
  const watchdog = watch(server);
  try {
    const fields = textFields(await listOperations(client(server.url, server.key)));
    demand(fields.length >= 100, `only ${fields.length} text fields in the OpenAPI document`);
    const inputs = fields.flatMap((field, number) =>
      inputsOf(field, { random, size: context.size, number }).map((text) => ({ field, text })),
    );
    context.log(`${fields.length} text fields, ${inputs.length} texts`);
    const statuses: Record<string, number> = {};
    const slowest = { ms: 0, label: '' };
    await mapConcurrently(inputs, atOnce, async ({ field, text }) => {
      const begun = performance.now();
      const status = await send(server, watchdog, field, text);
      const ms = Math.round(performance.now() - begun);
      statuses[status] = (statuses[status] ?? 0) + 1;
      if (ms > slowest.ms)
        Object.assign(slowest, { ms, label: `${field.label}: ${JSON.stringify(text.slice(0, 80))}` });
    });
    context.log(`slowest answer ${slowest.ms} ms: ${slowest.label}`);
    demand((statuses[200] ?? 0) > 0 && (statuses[201] ?? 0) > 0, 'the texts got nowhere', statuses);
    return { counted: { fields: fields.length, ...statuses, 'slowest ms': slowest.ms } };
  } finally {
    watchdog.end();
    await server.kill();
    await database.drop();
  }
}

function inputsOf(
  field: TextField,
  { random, size, number }: { random: Random; size: ProofContext['size']; number: number },
): string[] {
  const { known, generated, times } = sizes[size];
  const factor = isQuery(field) ? times : 1;
  const ofKnown = Array.from({ length: Math.min(known * factor, knownSlowCount) }, (_, i) =>
    knownSlowText(isQuery(field) ? i : number + i, field.lengthMax),
  );
  const ofGenerated = Array.from({ length: generated * factor }, () => slowText(random, field.lengthMax));
  return [...ofKnown, ...ofGenerated];
}

function isQuery({ label }: TextField): boolean {
  return /(query|\?q)$/.test(label);
}

async function send(server: Server, watchdog: Watchdog, field: TextField, text: string): Promise<number> {
  const { method, path, body } = field.request(text);
  const shown = `${field.label} ${JSON.stringify(text).slice(0, 1_000)} (${text.length} characters)`;
  const done = watchdog.begin(shown);
  const headers = { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' };
  const hasBody = body !== undefined && method !== 'GET';
  const init = hasBody
    ? { body: JSON.stringify(body), headers }
    : { headers: { authorization: headers.authorization } };
  try {
    const response = await fetch(server.url + path, {
      method,
      ...init,
      signal: AbortSignal.any([AbortSignal.timeout(responseDeadlineMs), watchdog.signal]),
    });
    await response.arrayBuffer();
    demand(response.status < 500 || response.status === 503, `answer ${response.status}`, shown);
    return response.status;
  } catch (error) {
    demand(!watchdog.signal.aborted, watchdog.reason(), shown);
    throw new Error(`no answer: ${(error as Error).message}\n  ${shown}`);
  } finally {
    done();
  }
}
