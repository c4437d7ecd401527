#!/usr/bin/env bash
# Runs a program of the PostgreSQL test server (pg_dump, psql) as the server's user: in-root.sh pg_dump URL
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
# shellcheck source=scripts/postgres/paths.sh
. ./paths.sh

program=$PG_BIN/$1
shift
in_root "$program" "$@"
