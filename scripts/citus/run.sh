#!/usr/bin/env bash
# Runs tests over HTTP, the proof of three processes and a killed worker on Citus: a coordinator and two workers on this machine,
# whose tables `npx memoryd database distribute` distributed. Arguments: test files, as vitest takes them.
# Where the extension is taken from, the first that there is:
#   PG_CONFIG      the pg_config of a PostgreSQL that has it; without it those of Debian and the one on the PATH
#   CITUS_SOURCE   a folder with the source of Citus, built against PG_CONFIG and installed into a copy of that PostgreSQL
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

say() { printf 'citus: %s\n' "$*" >&2; }

die() {
  say "$*"
  exit 1
}

has_citus() { [ -f "$("$1" --sharedir)/extension/citus.control" ]; }

folder=$(mktemp -d /tmp/memoryd-citus.XXXXXX)
bin=
ports=()

as_server() {
  if [ "$(id -u)" = 0 ]; then runuser -u postgres -- "$@"; else "$@"; fi
}

stop_all() {
  for node in 0 1 2; do
    [ ! -f "$folder/node$node/postmaster.pid" ] ||
      as_server "$bin/pg_ctl" stop -D "$folder/node$node" -m immediate -w >/dev/null 2>&1 || true
  done
  rm -rf "$folder"
}
trap stop_all EXIT

# PostgreSQL finds its files from where its program is: a copy has an extension of its own, and the installed one is left alone.
build_citus() {
  local config=$1 home=$folder/home
  say "building $CITUS_SOURCE for $("$config" --version) (takes minutes)"
  for part in --bindir --pkglibdir --sharedir; do
    mkdir -p "$home$("$config" $part)"
    cp -a "$("$config" $part)/." "$home$("$config" $part)/"
  done
  (
    cd "$CITUS_SOURCE"
    PG_CONFIG=$config ./configure
    make -j "$(nproc)"
    make install DESTDIR="$home"
  ) >"$folder/build.log" 2>&1 || die "the build of $CITUS_SOURCE failed: $(tail -n 5 "$folder/build.log")"
  bin=$home$("$config" --bindir)
}

find_citus() {
  local config newest=
  for config in ${PG_CONFIG:+"$PG_CONFIG"} /usr/lib/postgresql/*/bin/pg_config "$(command -v pg_config || true)"; do
    [ -x "$config" ] && [ -x "$("$config" --bindir)/initdb" ] || continue
    newest=${newest:-$config}
    has_citus "$config" || continue
    bin=$("$config" --bindir)
    return
  done
  [ -n "${CITUS_SOURCE:-}" ] || die "no PostgreSQL here has the extension Citus; install its package, name the pg_config of one that has it in PG_CONFIG, or a folder with its source in CITUS_SOURCE"
  [ -x "$CITUS_SOURCE/configure" ] || die "CITUS_SOURCE ($CITUS_SOURCE) has no program \`configure\`: it is not the source of Citus"
  [ -n "$newest" ] || die "no PostgreSQL to build Citus for: name its pg_config in PG_CONFIG"
  build_citus "$newest"
}

start_node() {
  local data=$folder/node$1
  as_server "$bin/pg_ctl" start -D "$data" -w -t 60 -l "$data.log" >/dev/null || die "node $1 does not start: $(tail -n 5 "$data.log")"
}

make_node() {
  local data=$folder/node$1 port
  port=$(node -e 'const s = require("node:net").createServer().listen(0, "127.0.0.1", () => { console.log(s.address().port); s.close(); })')
  ports[$1]=$port
  as_server "$bin/initdb" -D "$data" -U postgres -A trust -E UTF8 --no-sync >/dev/null
  # Few shards, since each test makes a store of its own; logical replication is what moving shards needs.
  as_server tee -a "$data/postgresql.conf" >/dev/null <<EOF
shared_preload_libraries = 'citus'
listen_addresses = '127.0.0.1'
port = $port
unix_socket_directories = ''
max_connections = 400
max_prepared_transactions = 400
wal_level = logical
fsync = off
citus.shard_count = 4
EOF
  start_node "$1"
}

find_citus
chmod 755 "$folder"
[ "$(id -u)" != 0 ] || chown postgres "$folder"
for node in 0 1 2; do make_node "$node"; done
export MEMORYD_TEST_POSTGRES_URL=postgres://postgres@127.0.0.1:${ports[0]}/postgres
export MEMORYD_TEST_CITUS_WORKERS=127.0.0.1:${ports[1]},127.0.0.1:${ports[2]}
say "coordinator at port ${ports[0]}, workers at ${ports[1]} and ${ports[2]}"

failed=()
step() {
  say "$1"
  shift
  "$@" || failed+=("$*")
}

tests=("$@")
[ $# -gt 0 ] || tests=(test/http test/derivation)
node scripts/build.mjs --if-stale
step 'tests over HTTP' npx vitest run --mode all -t postgres "${tests[@]}"
if [ -f test/prove/fleet.ts ]; then
  step 'three processes' npm run prove -- --only fleet --engine postgres --size small
fi
start="'$bin/pg_ctl' start -D '$folder/node1' -w -t 60 -l '$folder/node1.log' >/dev/null"
[ "$(id -u)" != 0 ] || start="runuser -u postgres -- $start"
step 'a killed worker' npx tsx scripts/citus/killed-worker.ts "$folder/node1/postmaster.pid" "$start"

[ ${#failed[@]} -eq 0 ] || die "failed: ${failed[*]}"
say 'passed'
