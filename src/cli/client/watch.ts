import type { Command } from 'commander';
import { backOffMs } from '../../lib/async.ts';
import { rest } from '../../lib/throttle.ts';
import { print } from '../output/print.ts';
import { note } from '../output/terminal.ts';
import { describe, reasonOf, type ServiceAccess } from './api-client.ts';
import { type AskOptions, findService, RefusedError, serviceCommand } from './service.ts';

interface WatchOptions extends AskOptions {
  readonly since?: string;
}

interface StreamEvent {
  readonly event: string;
  readonly data: Readonly<Record<string, unknown>>;
  /** Cursor behind the event. */
  readonly id: string | undefined;
}

const reconnect = { first: 500, most: 10_000 };
/** The service sends something each 10 s; a connection without it is dead. */
const silenceMs = 30_000;

/** `memoryd watch`: prints changes as they happen, until it is interrupted. */
export function watchCommand(): Command {
  return serviceCommand('watch')
    .option('--since <cursor>', 'go on behind a change that --json printed, instead of from now')
    .action(async (options: WatchOptions) => {
      const service = findService(options);
      const watched = { last: options.since, failures: 0 };
      for (;;) {
        try {
          await printUntilLost(service, watched, options);
        } catch (error) {
          if (error instanceof RefusedError && error.status < 500) throw error;
          note(`memoryd: ${service.url} sends no changes (${reasonOf(error)}). Connecting again.`);
        }
        watched.failures++;
        await rest(backOffMs(watched.failures, reconnect));
      }
    });
}

interface Watched {
  /** Cursor behind the last event. */
  last: string | undefined;
  /** Lost connections since the last event. */
  failures: number;
}

/** @throws Error always: a stream has no end of its own */
async function printUntilLost(service: ServiceAccess, watched: Watched, { json }: WatchOptions) {
  for await (const { event, data, id } of eventsOf(service, watched.last)) {
    if (event === 'end') throw new Error(String(data.error));
    watched.failures = 0;
    watched.last = id ?? watched.last;
    const { kind, action, id: recordId } = data;
    if (event === 'change')
      print(json ? JSON.stringify({ cursor: id, ...data }) : `${action} ${kind} ${recordId}`);
  }
  throw new Error('the connection ended');
}

/** @throws RefusedError if the service refuses the stream */
async function* eventsOf({ url, key }: ServiceAccess, last: string | undefined): AsyncGenerator<StreamEvent> {
  const silence = new AbortController();
  const timer = setTimeout(() => silence.abort(), silenceMs);
  try {
    const response = await fetch(`${url}/api/events`, {
      headers: { authorization: `Bearer ${key}`, ...(last !== undefined && { 'last-event-id': last }) },
      signal: silence.signal,
    });
    if (!response.ok || !response.body) throw await refusalOf(response);
    let text = '';
    for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
      timer.refresh();
      const blocks = (text + chunk).split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) {
        const match = /^event: (\w+)\ndata: (.*)(?:\nid: (.*))?$/.exec(block);
        if (match) yield { event: match[1], data: JSON.parse(match[2]), id: match[3] };
      }
    }
  } finally {
    clearTimeout(timer);
    silence.abort();
  }
}

async function refusalOf(response: Response): Promise<RefusedError> {
  // A proxy in between may refuse without a body of JSON: the status says enough.
  const body: unknown = await response.json().catch(() => ({}));
  const refused = { status: response.status, body: body as Readonly<Record<string, unknown>> };
  return new RefusedError({ ...refused, body: { ...refused.body, error: describe(refused) } });
}
