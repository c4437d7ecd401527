import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { hasRuntime } from '../support/onnx-runtime.ts';
import { sealedNetwork } from '../support/sealed-network.ts';
import { newTempFolder } from '../support/temp-folder.ts';

const program = fileURLToPath(new URL('../support/use-everything.ts', import.meta.url));

it('a service whose memories are stored, embedded, derived, searched and digested, over HTTP and MCP, asks for no name, tries no address but those of its machine, and writes nothing but its store', async () => {
  const folder = newTempFolder('nothing-sent');
  const sealed = sealedNetwork(folder.path);
  const isSealed = !('refusal' in sealed);
  if (!isSealed)
    console.warn(`NOT TESTED: what native code asks of the network; no namespace here: ${sealed.refusal}`);
  const [command, ...words] = [
    ...(isSealed ? sealed : []),
    ...[process.execPath, '--import', 'tsx', program, folder.path, isSealed ? 'sealed' : 'open'],
  ];
  const { stdout } = await promisify(execFile)(command, words);
  expect(JSON.parse(stdout)).toEqual({
    encoder: hasRuntime ? 'ok' : 'missing',
    files: [],
    javascript: [],
    ...(isSealed && { names: [], tried: 0 }),
  });
  folder.remove();
});
