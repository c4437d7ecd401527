import { describe, expect, it } from 'vitest';
import { type Engine, engines } from '../support/database.ts';
import { deriveAll } from '../support/derive.ts';
import type { Client } from '../support/http-client.ts';
import { useLlmApp } from '../support/llm-app.ts';
import type { LlmBehaviour, LlmRequest } from '../support/llm-server.ts';
import { poll } from '../support/poll.ts';

const key = 'sk-not-to-be-seen';
const text = 'Gladly the Heron rollout pleases Farida. The gym closes at ten.';
const byRules = 'The gym closes at ten';
const byLlm = 'the Heron rollout pleases Farida';

/** What a model says of `text`; empty of others. */
function answerTo({ data }: LlmRequest): LlmBehaviour {
  const fact = {
    quote: 'Gladly the Heron rollout pleases Farida',
    subject: 'the Heron rollout',
    predicate: 'pleases',
    object: 'Farida',
    negated: false,
    confidence: 0.95,
  };
  const same = { ...fact, quote: byRules, subject: 'The gym', predicate: 'closes at', object: 'ten' };
  const facts = data.text === text ? [fact, same] : [];
  return { kind: 'answers', value: { entities: [], facts }, tokens: 1000 };
}

interface FactBody {
  readonly id: string;
  readonly subject: string;
  readonly predicate: string;
  readonly object: string;
  readonly confidence: number;
}
interface StatusBody {
  readonly data: {
    readonly llm?: { readonly model: string; readonly state: string; readonly reason?: string };
    readonly jobs: readonly { readonly step: string; readonly waiting: number; readonly parked: number }[];
  };
}

