#!/usr/bin/env node
// The `node-gyp` that a dependency's install script finds first: npm's own one, told to use the headers that
// came with this Node. By itself npm's downloads them, which fails on a machine that reaches no more than
// package registries, and only npm 11 and older pass on a `nodedir` from an .npmrc.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const npmsOwn = process.env.npm_config_node_gyp;
const prefix = dirname(dirname(process.execPath));

// Headers of another Node would give a binary that this one refuses.
const headersFit = () => {
  try {
    const text = readFileSync(join(prefix, 'include', 'node', 'node_version.h'), 'utf8');
    return /^#define NODE_MODULE_VERSION (\d+)/m.exec(text)?.[1] === process.versions.modules;
  } catch {
    return false;
  }
};

const asked = process.env.npm_config_nodedir || process.argv.some((word) => word.startsWith('--nodedir'));
const nodedir = !asked && headersFit() ? [`--nodedir=${prefix}`] : [];

if (npmsOwn) {
  const done = spawnSync(process.execPath, [npmsOwn, ...process.argv.slice(2), ...nodedir], {
    stdio: 'inherit',
  });
  process.exitCode = done.status ?? 1;
} else {
  console.error('npm says where its node-gyp is: run this from an npm script or as `npx node-gyp`');
  process.exitCode = 1;
}
