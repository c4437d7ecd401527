import { parseArgs } from 'node:util';
import { measurePlanted } from './communities/planted.ts';

const usage = `npm run bench:communities -- --planted
  --planted: how well each weight of edges finds planted groups of topics`;

const { values } = parseArgs({ options: { planted: { type: 'boolean', default: false } } });
if (values.planted) console.table(measurePlanted());
else console.log(usage);
