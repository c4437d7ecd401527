import { isolation } from './isolation.ts';
import { proveSmall } from './prove-small.ts';

proveSmall(isolation);
