import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { SearchMethod } from '../request.ts';
import { featureCount } from './network/feature-names.ts';
import type { NetworkModel } from './network/network.ts';

/** Kinds of vectors of a search; each has a network of its own. */
export type NetworkName = 'static' | 'encoder';
/** The kind of ranking: a search method, or `sum` for a hybrid search without a network. */
export type RankedBy = SearchMethod | 'sum';
/** Path of a file of `models/ranking`, which `npm run bench train-ranker` and `bench relevance` write. */
export const rankingModelPath = (name: string): string =>
  fileURLToPath(new URL(`../../../models/ranking/${name}.json`, import.meta.url));

/** The parsed file. */
export const readRankingModel = (name: string) => JSON.parse(readFileSync(rankingModelPath(name), 'utf8'));
const networks = new Map<NetworkName, NetworkModel>();

/** Reads the file at the first call. @throws if it is of other features */
export function networkModel(name: NetworkName): NetworkModel {
  const known = networks.get(name);
  if (known) return known;
  const model: NetworkModel = readRankingModel(`network-${name}`);
  const { mean, deviation, linear, hidden, hiddenBias, output } = model;
  const isWhole =
    [mean, deviation, linear, ...hidden].every(({ length }) => length === featureCount) &&
    [hiddenBias, output].every(({ length }) => length === hidden.length);
  if (!isWhole) throw new Error(`models/ranking/network-${name}.json is not of ${featureCount} features`);
  networks.set(name, model);
  return model;
}

/** Text of a file of `models/ranking`: each member on a line. */
export function textOfModel(model: object): string {
  const members = Object.entries(model).map(
    ([name, value]) => `  ${JSON.stringify(name)}: ${JSON.stringify(value)}`,
  );
  return `{\n${members.join(',\n')}\n}\n`;
}
