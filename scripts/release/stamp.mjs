// In the workflow of a release: checks that tag, packages and changelog say the same version, and writes what only the
// repository knows (its owner) into package.json, server.json and the packages of the clients.
// Wants GITHUB_REPOSITORY (`owner/name`) and GITHUB_REF_NAME (`v1.2.3`).
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { sectionOf } from './changelog.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));
const { GITHUB_REPOSITORY: repository = '', GITHUB_REF_NAME: tag = '' } = process.env;
const [owner, name] = repository.split('/');
if (!owner || !name) throw new Error('GITHUB_REPOSITORY must be owner/name');

const read = (path) => JSON.parse(readFileSync(root + path, 'utf8'));
const write = (path, value) => writeFileSync(root + path, `${JSON.stringify(value, null, 2)}\n`);
const url = `git+https://github.com/${repository}.git`;
const mcpName = `io.github.${owner}/memoryd`;

const own = read('package.json');
const server = read('server.json');
const client = read('clients/typescript/package.json');
const python = readFileSync(`${root}clients/python/pyproject.toml`, 'utf8').match(/^version = "(.+)"$/m)?.[1];
const versions = {
  tag: tag.replace(/^v/, ''),
  'package.json': own.version,
  'server.json': server.version,
  'its package': server.packages[0].version,
  'deploy/mcpb': read('deploy/mcpb/manifest.json').version,
  'deploy/claude-code': read('deploy/claude-code/.claude-plugin/plugin.json').version,
  'clients/typescript': client.version,
  'clients/python': python,
};
if (new Set(Object.values(versions)).size > 1)
  throw new Error(`the versions differ: ${JSON.stringify(versions)}`);
sectionOf(readFileSync(`${root}CHANGELOG.md`, 'utf8'), own.version);

write('package.json', { ...own, mcpName, repository: { type: 'git', url } });
write('clients/typescript/package.json', {
  ...client,
  repository: { type: 'git', url, directory: 'clients/typescript' },
});
write('server.json', {
  ...server,
  name: mcpName,
  repository: { url: `https://github.com/${repository}`, source: 'github' },
});
