import type { Step } from '../domain/jobs/step.ts';

/**
 * Steps that each memory goes through after it is written, besides the one that embeds (`steps/embed.ts`), of which there
 * is one for each vector space. See "To add a step" in ARCHITECTURE.md.
 */
export const memorySteps: readonly Step[] = [];
