#!/usr/bin/env bash
# Builds deploy/Dockerfile whole and runs the image, without a registry: stores and finds a memory in the container. The
# base is made here in the likeness of the one that the Dockerfile names: Debian by debootstrap, the same Node from the npm
# registry, npm of this machine, a user `node`. So it shows that our image works, not that the base does. Wants root on
# Debian (it installs buildah and debootstrap where they are missing), npm and some 3 GB in MEMORYD_IMAGE_DIR (a new
# folder below /var/tmp unless set).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

command -v npm >/dev/null || { echo 'install npm first' >&2; exit 1; }
if ! command -v buildah >/dev/null || ! command -v debootstrap >/dev/null; then
  apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends buildah debootstrap
fi
folder=${MEMORYD_IMAGE_DIR:-$(mktemp -d /var/tmp/memoryd-image-XXXXXX)}
mkdir -p "$folder"
image=$(sed -n 's/^FROM \(node:[^ ]*\).*/\1/p' deploy/Dockerfile | head -n 1)
release=$(sed 's/.*-\(.*\)-slim/\1/' <<<"$image")
buildah() { command buildah --storage-driver vfs --root "$folder/root" --runroot "$folder/run" "$@"; }
cleanup() {
  buildah rm --all >/dev/null 2>&1 || true
  [ -n "${MEMORYD_IMAGE_DIR:-}" ] || rm -rf "$folder"
}
trap cleanup EXIT

base=$folder/base
if [ ! -e "$base/.made" ]; then
  rm -rf "$base"
  debootstrap --variant=minbase --include=ca-certificates,libatomic1 "$release" "$base" >"$folder/debootstrap.log"
  cp -a "$(dirname "$(bash scripts/newest-node.sh)")"/{bin,include} "$base/usr/local/"
  mkdir -p "$base/usr/local/lib/node_modules"
  cp -a "$(npm root -g)/npm" "$base/usr/local/lib/node_modules/"
  for name in npm npx; do ln -sf "../lib/node_modules/npm/bin/$name-cli.js" "$base/usr/local/bin/$name"; done
  chroot "$base" sh -c 'groupadd -g 1000 node && useradd -u 1000 -g node -s /bin/bash -m node'
  # How this machine reaches the registry.
  mkdir -p "$base/usr/local/etc"
  printf 'registry=%s\ncafile=/etc/ssl/certs/ca-certificates.crt\n' "$(npm config get registry)" >"$base/usr/local/etc/npmrc"
  cp /etc/ssl/certs/ca-certificates.crt "$base/etc/ssl/certs/"
  touch "$base/.made"
fi

container=$(buildah from scratch)
buildah add --quiet "$container" "$base" / >/dev/null
buildah commit --quiet "$container" "docker.io/library/$image" >/dev/null
buildah bud --pull-never --isolation chroot --ignorefile deploy/Dockerfile.dockerignore -f deploy/Dockerfile -t memoryd .

container=$(buildah from --pull-never localhost/memoryd)
# The container shares the network of this machine, where 3000 may be taken.
port=$(node -e 'const s = require("node:net").createServer().listen(0, "127.0.0.1", () => {
  console.log(s.address().port); s.close(); });')
in_container() {
  buildah run --isolation chroot --env MEMORYD_HOST=127.0.0.1 --env MEMORYD_PORT="$port" "$container" -- "$@"
}
in_container node dist/main.js --help >/dev/null
# The container shares the process ids of this machine too.
in_container sh -c 'echo $$ >/data/pid; exec node dist/main.js serve' &
served=$!
for _ in $(seq 600); do
  curl -sf "127.0.0.1:$port/livez" >/dev/null && break
  sleep .2
done
key=$(in_container cat /data/first-key | tr -d '\r\n')
curl -sf "127.0.0.1:$port/api/memories" -H "Authorization: Bearer $key" -H 'Content-Type: application/json' \
  -d '{"content": "Ana prefers the window seat on night trains"}' >/dev/null
curl -sf "127.0.0.1:$port/api/memories/search?q=which+seat+does+ana+like" -H "Authorization: Bearer $key" |
  grep -q 'window seat'
made=$(in_container node dist/main.js keys create --user ana)
grep -q 'new user ana' <<<"$made" || { echo "keys create printed: $made" >&2; exit 1; }
kill "$(in_container cat /data/pid | tr -d '\r\n')"
wait "$served"
echo "the image of deploy/Dockerfile is built on $image (in likeness); a memory was stored and found in its container"
