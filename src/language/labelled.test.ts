import { describe, expect, it } from 'vitest';
import { readLabelled } from '../../lab/derive/labelled.ts';
import { measureAliases } from '../../lab/derive/measure-aliases.ts';
import { measureEdges } from '../../lab/derive/measure-edges.ts';
import { measureEntities } from '../../lab/derive/measure-entities.ts';
import { measureFacts } from '../../lab/derive/measure-facts.ts';
import { bundledStaticModel, languageModel } from '../../test/support/language-model.ts';
import { StaticEmbedder } from '../embedding/static/static-model.ts';

const model = languageModel();
const given = readLabelled('lab/data/language/given');
if (!given) throw new Error('lab/data/language/given is missing.');

describe('on the labelled sets given', () => {
  it('entities have an F1 of at least .85', () => {
    expect(given.notes).toHaveLength(100);
    expect(measureEntities(model, given.notes).all.f1).toBeGreaterThanOrEqual(0.85);
  });

  it('facts have a precision of at least .85 at a recall of at least .60', () => {
    const { precision, recall } = measureFacts(model, given.statements).all;
    expect(precision).toBeGreaterThanOrEqual(0.85);
    expect(recall).toBeGreaterThanOrEqual(0.6);
  });

  it('edges have a precision of at least .90 at a recall of at least .60', () => {
    const embedder = new StaticEmbedder('static', bundledStaticModel());
    const { precision, recall } = measureEdges(model, (text) => embedder.embedNow(text), given.pairs).all;
    expect(precision).toBeGreaterThanOrEqual(0.9);
    expect(recall).toBeGreaterThanOrEqual(0.6);
  });

  it('aliases are judged right for at least .95 of them, and no two things are merged', () => {
    const { judged, right, wrongMerges } = measureAliases(model, given.aliases);
    expect(right / judged).toBeGreaterThanOrEqual(0.95);
    expect(wrongMerges).toBe(0);
  });
});
