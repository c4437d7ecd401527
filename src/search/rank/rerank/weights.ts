import type { RerankModels } from './rerank.ts';
import { encoderWeights } from './weights-encoder.ts';
import { staticWeights } from './weights-static.ts';

/** As trained: `lab/ranker/README.md` names the data. */
export const shippedRerankModels: RerankModels = { encoder: encoderWeights, static: staticWeights };
