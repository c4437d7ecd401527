#!/usr/bin/env bash
# Tries what docs/operations.md says of recovery, with the built service on a PostgreSQL server of its own: a base backup
# with archived WAL is restored to the moment before a user was removed, and that store goes through pg_upgrade. Each
# time `memoryd check` has to be clean and searches have to answer as before. Wants start.sh to have run once, and dist/.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
# shellcheck source=scripts/postgres/paths.sh
. ./paths.sh

memoryd=$PWD/../../dist/main.js
# As seen from inside the root; `main` is the server that is lost.
base=/var/lib/memoryd-recovery-$$
folder=$(mktemp -d)
data=
service=

cleanup() {
  [ -z "$service" ] || kill "$service" 2>/dev/null || true
  [ -z "$data" ] || in_root "$PG_BIN/pg_ctl" stop -D "$data" -m immediate >/dev/null 2>&1 || true
  rm -rf "${PG_ROOT:?}$base" "$folder"
}
trap cleanup EXIT

free_port() {
  node -e 'const s = require("node:net").createServer().listen(0, "127.0.0.1", () => {
    console.log(s.address().port); s.close(); })'
}

failed() {
  tail -n 20 "$PG_ROOT$base"/*.log "$folder"/*.log >&2 || true
  die "$1"
}

init() {
  in_root "$PG_BIN/initdb" -D "$base/$1" -U postgres --auth=trust --encoding=UTF8 --locale=C.UTF-8 >"$folder/initdb.log"
  cat >>"$PG_ROOT$base/$1/postgresql.conf" <<CONF
listen_addresses = '127.0.0.1'
unix_socket_directories = '$base'
port = $port
dynamic_shared_memory_type = mmap
CONF
}

start() {
  data=$base/$1
  in_root "$PG_BIN/pg_ctl" start -D "$data" -w -t 60 -l "$base/$1.log" >/dev/null 9>&- || failed "$1 does not start"
}

stop() {
  in_root "$PG_BIN/pg_ctl" stop -D "$data" -m fast -w >/dev/null
  data=
}

psql() { in_root "$PG_BIN/psql" -XAtq -d "$url" -c "$1"; }

serve() {
  MEMORYD_PORT=$http node "$memoryd" serve >"$folder/service.log" 2>&1 &
  service=$!
  for _ in $(seq 300); do
    if node -e "fetch('$MEMORYD_URL/health').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"; then return; fi
    sleep 0.1
  done
  failed 'the service does not answer'
}

end_service() {
  kill "$service" && wait "$service" || failed 'the service failed at its end'
  service=
}

memories() {
  local i
  for i in $(seq "$1" "$2"); do
    printf '{"content": "Note %s: Ana repairs the %s boat in harbour %s"}\n' "$i" "$((i % 7))" "$((i * 13 % 29))"
  done >"$folder/memories.jsonl"
  node "$memoryd" import "$folder/memories.jsonl" >/dev/null
  for _ in $(seq 120); do
    if node "$memoryd" jobs status | grep -q '^No work waits'; then return; fi
    sleep 0.5
  done
  failed 'memories are not derived in a minute'
}

found() {
  local query
  for query in boat 'who mends ships' 'harbour 13' 'Note 35' 'Note 12: repairs'; do
    node "$memoryd" search "$query" --json
  done | grep -E '^ *"(id|content|name)":'
}

# same NAME: check is clean and searches find what they did at the moment that was to be restored.
same() {
  node "$memoryd" check | grep -q '^Nothing is wrong' || failed "$1: check"
  serve
  found >"$folder/after"
  end_service
  cmp "$folder/before" "$folder/after" || failed "$1: searches answer otherwise"
  psql "SELECT count(*) FROM memory_vectors WHERE length(vector) > 0" | grep -qx "$vectors" || failed "$1: vectors"
  say "$1: nothing is wrong, searches find the same, $vectors vectors"
}

[ "$(id -u)" = 0 ] || die 'needs root'
[ -x "$PG_ROOT$PG_BIN/pg_basebackup" ] || die 'run start.sh first'
port=$(free_port)
http=$(free_port)
url=postgres://postgres@127.0.0.1:$port/memoryd
key=cmk_live_recovery00000.$(head -c 24 /dev/urandom | od -An -tx1 | tr -d ' \n')
export MEMORYD_DATABASE_URL=$url MEMORYD_API_KEY=$key MEMORYD_KEY=$key MEMORYD_URL=http://127.0.0.1:$http
# The encoder has a deadline, which a busy machine misses: ranks would differ.
export MEMORYD_DATA_DIR=$folder MEMORYD_EMBEDDER=static
install -d -m 0700 -o "$(postgres_ids | cut -d: -f1)" -g "$(postgres_ids | cut -d: -f2)" \
  "$PG_ROOT$base" "$PG_ROOT$base/wal"

init main
cat >>"$PG_ROOT$base/main/postgresql.conf" <<CONF
archive_mode = on
archive_command = 'test ! -f $base/wal/%f && cp %p $base/wal/%f'
CONF
start main
in_root "$PG_BIN/createdb" -h 127.0.0.1 -p "$port" -U postgres memoryd
serve
memories 1 20
in_root "$PG_BIN/pg_basebackup" -d "$url" -D "$base/backup" --checkpoint=fast --wal-method=stream
memories 21 40
found >"$folder/before"
vectors=$(psql 'SELECT count(*) FROM memory_vectors')
moment=$(psql 'SELECT now()')
sleep 1
end_service
node "$memoryd" users remove default --yes >/dev/null
[ "$(psql 'SELECT count(*) FROM memories')" = 0 ] || failed 'the user was not removed'
psql 'SELECT pg_switch_wal()' >/dev/null
stop
rm -r "${PG_ROOT:?}$base/main"

cat >>"$PG_ROOT$base/backup/postgresql.conf" <<CONF
archive_mode = off
restore_command = 'cp $base/wal/%f %p'
recovery_target_time = '$moment'
recovery_target_action = promote
CONF
in_root /bin/touch "$base/backup/recovery.signal"
start backup
for _ in $(seq 300); do
  if [ "$(psql 'SELECT pg_is_in_recovery()')" = f ]; then break; fi
  sleep 0.1
done
same 'restored to the moment before the removal'
stop

init newer
(in_root /bin/sh -c "cd $base && $PG_BIN/pg_upgrade -b $PG_BIN -B $PG_BIN -d backup -D newer -U postgres -s $base") \
  >"$folder/upgrade.log" 2>&1 || failed 'pg_upgrade fails'
start newer
same 'after pg_upgrade'
stop
