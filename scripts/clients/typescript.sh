#!/usr/bin/env bash
# Installs clients/typescript with the frameworks of its adapters, checks its types, builds it and runs its tests against a
# service of their own. Wants a build in dist/. Arguments go to vitest.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../../clients/typescript"
npm ci --ignore-scripts --prefer-offline --no-audit --no-fund --loglevel=error
npx tsc
npm run --silent build
npx vitest run "$@"
