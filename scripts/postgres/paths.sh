# shellcheck shell=bash
# Where the PostgreSQL test server lives and what is known of it. Sourced by the scripts beside it.

PG_VERSION=17
PG_HOME=$(realpath -m "${MEMORYD_TEST_POSTGRES_DIR:-/var/tmp/memoryd-pg}")
PG_ROOT=$PG_HOME/root
# As seen from inside the root.
PG_DATA=/var/lib/memoryd-pg
PG_BIN=/usr/lib/postgresql/$PG_VERSION/bin

say() { printf 'postgres: %s\n' "$*" >&2; }

die() {
  say "$*"
  exit 1
}

# The numeric ids, because the machine itself need not have a user of that name.
postgres_ids() { awk -F: '$1 == "postgres" { print $3 ":" $4 }' "$PG_ROOT/etc/passwd"; }

in_root() {
  env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 TZ=UTC \
    chroot --userspec="$(postgres_ids)" --groups= "$PG_ROOT" "$@"
}

# Of the server that wrote postmaster.pid, which may be gone; empty when there is no such file.
server_pid() { sed -n 1p "$PG_ROOT$PG_DATA/postmaster.pid" 2>/dev/null || true; }

server_port() { sed -n 4p "$PG_ROOT$PG_DATA/postmaster.pid" 2>/dev/null || true; }

# Whether a process is of this very server: another one may have its pid by now.
works_on_data() { [ -n "$1" ] && [ "$(readlink "/proc/$1/cwd" 2>/dev/null)" = "$PG_ROOT$PG_DATA" ]; }

server_answers() {
  works_on_data "$(server_pid)" &&
    in_root "$PG_BIN/pg_isready" -q -h 127.0.0.1 -p "$(server_port)" -t 3
}

stop_server() {
  in_root "$PG_BIN/pg_ctl" stop -D "$PG_DATA" -m fast -w -t 60 >&2 9>&- ||
    die "process $(server_pid) runs on $PG_ROOT$PG_DATA and does not stop"
}

# One start or stop at a time for one folder; released when the script ends.
take_lock() {
  mkdir -p "$PG_HOME"
  exec 9>"$PG_HOME/lock"
  flock -w 900 9 || die "another start or stop has held $PG_HOME/lock for 15 minutes"
}
