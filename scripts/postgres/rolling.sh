#!/usr/bin/env bash
# Serves one PostgreSQL database with two versions side by side under load, as an upgrade without a stop does: no request
# may fail. rolling.sh [OLDER] takes a tag or commit, by default the last tag; without one, this version is the older and
# the newer is this one with a migration more. Wants MEMORYD_TEST_POSTGRES_URL, as start.sh prints it, and dist/.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

older=${1:-$(git describe --tags --abbrev=0 2>/dev/null || true)}
if [ -n "$older" ]; then
  folder=$(mktemp -d)
  trap 'git worktree remove --force "$folder/memoryd"; rm -rf "$folder"' EXIT
  git worktree add --detach "$folder/memoryd" "$older"
  (cd "$folder/memoryd" && npm ci && node scripts/build.mjs)
  export MEMORYD_TEST_OLDER_MAIN=$folder/memoryd/dist/main.js
fi
npx vitest run --mode all test/acceptance/rolling-upgrade.test.ts
