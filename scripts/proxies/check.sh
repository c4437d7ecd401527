#!/usr/bin/env bash
# Runs deploy/proxy/nginx.conf and deploy/proxy/Caddyfile in front of a service: TLS, redirect, bodies over the limit,
# /metrics closed, the event stream of changes passed on as it comes, and with three processes each key at one of them.
# Only names, ports and certificates are replaced. Wants a build in dist/, and Debian's apt for what is
# missing: nginx and caddy are then unpacked (not installed) below MEMORYD_PROXIES_DIR.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
unpacked=${MEMORYD_PROXIES_DIR:-/var/tmp/memoryd-proxies}
folder=$(mktemp -d)
processes=()
trap 'for pid in "${processes[@]}"; do kill "$pid" 2>/dev/null || true; done; wait; rm -rf "$folder"' EXIT

fail() {
  echo "proxies: $1" >&2
  tail -n 20 "$folder"/*.log >&2 || true
  exit 1
}

unpacked_program() {
  local path
  for path in "$unpacked/root/usr/sbin/$1" "$unpacked/root/usr/bin/$1"; do
    if [ -x "$path" ]; then echo "$path" && return; fi
  done
  return 1
}

# The path of a program: of the machine, else of Debian's package.
program() {
  command -v "$1" && return
  unpacked_program "$1" && return
  mkdir -p "$unpacked/root"
  (cd "$unpacked" && apt-get update -q && apt-get download -q "$1" && dpkg -x "$1"_*.deb root) >&2 || return 1
  unpacked_program "$1"
}

# As root, and only where they are missing.
install_tools() {
  if command -v curl >/dev/null && command -v openssl >/dev/null; then return; fi
  apt-get update -q >&2
  DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends curl openssl >&2
}

free_port() {
  node -e 'const s = require("node:net").createServer().listen(0, "127.0.0.1", () => {
    console.log(s.address().port); s.close(); })'
}

wait_for() {
  for _ in $(seq 200); do
    if curl -ksS -o /dev/null "$1" 2>/dev/null; then return; fi
    sleep 0.1
  done
  fail "$1 does not answer"
}

key=cmk_live_proxies00000.$(head -c 24 /dev/urandom | od -An -tx1 | tr -d ' \n')
start_service() {
  port=$(free_port)
  # The connection timeout sets how often an event stream carries a comment: every two seconds.
  (cd "$folder" && exec env MEMORYD_DATA_DIR="$folder/data" MEMORYD_PORT="$port" MEMORYD_API_KEY="$key" \
    MEMORYD_TRUSTED_PROXIES=127.0.0.1 MEMORYD_CONNECTION_TIMEOUT_MS=4000 \
    node "$root/dist/main.js" serve >"$folder/service.log" 2>&1) &
  processes+=($!)
  wait_for "http://127.0.0.1:$port/livez"
}

start_nginx() {
  local nginx
  nginx=$(program nginx) || fail 'there is no nginx'
  openssl req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=memory.example.com \
    -keyout "$folder/privkey.pem" -out "$folder/fullchain.pem" 2>/dev/null
  sed -e "s|listen 443 ssl|listen 127.0.0.1:$tls ssl|; s|listen 80;|listen 127.0.0.1:$plain;|" \
    -e "s|server 127.0.0.1:3000;|$(printf 'server %s; ' "${upstreams[@]}")|; s|/etc/letsencrypt/live/memory.example.com|$folder|" \
    "$root/deploy/proxy/nginx.conf" >"$folder/memoryd.conf"
  mkdir -p "$folder/temp"
  printf '%s\n' "pid $folder/nginx.pid; error_log $folder/nginx.log; daemon off; worker_processes 1;" \
    'events {}' "http { access_log off; $(for kind in client_body proxy fastcgi uwsgi scgi; do
      echo "${kind}_temp_path $folder/temp/$kind;"
    done) include $folder/memoryd.conf; }" >"$folder/nginx.conf"
  "$nginx" -t -q -c "$folder/nginx.conf" -p "$folder" 2>>"$folder/nginx.log" || fail 'nginx refuses its file'
  "$nginx" -c "$folder/nginx.conf" -p "$folder" 2>>"$folder/nginx.log" &
  processes+=($!)
}

start_caddy() {
  local caddy
  caddy=$(program caddy) || fail 'there is no caddy'
  # Its own certificate authority in place of Let's Encrypt.
  printf '{\n\tadmin off\n\thttp_port %s\n\thttps_port %s\n\tlocal_certs\n\tskip_install_trust\n}\n' "$plain" "$tls" \
    >"$folder/Caddyfile"
  sed -e "s|127.0.0.1:3000|${upstreams[*]}|" "$root/deploy/proxy/Caddyfile" >>"$folder/Caddyfile"
  XDG_DATA_HOME=$folder/caddy "$caddy" run --config "$folder/Caddyfile" --adapter caddyfile >"$folder/caddy.log" 2>&1 &
  processes+=($!)
}

# call PATH [curl options]: through the proxy, by its name.
call() {
  local path=$1
  shift
  curl -ksS --resolve "memory.example.com:$tls:127.0.0.1" -H "Authorization: Bearer $key" \
    "https://memory.example.com:$tls$path" "$@"
}

status() { call "$@" -o /dev/null -w '%{http_code}'; }

expect() {
  [ "$2" = "$3" ] || fail "$1: $2 in place of $3"
  echo "  $1: $2"
}

# memoryd refuses by the length that is announced, and reads no further. nginx refuses by itself; Caddy, which is still
# sending, passes the refusal on or fails with 502: what counts is that it is refused.
check_large() {
  local got
  head -c 1100000 /dev/zero | tr '\0' a >"$folder/large"
  got=$(status /api/memories -H 'Content-Type: application/json' --data-binary @"$folder/large" 2>/dev/null) || true
  case "$1 $got" in
    'nginx 413' | 'caddy 413' | 'caddy 502' | 'caddy 000') echo "  a body over the limit: refused ($got)" ;;
    *) fail "a body over the limit: $got" ;;
  esac
}

check_proxy() {
  echo "$1"
  local url=https://memory.example.com:$tls initialize session
  for _ in $(seq 200); do
    if call /livez -o /dev/null 2>/dev/null; then break; fi
    sleep 0.1
  done
  expect 'a memory is stored' "$(status /api/memories -H 'Content-Type: application/json' \
    -d '{"content": "Ana prefers the window seat"}')" 201
  case $(call '/api/memories/search?q=seat') in *'the window seat'*) ;; *) fail 'the memory is not found' ;; esac
  expect '/metrics' "$(status /metrics)" 403
  check_large "$1"
  expect 'plain http' "$(curl -sS -o /dev/null -w '%{http_code}' --resolve "memory.example.com:$plain:127.0.0.1" \
    "http://memory.example.com:$plain/" | sed 's/308/301/')" 301
  initialize='{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "check", "version": "1"}}}'
  session=$(call /mcp -H 'Content-Type: application/json' -H 'Accept: application/json, text/event-stream' \
    -d "$initialize" -D - -o /dev/null | tr -d '\r' | sed -n 's/^mcp-session-id: //Ip')
  [ -n "$session" ] || fail "MCP gives no session at $url"
  # A proxy that buffers shows nothing of some comments of a few bytes.
  call /api/events -N --max-time 6 -H 'Accept: text/event-stream' >"$folder/stream" 2>/dev/null || true
  grep -q heartbeat "$folder/stream" || fail 'the event stream of changes does not come through'
  echo '  the event stream of changes: passed on as it comes'
}

# Three stand-ins for processes, which answer with their number.
start_stand_ins() {
  stand_ins=("127.0.0.1:$(free_port)" "127.0.0.1:$(free_port)" "127.0.0.1:$(free_port)")
  node -e 'process.argv.slice(1).forEach((address, i) => require("node:http")
    .createServer((_, response) => response.end(String(i))).listen(Number(address.split(":")[1]), "127.0.0.1"))' \
    "${stand_ins[@]}" &
  processes+=($!)
  wait_for "http://${stand_ins[2]}/"
}

check_affinity() {
  local i path own got used=
  for i in $(seq 24); do
    own=$(key=cmk_live_key$i.secret call /livez)
    for path in /mcp /api/memories; do
      got=$(key=cmk_live_key$i.secret call "$path")
      [ "$own" = "$got" ] || fail "$1: a key is at the processes $own and $got"
    done
    used="$used$own"
  done
  for i in 0 1 2; do case $used in *$i*) ;; *) fail "$1: process $i gets no key of 24: $used" ;; esac done
  echo "  24 keys, each at one of three processes: $used"
}

# with NAME UPSTREAM...: starts the proxy on ports of its own before these processes.
with() {
  upstreams=("${@:2}")
  tls=$(free_port)
  plain=$(free_port)
  "start_$1"
  proxy=${processes[-1]}
}

install_tools
start_service
start_stand_ins
for name in nginx caddy; do
  with "$name" "127.0.0.1:$port"
  check_proxy "$name"
  kill "$proxy" && wait "$proxy" || true
  with "$name" "${stand_ins[@]}"
  for _ in $(seq 200); do
    if call /livez -o /dev/null 2>/dev/null; then break; fi
    sleep 0.1
  done
  check_affinity "$name"
  kill "$proxy" && wait "$proxy" || true
done
echo 'nginx and caddy: ok'
