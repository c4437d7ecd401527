import { hostile } from './hostile.ts';
import { proveSmall } from './prove-small.ts';

proveSmall(hostile);
