import { proveSmall } from './prove-small.ts';
import { slowInputs } from './slow-inputs.ts';

proveSmall(slowInputs);
