import { proveSmall } from './prove-small.ts';
import { soak } from './soak.ts';

proveSmall(soak);
