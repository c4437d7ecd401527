import type { Client } from './http-client.ts';
import { poll } from './poll.ts';

interface StatusBody {
  data: { jobs: { step: string; waiting: number; parked: number }[] };
}

const withinMsDefault = 30 * 60_000;

/**
 * Waits until the user's memories have gone through all steps (derivation among them); asks every `everyMs`.
 *
 * @throws Error when a step gave up.
 */
export async function awaitSteps(http: Client, everyMs = 1000, withinMs = withinMsDefault): Promise<void> {
  await poll(
    'the steps of all memories',
    async () => {
      const { status, body, text } = await http.get<StatusBody>('/api/system/context/status');
      if (status !== 200) throw new Error(`the status answered ${status}: ${text}`);
      const { jobs } = body.data;
      if (jobs.some(({ parked }) => parked > 0)) throw new Error(`a step gave up: ${JSON.stringify(jobs)}`);
      return jobs.some(({ waiting }) => waiting > 0) ? undefined : true;
    },
    withinMs,
    everyMs,
  );
}
