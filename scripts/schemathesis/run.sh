#!/usr/bin/env bash
# Compares the running service with its own OpenAPI document by generated requests (Schemathesis, from PyPI, for
# tests only). Wants a build in dist/. Arguments go to `schemathesis run`, for instance --max-examples 200.
# Says so and ends with 0 where there is no Python. MEMORYD_SCHEMATHESIS_DIR moves what is installed.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
main=$(cd "$here/../.." && pwd)/dist/main.js
venv=${MEMORYD_SCHEMATHESIS_DIR:-/var/tmp/memoryd-schemathesis}
key=cmk_live_schemathesis.$(head -c 24 /dev/urandom | od -An -tx1 | tr -d ' \n')

skip() {
  echo "Schemathesis was skipped: $1"
  exit 0
}

install() {
  if cmp -s "$here/requirements.txt" "$venv/installed.txt"; then return; fi
  command -v python3 >/dev/null || skip 'there is no python3'
  rm -rf "$venv"
  python3 -m venv "$venv" || skip 'python3 cannot make a virtual environment (Debian: apt-get install python3-venv)'
  "$venv/bin/pip" install --quiet --disable-pip-version-check -r "$here/requirements.txt"
  cp "$here/requirements.txt" "$venv/installed.txt"
}

free_port() {
  node -e 'const s = require("node:net").createServer().listen(0, "127.0.0.1", () => {
    console.log(s.address().port); s.close(); })'
}

install
folder=$(mktemp -d)
service=
trap '[ -z "$service" ] || kill "$service" 2>/dev/null; rm -rf "$folder"' EXIT
port=$(free_port)
cd "$folder"
MEMORYD_HOST=127.0.0.1 MEMORYD_PORT=$port MEMORYD_API_KEY=$key MEMORYD_LOG_LEVEL=error \
  node "$main" serve >service.log 2>&1 &
service=$!
for _ in $(seq 300); do
  if curl -fsS -o /dev/null "http://127.0.0.1:$port/livez" 2>/dev/null; then break; fi
  kill -0 "$service" || { cat service.log; exit 1; }
  sleep 0.1
done
SCHEMATHESIS_HOOKS="$here/hooks.py" "$venv/bin/schemathesis" --config-file "$here/schemathesis.toml" \
  run "http://127.0.0.1:$port/api/openapi.json" --exclude-operation-id deleteCurrentApiKey --exclude-operation-id streamChanges --header "Authorization: Bearer $key" "$@" </dev/null
kill -0 "$service" || { echo 'the service ended:'; cat service.log; exit 1; }
