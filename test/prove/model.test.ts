import { model } from './model.ts';
import { proveSmall } from './prove-small.ts';

proveSmall(model);