describe.each(engines)('the step that asks an LLM, on %s', (engine) => {
  const served = useLlmApp(engine);
  const start = (settings: Record<string, string> = {}, on?: Engine) =>
    served.start({ MEMORYD_LLM_API_KEY: key, MEMORYD_LOG_LEVEL: 'info', ...settings }, on);

  const write = async (http: Client, content: string) =>
    (await http.post<{ data: { id: string } }>('/api/memories', { content })).body.data.id;
  const facts = async (http: Client) => {
    const { body } = await http.get<{ data: FactBody[] }>('/api/facts');
    const sorted = [...body.data].sort((a, b) => a.subject.localeCompare(b.subject));
    return sorted.map((fact) => ({ ...fact, says: `${fact.subject} ${fact.predicate} ${fact.object}` }));
  };
  const says = async (http: Client) => (await facts(http)).map((fact) => fact.says);
  const status = async (http: Client) => (await http.get<StatusBody>('/api/system/context/status')).body.data;

  it('an LLM adds to what the rules find, and does not touch what they found', async () => {
    served.llm.always(answerTo);
    const { app, http } = await start();
    await write(http, text);
    await deriveAll(app.services);
    const [rule, added] = await facts(http);
    expect([rule.says, added.says]).toEqual([byRules, byLlm]);
    expect(added.confidence).toBe(0.85);
    expect(rule.confidence).toBeGreaterThan(0.6);
  });

  it('an LLM may be done before the rules are: the same comes out', async () => {
    served.llm.always(answerTo);
    const { app, http } = await start();
    await write(http, text);
    await deriveAll({ ...app.services, steps: [...app.services.steps].reverse() });
    const [rule, added] = await facts(http);
    expect([rule.says, added.says]).toEqual([byRules, byLlm]);
    expect(rule.confidence).toBeGreaterThan(0.6);
  });

  it('what an LLM proposed stays, ids included, when the memory is derived again', async () => {
    served.llm.always(answerTo);
    const { app, http } = await start();
    await write(http, text);
    await deriveAll(app.services);
    const before = await facts(http);
    const asked = served.llm.requests.length;
    // Makes the name known for certain, so that memories with it are derived again.
    await write(http, 'Project Heron begins in May.');
    await deriveAll(app.services);
    const after = await facts(http);
    expect(after.filter(({ says }) => says === byLlm)).toEqual([
      expect.objectContaining({ id: before[1].id, says: byLlm }),
    ]);
    expect(served.llm.requests.slice(asked).map(({ data }) => data.text)).not.toContain(text);
  });

  it('what an LLM proposed goes with its memory', async () => {
    served.llm.always(answerTo);
    const { app, http } = await start({ MEMORYD_TRASH_DAYS: '0' });
    const id = await write(http, text);
    await deriveAll(app.services);
    expect(await says(http)).toContain(byLlm);
    await http.delete(`/api/memories/${id}`);
    expect(await says(http)).toEqual([]);
  });

  it('an LLM that is away delays nothing, is reported without text and key, and is asked when it is back', async () => {
    served.llm.always({ kind: 'status', status: 503, body: `no ${key} for ${text}` });
    const { app, http } = await start();
    app.startUpkeep();
    await write(http, text);
    await poll('the rules are done', async () => ((await says(http)).includes(byRules) ? true : undefined));
    const away = await poll('the LLM is reported', async () => {
      const now = await status(http);
      return now.llm?.state === 'failing' ? now : undefined;
    });
    expect(away.llm).toEqual({
      model: 'stand-in',
      state: 'failing',
      reason: 'the server of the LLM answers 503',
    });
    expect(away.jobs.find(({ step }) => step === 'propose')).toMatchObject({ waiting: 1, parked: 0 });
    const metrics = await (await fetch(`${app.url}/metrics`)).text();
    expect(metrics).toMatch(/memoryd_llm_requests_total\{outcome="unavailable"\} [1-9]/);
    expect(metrics).toContain('memoryd_llm_state{state="failing"} 1');

    served.llm.always(answerTo);
    await poll('the LLM is asked again', async () => ((await says(http)).includes(byLlm) ? true : undefined));
    const left = await (await fetch(`${app.url}/metrics`)).text();
    expect(left).toContain('memoryd_llm_tokens_left 199000');
    const lines = app.log.filter((line) => line.includes('"llm":')).map((line) => JSON.parse(line));
    expect(lines.map(({ level, llm: { state } }) => [level, state])).toEqual([
      [40, 'failing'],
      [30, 'ok'],
    ]);
    for (const secret of [key, 'Farida', 'gym']) expect(app.log.join('\n')).not.toContain(secret);
  });

  it('an LLM that never answers keeps neither writes nor searches waiting', async () => {
    served.llm.always({ kind: 'hangs' });
    const { app, http } = await start();
    app.startUpkeep();
    await write(http, text);
    await poll('the LLM is asked', async () => served.llm.requests.find(({ data }) => data.text === text));
    await write(http, 'Another memory.');
    const found = await http.post<{ data: { content: string }[] }>('/api/memories/search', { query: 'gym' });
    expect(found.body.data[0].content).toBe(text);
    await poll('the rules are done', async () => ((await says(http)).includes(byRules) ? true : undefined));
  });

  it('an LLM that answers nonsense three times for a memory is given up for it, and for no other', async () => {
    served.llm.always((request) =>
      request.data.text === text ? answerTo(request) : { kind: 'says', content: 'As an AI, I cannot.' },
    );
    const { app, http } = await start();
    app.startUpkeep();
    await write(http, 'The pool opens at six.');
    await write(http, text);
    const parked = await poll('it is given up', async () => {
      const job = (await status(http)).jobs.find(({ step }) => step === 'propose');
      return job?.parked === 1 && job.waiting === 0 ? job : undefined;
    });
    expect(parked).toMatchObject({ lastError: 'LLM_INVALID' });
    expect(await says(http)).toContain(byLlm);
    expect(await says(http)).toContain('The pool opens at six');
  });

  it('an LLM is paused when the tokens of the day are used up; the rules go on', async () => {
    served.llm.always(answerTo);
    const { app, http } = await start({ MEMORYD_LLM_TOKENS_PER_DAY: '1000', MEMORYD_LLM_OUTPUT_TOKENS: '0' });
    app.startUpkeep();
    const asked = served.llm.requests.length;
    await write(http, text);
    const paused = await poll('the LLM is paused', async () => {
      const now = await status(http);
      return now.llm?.state === 'paused' ? now : undefined;
    });
    expect(paused.llm?.reason).toBe('the 1000 tokens of the day are used up');
    await poll('the rules are done', async () => ((await says(http)).includes(byRules) ? true : undefined));
    expect(served.llm.requests).toHaveLength(asked);
  });

  it('no LLM is asked, and no step waits for one, unless it is configured', async () => {
    const { app, http } = await start({ MEMORYD_LLM: 'none' });
    expect(app.services.steps.map(({ name }) => name)).not.toContain('propose');
    await write(http, text);
    expect(await status(http)).not.toHaveProperty('llm');
    expect((await status(http)).jobs.map(({ step }) => step)).not.toContain('propose');
  });
});
