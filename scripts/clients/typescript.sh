#!/usr/bin/env bash
# Installs clients/typescript with the frameworks of its adapters, and examples as their README says; builds it, checks all
# types (examples import the built package) and runs its tests against a service of their own. Wants a build in dist/. Arguments go to vitest.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../../clients/typescript"
npm ci --ignore-scripts --prefer-offline --no-audit --no-fund --loglevel=error
npm run --silent build
npx tsc
npm ci --prefix ../../examples --ignore-scripts --prefer-offline --no-audit --no-fund --loglevel=error
npx tsc -p ../../examples
npx vitest run "$@"
