import { crash } from './crash.ts';
import { proveSmall } from './prove-small.ts';

proveSmall(crash);
