// For hosts that start the entry point itself and not `mcp_config`: the same command.
import { spawn } from 'node:child_process';

const { version } = JSON.parse(
  await import('node:fs').then(({ readFileSync }) =>
    readFileSync(new URL('../manifest.json', import.meta.url), 'utf8'),
  ),
);
const server = spawn('npx', ['-y', `memoryd@${version}`, 'mcp'], { stdio: 'inherit', shell: false });
server.on('exit', (code) => process.exit(code ?? 1));
