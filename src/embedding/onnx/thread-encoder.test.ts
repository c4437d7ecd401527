import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { encoderChecks, encoderFolder } from '../../../test/support/encoder-checks.ts';
import { hasRuntime } from '../../../test/support/onnx-runtime.ts';
import { newTempFolder } from '../../../test/support/temp-folder.ts';
import { EmbeddingError, spaceName } from '../../domain/embedding/embedder.ts';
import { dot } from '../../domain/embedding/similarity.ts';
import { calibrate } from '../calibrate.ts';
import { fingerprintOf } from './model-folder.ts';
import { bundledFingerprint, onnxEncoder } from './onnx-models.ts';

describe.skipIf(!hasRuntime)('the encoder that comes with the service', () => {
  const encoder = onnxEncoder({});
  afterAll(() => encoder.close());

  it('the encoder gives the vectors of the float32 model, as near as its int8 weights allow', async () => {
    const vectors = await encoder.embed(
      encoderChecks.map(({ text }) => text),
      'document',
    );
    const cosines = vectors.map((vector, i) => {
      const { float32 } = encoderChecks[i];
      return dot(vector, float32) / Math.hypot(...float32);
    });
    expect(Math.min(...cosines)).toBeGreaterThan(0.96);
    expect(cosines.reduce((a, b) => a + b) / cosines.length).toBeGreaterThan(0.985);
    for (const vector of vectors) expect(Math.hypot(...vector)).toBeCloseTo(1, 5);
    expect(encoder.health.state).toBe('ok');
  });

  it('the encoder gives a text the same vector whatever texts come with it', async () => {
    const [alone] = await encoder.embed(['The tortoise is called Ada.'], 'document');
    const [, among] = await encoder.embed(['!', 'The tortoise is called Ada.', 'x '.repeat(300)], 'document');
    expect([...among]).toEqual([...alone]);
  });

  it('a query does not wait for the stored texts that the encoder works at', async () => {
    const done: string[] = [];
    const stored = Array.from({ length: 200 }, (_, i) => `The tortoise eats lettuce, day ${i}.`);
    const documents = encoder.embed(stored, 'document').then(() => done.push('documents'));
    const query = encoder.embed(['What does the tortoise eat?'], 'query').then(() => done.push('query'));
    await Promise.all([documents, query]);
    expect(done).toEqual(['query', 'documents']);
  });

  it('an encoder that is loaded ahead is ready for its first text', async () => {
    const ahead = onnxEncoder({});
    expect(ahead.isLoading).toBe(true);
    await ahead.warm();
    expect(ahead.isLoading).toBe(false);
    await ahead.close();
    await ahead.warm();
  });

  it('an encoder that is ended while it works gives up the rest, and the process goes on', async () => {
    const ended = onnxEncoder({});
    await ended.warm();
    const stored = Array.from({ length: 500 }, (_, i) => `The tortoise eats lettuce, day ${i}.`);
    const documents = ended.embed(stored, 'document');
    await ended.embed(['What does the tortoise eat?'], 'query');
    await Promise.all([expect(documents).rejects.toThrow(EmbeddingError), ended.close()]);
    expect(ended.health.state).toBe('ok');
  });

  it('the fingerprint of the model that comes with the service is the one of its file', () => {
    expect(fingerprintOf({ folder: encoderFolder })).toBe(bundledFingerprint);
  });

  it('the encoder is calibrated as measuring it says', async () => {
    expect(Math.abs((await calibrate(encoder)) - (encoder.relatedCosine ?? 0))).toBeLessThan(0.01);
  });
});

describe.skipIf(!hasRuntime)('an encoder in a folder', () => {
  const temp = newTempFolder('encoder');
  afterAll(() => temp.remove());
  const copy = (name: string) => {
    const folder = join(temp.path, name);
    cpSync(encoderFolder, folder, { recursive: true });
    return folder;
  };

  it('an encoder has another space where its prefix for texts, its longest input or its model differs', () => {
    const folder = copy('same');
    const space = spaceName(onnxEncoder({ embedderFolder: folder }).space);
    expect(spaceName(onnxEncoder({ embedderFolder: folder, embedderQueryPrefix: 'q: ' }).space)).toBe(space);
    expect(spaceName(onnxEncoder({ embedderFolder: folder, embedderDocumentPrefix: 'd: ' }).space)).not.toBe(
      space,
    );
    writeFileSync(join(folder, 'sentence_bert_config.json'), '{"max_seq_length": 128}');
    const shorter = onnxEncoder({ embedderFolder: folder });
    expect(spaceName(shorter.space)).not.toBe(space);
    expect(shorter.longestInput).toBe(512);
    expect(shorter.relatedCosine).toBeUndefined();
    writeFileSync(join(folder, 'model.onnx'), 'another');
    expect(spaceName(onnxEncoder({ embedderFolder: folder }).space)).not.toBe(spaceName(shorter.space));
  });

  it('an encoder whose model cannot be run says so, and gives vectors once it can be', async () => {
    const folder = copy('damaged');
    const model = join(folder, 'model.onnx');
    writeFileSync(model, 'no model');
    const encoder = onnxEncoder({ embedderFolder: folder });
    const states: string[] = [];
    encoder.watch(({ state }) => states.push(state));
    await expect(encoder.embed(['a note'], 'query')).rejects.toThrow(EmbeddingError);
    expect(encoder.health).toEqual({ state: 'failing', reason: 'the model cannot be run' });
    cpSync(join(encoderFolder, 'model.onnx'), model);
    expect(await encoder.embed(['a note'], 'query')).toHaveLength(1);
    expect(states).toEqual(['failing', 'ok']);
    await encoder.close();
    await expect(encoder.embed(['a note'], 'query')).rejects.toThrow('The encoder was ended.');
  });

  it.each([
    ['no numbers of a vector', 'config.json', '{}', 'hidden_size'],
    ['a file that is no JSON', 'sentence_bert_config.json', '{', 'is no JSON object'],
    [
      'a pooling of its own',
      '1_Pooling/config.json',
      '{"pooling_mode_max_tokens": true}',
      'mean and cls are',
    ],
  ])(
    'an encoder is refused with the file and the reason where its folder has %s',
    (name, file, text, reason) => {
      const folder = copy(name);
      mkdirSync(join(folder, '1_Pooling'), { recursive: true });
      writeFileSync(join(folder, file), text);
      expect(() => onnxEncoder({ embedderFolder: folder })).toThrow(file);
      expect(() => onnxEncoder({ embedderFolder: folder })).toThrow(reason);
    },
  );

  it('an encoder is refused where its folder has no model', () => {
    expect(() => onnxEncoder({ embedderFolder: '/nowhere' })).toThrow('/nowhere/config.json');
  });
});
