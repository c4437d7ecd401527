import { fleet } from './fleet.ts';
import { proveSmall } from './prove-small.ts';

proveSmall(fleet);
