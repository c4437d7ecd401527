#!/usr/bin/env bash
# Generates a Python client (openapi-python-client, from PyPI) and TypeScript types (openapi-typescript, from npm) from
# the OpenAPI document of a running service, as docs/clients.md says, and runs that page's Python against the service:
# store, search, read, update. For tests only; wants a build in dist/. Says so and goes on where there is no Python.
# MEMORYD_CLIENTS_DIR moves what is installed.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
installed=${MEMORYD_CLIENTS_DIR:-/var/tmp/memoryd-clients}
venv=$installed/python
types=$installed/typescript
types_packages='openapi-typescript@7.13.0 typescript@5.9.3'
key=cmk_live_clients00000.$(head -c 24 /dev/urandom | od -An -tx1 | tr -d ' \n')

fail() {
  echo "generated clients: $1" >&2
  exit 1
}

# 1 where there is no Python to install into.
install_python() {
  if cmp -s "$here/requirements.txt" "$venv/installed.txt"; then return; fi
  command -v python3 >/dev/null || return 1
  rm -rf "$venv"
  python3 -m venv "$venv" || return 1
  "$venv/bin/pip" install --quiet --disable-pip-version-check -r "$here/requirements.txt"
  cp "$here/requirements.txt" "$venv/installed.txt"
}

# TypeScript 5 beside its generator, which does not work with later ones.
install_types() {
  if [ "$(cat "$types/installed.txt" 2>/dev/null)" = "$types_packages" ]; then return; fi
  rm -rf "$types"
  mkdir -p "$types"
  # shellcheck disable=SC2086 # two packages
  npm install --prefix "$types" --ignore-scripts --no-audit --no-fund --silent $types_packages
  echo "$types_packages" >"$types/installed.txt"
}

free_port() {
  node -e 'const s = require("node:net").createServer().listen(0, "127.0.0.1", () => {
    console.log(s.address().port); s.close(); })'
}

folder=$(mktemp -d)
service=
trap '[ -z "$service" ] || kill "$service" 2>/dev/null; rm -rf "$folder"' EXIT

start_service() {
  port=$(free_port)
  export MEMORYD_URL=http://127.0.0.1:$port MEMORYD_KEY=$key
  (
    cd "$folder"
    unset MEMORYD_URL MEMORYD_KEY
    MEMORYD_HOST=127.0.0.1 MEMORYD_PORT=$port MEMORYD_API_KEY=$key MEMORYD_LOG_LEVEL=error \
      exec node "$root/dist/main.js" serve >service.log 2>&1
  ) &
  service=$!
  for _ in $(seq 300); do
    if curl -fsS -o /dev/null "$MEMORYD_URL/livez" 2>/dev/null; then return; fi
    kill -0 "$service" || { cat "$folder/service.log"; exit 1; }
    sleep 0.1
  done
  fail 'the service does not start'
}

# The block of docs/clients.md in this language, the first one.
block() {
  awk -v fence="\`\`\`$1" '$0 == fence { inside = 1; next } /^```/ { if (inside) exit } inside' "$root/docs/clients.md"
}

check_python() {
  local log
  log=$(cd "$folder" && PATH=$venv/bin:$PATH openapi-python-client generate --url "$MEMORYD_URL/api/openapi.json" \
    --meta none --output-path memoryd_client 2>&1) || fail "the Python client cannot be generated: $log"
  # The generator knows no JSON Lines, the second form of the bulk create: it makes the one of JSON.
  local warnings lines
  warnings=$(grep -c '^WARNING' <<<"$log" || true)
  lines=$(grep -c '^Unsupported content type application/x-ndjson$' <<<"$log" || true)
  [ "$warnings" = "$lines" ] || fail "the Python client is not complete: $log"
  [ -f "$folder/memoryd_client/api/memories/bulk_create_memories.py" ] || fail 'the Python client has no bulk create'
  [ -f "$folder/memoryd_client/models/memory.py" ] || fail 'the Python client has no Memory'
  block python >"$folder/example.py"
  (cd "$folder" && "$venv/bin/python" example.py) | tee "$folder/said"
  grep -q '^found Ana prefers the window seat$' "$folder/said" || fail 'the Python client does not find the memory'
  grep -q '^changed to Ana prefers the aisle seat$' "$folder/said" || fail 'the Python client does not change it'
  echo "generated Python client, $(find "$folder/memoryd_client/models" -name '*.py' | wc -l) models: ok"
}

check_types() {
  "$types/node_modules/.bin/openapi-typescript" "$MEMORYD_URL/api/openapi.json" -o "$folder/memoryd.d.ts" \
    --default-non-nullable=false >/dev/null
  {
    block ts
    # Types of their own, or the next lines would be errors.
    echo "export const id = (memory: Memory): string => memory.id;"
    echo "export const first = (found: Found): components['schemas']['SearchResult'] => found.data[0];"
    echo "export const search: Search = { content: { 'application/json': { query: 'seat' } } };"
    echo "// @ts-expect-error: a memory has content"
    echo "export const empty: Memory = { id: '' };"
  } >"$folder/example.ts"
  "$types/node_modules/.bin/tsc" --noEmit --strict --skipLibCheck --module esnext --moduleResolution bundler \
    --target es2022 "$folder/example.ts" || fail 'the generated types do not fit docs/clients.md'
  echo 'generated TypeScript types: ok'
}

start_service
install_types
check_types
if install_python; then check_python; else echo 'The Python client was skipped: there is no python3 with venv'; fi
kill -0 "$service" || { echo 'the service ended:'; cat "$folder/service.log"; exit 1; }
