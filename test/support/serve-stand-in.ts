import { serve } from '../../src/cli/serve.ts';
import { loadConfig } from '../../src/config/load.ts';
import { loadCarried } from '../../src/embedding/load-meaning.ts';
import { StandInEmbedder } from './stand-in-embedder.ts';

// `memoryd serve` with a model that is not there to be configured.
const embedder = new StandInEmbedder(10);
await serve(loadConfig(), (line) => void process.stdout.write(`${line}\n`), {
  meaning: { ...loadCarried(), embedder },
});
