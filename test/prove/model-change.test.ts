import { modelChange } from './model-change.ts';
import { proveSmall } from './prove-small.ts';

proveSmall(modelChange);
