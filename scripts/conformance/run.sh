#!/usr/bin/env bash
# Runs the conformance suite of MCP and the command line of its Inspector against a service, on SQLite and, with
# MEMORYD_TEST_POSTGRES_URL, on PostgreSQL. Scenarios for what memoryd does not offer are in not-offered.yaml; one that is
# there and passes fails the run, too. Wants a build in dist/; both programs come from npm, 150 MB with Node of the newest
# LTS, so they are no dependencies of ours. Says so and ends with 0 if they cannot be installed. MEMORYD_CONFORMANCE_DIR
# moves what is installed.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
folder=${MEMORYD_CONFORMANCE_DIR:-/var/tmp/memoryd-conformance}
packages='@modelcontextprotocol/conformance@0.1.16 @modelcontextprotocol/inspector@2.12.0'

if [ "$(cat "$folder/installed.txt" 2>/dev/null)" != "$packages" ]; then
  rm -rf "$folder"
  mkdir -p "$folder"
  # shellcheck disable=SC2086 # two packages
  npm install --prefix "$folder" --ignore-scripts --no-audit --no-fund --silent $packages || {
    echo "The conformance of MCP was not checked: $packages cannot be installed"
    exit 0
  }
  echo "$packages" >"$folder/installed.txt"
fi
node=$(bash "$here/../newest-node.sh")/node
cd "$here/../.."
exec npx tsx scripts/conformance/check.ts "$node" "$folder/node_modules/.bin"
