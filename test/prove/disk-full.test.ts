import { diskFull } from './disk-full.ts';
import { proveSmall } from './prove-small.ts';

proveSmall(diskFull);
