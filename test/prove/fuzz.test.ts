import { fuzz } from './fuzz.ts';
import { proveSmall } from './prove-small.ts';

proveSmall(fuzz);
