import type { Arm } from '../../src/search/arms/arm.ts';
import type { SignalSpec } from '../../src/search/arms/signal.ts';
import { metadataKey } from '../../src/search-index/columns/metadata-column.ts';

const importance: SignalSpec = {
  name: 'importance',
  group: 'importance',
  parts: { self: 'its importance' },
};

/** An example of an arm: it rates memories whose metadata says `importance: high`. See "To add an arm" in ARCHITECTURE.md. */
export const importanceArm: Arm = {
  name: 'importance',
  signals: [importance],
  isAsked: () => true,
  run: ({ view }) => {
    const { metadata } = view.index;
    const high = metadataKey('importance', 'high');
    return [
      {
        spec: importance,
        rate: (rows, count, out) => {
          for (let i = 0; i < count; i++) out[i] = metadata.has(rows[i], high) ? 1 : 0;
        },
      },
    ];
  },
};
