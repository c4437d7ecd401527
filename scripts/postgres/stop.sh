#!/usr/bin/env bash
# Stops the PostgreSQL server that start.sh started; its data stay. With none running it does nothing.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
# shellcheck source=scripts/postgres/paths.sh
. ./paths.sh

take_lock
if works_on_data "$(server_pid)"; then stop_server; else say 'not running'; fi
