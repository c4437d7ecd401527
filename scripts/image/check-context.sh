#!/usr/bin/env bash
# Whether the files that deploy/Dockerfile copies pass its ignore file, as buildah reads both, without a registry: the
# bases are replaced by empty ones and what runs in them is left out. Installs buildah where it can (root on Debian); says
# so and ends with 0 where it cannot. scripts/image/build.sh builds and runs the whole image.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

if ! command -v buildah >/dev/null; then
  { apt-get update -q && apt-get install -q -y --no-install-recommends buildah; } >/dev/null 2>&1 || {
    echo 'The check of the image was skipped: buildah cannot be installed here'
    exit 0
  }
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

awk '
  /^(RUN|HEALTHCHECK) / { skipping = 1 }
  !skipping && !/^(COPY --from|USER )/
  skipping && !/\\$/ { skipping = 0 }
' deploy/Dockerfile | sed 's/^FROM [^ ]*/FROM scratch/' >"$folder/Dockerfile"

buildah --storage-driver vfs --root "$folder/root" --runroot "$folder/run" bud --quiet --isolation chroot \
  --ignorefile deploy/Dockerfile.dockerignore -f "$folder/Dockerfile" .
