import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const encoderFolder = fileURLToPath(new URL('../../models/minilm-l6-int8', import.meta.url));

interface Check {
  readonly text: string;
  readonly ids: readonly number[];
  readonly float32: readonly number[];
}

/** Texts with the ids and the vector that the float32 model has for them. */
export const encoderChecks = readFileSync(join(encoderFolder, 'check.jsonl'), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Check);
