import { compileInstructionsResponse, type Memnexus } from '@memnexus-ai/typescript-sdk';
import { beforeAll, describe, expect, it } from 'vitest';
import { sdkOf } from '../support/sdk.ts';
import { engines } from '../support/server.ts';
import { useServer } from '../support/use-server.ts';

describe.each(engines)('patterns of the public TypeScript SDK on %s', (engine) => {
  const server = useServer(engine);
  let sdk: Memnexus;

  beforeAll(async () => {
    sdk = sdkOf(server);
    for (const content of ['Always run the linter first.', 'Please always run the linter first.'])
      await sdk.memories.createMemory({ content });
  });

  it('the SDK detects, compiles, lists, changes, judges and analyses patterns', async () => {
    const detected = await sdk.patterns.detectPatterns({ body: { minConfidence: 0.5, autoStore: false } });
    expect(detected.data?.data).toMatchObject({ count: 1, stored: 0 });
    const compiled = await sdk.patterns.compilePatterns({ body: { minOccurrences: 2, timeWindow: '30d' } });
    expect(compiled.data?.count).toBe(1);
    const listed = await sdk.patterns.listPatterns({ limit: 10 });
    const id = listed.data?.data?.[0].id ?? '';
    expect(listed.data?.data).toMatchObject([{ type: 'rule', description: 'Always run the linter first.' }]);
    const changed = await sdk.patterns.updatePattern(id, { description: 'Lint first.', confidence: 0.5 });
    expect(changed.data?.data).toMatchObject({ description: 'Lint first.', confidence: 0.5 });
    const judged = await sdk.patterns.recordPatternFeedback({ patternId: id, feedback: 'positive' });
    expect(judged.data?.data?.confidence).toBeCloseTo(2 / 3, 10);
    const analysed = await sdk.patterns.analyzePatterns({ body: { timeRange: 30, groupBy: 'type' } });
    expect(analysed.data?.data).toMatchObject({ timeRange: 30, analysis: { totalPatterns: 1 } });
  });

  it('the SDK gets instructions within its budget', async () => {
    await sdk.patterns.compilePatterns({ body: { minOccurrences: 2, timeWindow: '30d' } });
    const { data } = await sdk.patterns.compileInstructions({ body: { tokenBudget: 50 } });
    expect(compileInstructionsResponse.safeParse(data).error?.issues).toBeUndefined();
    expect(data?.systemState).toBe('ok');
    expect(data?.tokenCount).toBeLessThanOrEqual(50);
  });

  it('the SDK changes and reads the behaviour state', async () => {
    await sdk.behavior.updateBehavioralState({ body: { state: { tone: 'brief' } } });
    await sdk.behavior.updateBehavioralState({ body: { mutations: { seen: true } } });
    const { data } = await sdk.behavior.getBehavioralState();
    expect(data?.data).toEqual({ tone: 'brief', seen: true });
  });
});
