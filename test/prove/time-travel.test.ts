import { proveSmall } from './prove-small.ts';
import { timeTravel } from './time-travel.ts';

proveSmall(timeTravel);
