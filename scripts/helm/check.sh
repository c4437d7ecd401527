#!/usr/bin/env bash
# Lints the Helm chart, and renders it for both engines: with its own values it must give the manifests of
# deploy/kubernetes. Takes `helm` from the PATH, else compiles it with Go, else says so and goes on.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
chart=$root/deploy/helm/memoryd
bin=${MEMORYD_HELM_DIR:-/var/tmp/memoryd-helm}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

helm=$(command -v helm || true)
if [ -z "$helm" ] && command -v go >/dev/null; then
  [ -x "$bin/helm" ] || GOBIN=$bin go install helm.sh/helm/v3/cmd/helm@v3.18.6
  helm=$bin/helm
fi
if [ -z "$helm" ]; then
  echo 'SKIPPED: neither helm nor Go is here; the chart was not rendered.' >&2
  exit 0
fi

"$helm" lint --strict "$chart"
for engine in sqlite postgres; do
  "$helm" template memoryd "$chart" --set engine=$engine >"$work/$engine.yaml"
  node "$root/scripts/helm/compare.mjs" "$work/$engine.yaml" "$root/deploy/kubernetes/$engine.yaml"
done
if "$helm" template memoryd "$chart" --set engine=mysql >/dev/null 2>"$work/refused"; then
  echo 'an unknown engine was not refused' >&2
  exit 1
fi
grep -q 'engine must be sqlite or postgres' "$work/refused"
"$helm" template memoryd "$chart" --set settings.MEMORYD_EMBEDDER=static | grep -q 'MEMORYD_EMBEDDER, value: "static"'
"$helm" template memoryd "$chart" --set engine=postgres,ingress.host=memory.example.com |
  grep -qF 'upstream-hash-by: "$http_authorization"'
