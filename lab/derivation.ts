import { parseArgs } from 'node:util';
import { atLeast, atMost, toCells, type Verdict } from '../bench/http/verdict.ts';
import { describeEnvironment } from '../bench/report/environment.ts';
import { toTable } from '../bench/report/table.ts';
import { writeResult } from '../bench/report/write-result.ts';
import { type Engine, engines } from '../test/support/server.ts';
import { measureBackfill, measureCreateRates, measureLag } from './derivation/measure.ts';
import { benchTexts } from './derivation/texts.ts';

const usage = `npm run bench derivation -- [--engine sqlite|postgres] [--rounds N] [--creates N] [--memories N] [--seconds N] [--out FILE]
  Creates with and without derivation, memories derived a second, and how long derivation lags behind 100 creates a second.`;
const perSecond = 100;
const targets = { creates: 0.8, memories: 200, lagMs: 2000 };

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      engine: { type: 'string', default: 'sqlite' },
      rounds: { type: 'string', default: '5' },
      creates: { type: 'string', default: '1000' },
      memories: { type: 'string', default: '3000' },
      seconds: { type: 'string', default: '20' },
      out: { type: 'string' },
    },
  });
  const engine = engines.find((name): name is Engine => name === values.engine);
  if (!engine) throw new Error(`--engine ${values.engine}?\n${usage}`);
  const texts = benchTexts();
  const rates = await measureCreateRates(engine, texts, {
    rounds: Number(values.rounds),
    perRound: Number(values.creates),
  });
  const backfill = await measureBackfill(engine, texts, Number(values.memories));
  const lag = await measureLag(engine, texts, { perSecond, seconds: Number(values.seconds) });
  const verdicts: Verdict[] = [
    atLeast(targets.creates, {
      what: 'creates, 32 connections',
      unit: '/s',
      ours: rates.with,
      against: 'MEMORYD_DERIVE=false',
      base: rates.without,
    }),
    atLeast(1, {
      what: 'memories derived, one worker',
      unit: '/s',
      ours: backfill.derivedPerSecond,
      against: 'target',
      base: targets.memories,
    }),
    atMost(1, {
      what: `lag p95 at ${lag.rate.toFixed(0)} creates/s`,
      unit: 'ms',
      ours: Math.max(lag.p95, 1),
      against: 'target',
      base: targets.lagMs,
    }),
  ];
  console.log(toTable(['what', 'ours', 'against', 'that', 'ratio', 'target', ''], verdicts.map(toCells)));
  const ms = (value: number) => `${value.toFixed(2)} ms`;
  console.log(
    `Processor time a memory: ${ms(rates.processorMsWithout)} without derivation, ${ms(rates.processorMsWith)} with; ` +
      `${ms(backfill.processorMs)} to derive and relate one that is there.\n` +
      `Derived and related: ${backfill.allPerSecond.toFixed(0)}/s. Lag p50: ${lag.p50.toFixed(0)} ms.`,
  );
  const environment = describeEnvironment();
  console.log(`\n${engine}, ${environment.commit}, node ${environment.node}, ${environment.measuredAt}`);
  console.log(
    `JSON: ${writeResult('derivation', { environment, engine, rates, backfill, lag, verdicts }, values.out)}`,
  );
  for (const { what, reached } of verdicts) if (!reached) console.log(`MISSED: ${what}`);
  if (verdicts.some(({ reached }) => !reached)) process.exitCode = 1;
}

await main();
