#!/usr/bin/env bash
# Starts a PostgreSQL server for tests, made from Debian's packages alone, and prints its
# superuser URL as the last line of standard output. Running it again finds the server that is there.
# Needs root (debootstrap and chroot do). MEMORYD_TEST_POSTGRES_DIR moves its folder from /var/tmp/memoryd-pg.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
# shellcheck source=scripts/postgres/paths.sh
. ./paths.sh

PG_SUITE=trixie

debian_mirror() {
  # shellcheck disable=SC2016 # apt fills this in, not the shell
  apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' 'Label: Debian' | head -n 1
}

install_debootstrap() {
  local wanted=(debootstrap debian-archive-keyring)
  if dpkg -s "${wanted[@]}" >/dev/null 2>&1 && [ -n "$(debian_mirror)" ]; then return; fi
  say 'installing debootstrap'
  apt-get update -q >&2
  DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "${wanted[@]}" >&2
}

# debootstrap downloads by itself, so it has to be told of the proxy that apt is configured with.
use_proxy_of_apt() {
  local proxy=
  eval "$(apt-config shell proxy Acquire::http::Proxy)"
  if [ -n "$proxy" ] && [ "$proxy" != DIRECT ]; then export http_proxy=$proxy; fi
}

make_root() {
  if [ -x "$PG_ROOT$PG_BIN/postgres" ]; then return; fi
  install_debootstrap
  use_proxy_of_apt
  local mirror script=()
  mirror=$(debian_mirror)
  [ -n "$mirror" ] || die "apt knows no Debian mirror; see 'apt-get indextargets'"
  # An older debootstrap may not know this suite by name; every suite since is made the same way.
  if [ ! -e "/usr/share/debootstrap/scripts/$PG_SUITE" ]; then script=(/usr/share/debootstrap/scripts/sid); fi
  say "making a $PG_SUITE root with PostgreSQL $PG_VERSION in $PG_ROOT (once, about a minute)"
  rm -rf --one-file-system "$PG_ROOT.partial"
  debootstrap --variant=minbase --include="postgresql-$PG_VERSION" \
    "$PG_SUITE" "$PG_ROOT.partial" "$mirror" "${script[@]}" >"$PG_HOME/debootstrap.log" 2>&1 9>&- || {
    tail -n 20 "$PG_HOME/debootstrap.log" >&2
    die "debootstrap failed; all it said is in $PG_HOME/debootstrap.log"
  }
  rm -rf "$PG_ROOT.partial"/var/cache/apt/archives/*.deb
  mv "$PG_ROOT.partial" "$PG_ROOT"
}

# Collation by language, as most installations have it, so that a query which needs byte order must say so.
# Trust is for this server alone: it holds test data and listens on the loopback address only.
make_cluster() {
  if [ -e "$PG_ROOT$PG_DATA/memoryd-ready" ]; then return; fi
  rm -rf "${PG_ROOT:?}$PG_DATA"
  install -d -m 0700 -o "$(postgres_ids | cut -d: -f1)" -g "$(postgres_ids | cut -d: -f2)" "$PG_ROOT$PG_DATA"
  in_root "$PG_BIN/initdb" -D "$PG_DATA" -U postgres --auth=trust --encoding=UTF8 \
    --locale=C.UTF-8 --locale-provider=icu --icu-locale=en-US >"$PG_HOME/initdb.log" 2>&1 || {
    cat "$PG_HOME/initdb.log" >&2
    die 'initdb failed'
  }
  cat >>"$PG_ROOT$PG_DATA/postgresql.conf" <<'CONF'
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
max_connections = 200
fsync = on
# A bare root has no /dev/shm of its own.
dynamic_shared_memory_type = mmap
CONF
  touch "$PG_ROOT$PG_DATA/memoryd-ready"
}

# PostgreSQL clears the pid file of a killed server itself, but not when another process has that pid by now.
drop_stale_pid_file() {
  local file=$PG_ROOT$PG_DATA/postmaster.pid pid
  [ -e "$file" ] || return 0
  pid=$(head -n 1 "$file")
  if works_on_data "$pid"; then
    say "process $pid runs but does not answer: stopping it"
    stop_server
  elif [ -e "/proc/$pid" ]; then
    rm -f "$file"
  fi
}

# The children of a killed server take a moment to notice, and the next server waits for the last of them.
wait_for_orphans() {
  local deadline=$((SECONDS + 30)) process
  while [ "$SECONDS" -lt "$deadline" ]; do
    for process in /proc/[0-9]*; do
      if works_on_data "${process#/proc/}"; then
        sleep 0.2
        continue 2
      fi
    done
    return
  done
  die "processes of an earlier server still run on $PG_ROOT$PG_DATA"
}

free_port() {
  node -e 'const s = require("node:net").createServer().listen(0, "127.0.0.1", () => {
    console.log(s.address().port); s.close(); });'
}

# Another process may take the port between the look and the start, hence more than one try.
start_server() {
  local attempt
  for attempt in 1 2 3; do
    if in_root "$PG_BIN/pg_ctl" start -D "$PG_DATA" -w -t 120 -l "$PG_DATA/server.log" \
      -o "-p $(free_port)" >&2 9>&- </dev/null; then return; fi
    say "start $attempt failed"
  done
  tail -n 20 "$PG_ROOT$PG_DATA/server.log" >&2
  die "the server does not start; its log is $PG_ROOT$PG_DATA/server.log"
}

[ "$(id -u)" = 0 ] || die 'needs root; with a server of your own, set MEMORYD_TEST_POSTGRES_URL instead'
take_lock
make_root
make_cluster
if ! server_answers; then
  drop_stale_pid_file
  wait_for_orphans
  start_server
fi
printf 'postgres://postgres@127.0.0.1:%s/postgres\n' "$(server_port)"
