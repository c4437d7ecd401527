#!/usr/bin/env bash
# Checks /mcp through the bridge of another client of this API, `mx mcp serve --url` (@memnexus-ai/cli, from npm, 270
# packages, so no dependency of ours), and its hook of git, `mx hook post-commit`, on SQLite and, with MEMORYD_TEST_POSTGRES_URL, on PostgreSQL. Wants a build in
# dist/. Says so and ends with 0 where it cannot be installed. MEMORYD_MX_DIR moves what is installed. Nothing of it
# leaves the machine after the installation.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
folder=${MEMORYD_MX_DIR:-/var/tmp/memoryd-mx}
package=@memnexus-ai/cli@1.7.235

if [ "$(cat "$folder/installed.txt" 2>/dev/null)" != "$package" ]; then
  rm -rf "$folder"
  mkdir -p "$folder"
  npm install --prefix "$folder" --ignore-scripts --no-audit --no-fund --silent "$package" || {
    echo "The check of the bridge was skipped: $package cannot be installed"
    exit 0
  }
  echo "$package" >"$folder/installed.txt"
fi
cd "$here/../.."
exec npx tsx scripts/mx-bridge/check.ts "$folder/node_modules/.bin/mx"
