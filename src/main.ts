#!/usr/bin/env node
import { program } from './cli/program.ts';

try {
  await program().parseAsync();
} catch (error) {
  const text = error instanceof Error ? error.message : String(error);
  process.stderr.write(`memoryd: ${text}\n`);
  process.exitCode = 1;
}
