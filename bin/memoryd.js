#!/usr/bin/env node
// The command `memoryd`: what was compiled to dist, which a fresh clone does not have yet.
import { existsSync } from 'node:fs';

const program = new URL('../dist/main.js', import.meta.url);
if (existsSync(program)) await import(program.href);
else {
  process.stderr.write(
    'memoryd: this clone is not built yet. Run `npm start`, which builds it and serves, or `npm run build`.\n',
  );
  process.exitCode = 1;
}
