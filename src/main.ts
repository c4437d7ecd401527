#!/usr/bin/env node
import { program } from './cli/program.ts';

// Whoever reads what we print may be gone (`| head`), or its disk full: what was begun is done all the same.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') return;
  process.exitCode = 1;
  process.stderr.write(`memoryd: what it prints cannot be written (${error.code})\n`);
});
// There is nobody left to tell.
process.stderr.on('error', () => undefined);

try {
  await (await program(process.argv.slice(2))).parseAsync();
} catch (error) {
  const text = error instanceof Error ? error.message : String(error);
  process.stderr.write(`memoryd: ${text}\n`);
  process.exitCode = 1;
}
