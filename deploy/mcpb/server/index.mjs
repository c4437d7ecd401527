// For hosts that start the entry point itself and not `mcp_config`: the same command.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';

const { version } = JSON.parse(readFileSync(new URL('../manifest.json', import.meta.url), 'utf8'));
const server = spawn('npx', ['-y', `memoryd@${version}`, 'mcp'], { stdio: 'inherit', shell: false });
server.on('exit', (code) => process.exit(code ?? 1));
