#!/usr/bin/env bash
# Prints the folder of the newest LTS of Node that we promise to run on, the one of deploy/Dockerfile, with its headers in
# ../include/node; installs it from the npm registry (package `node`) where it is not there yet. It has no npm of its own.
# MEMORYD_NODE_DIR moves it.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
major=$(sed -n 's/^FROM node:\([0-9]*\).*/\1/p' "$here/../deploy/Dockerfile" | head -n 1)
folder=${MEMORYD_NODE_DIR:-/var/tmp/memoryd-node-$major}

binary() { find "$folder/node_modules" -path '*/node-*/bin/node' -type f 2>/dev/null | head -n 1; }

if [ -z "$(binary)" ]; then
  mkdir -p "$folder"
  npm install --prefix "$folder" --no-audit --no-fund --silent "node@$major" >&2
fi
[ -n "$(binary)" ] || { echo "node@$major of the npm registry has no binary for this machine" >&2; exit 1; }
dirname "$(binary)"
