import { postgresAway } from './postgres-away.ts';
import { proveSmall } from './prove-small.ts';

proveSmall(postgresAway);
