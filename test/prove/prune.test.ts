import { proveSmall } from './prove-small.ts';
import { prune } from './prune.ts';

proveSmall(prune);
