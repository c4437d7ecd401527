#!/usr/bin/env bash
# Builds the documentation site (VitePress, search inside) of README.md and docs/ into scripts/site/dist.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# VitePress reads its settings from the folder of the pages, and its modules from a folder above them.
cp "$here/package.json" "$here/package-lock.json" "$work/"
mkdir -p "$work/pages/.vitepress"
cp "$here/config.mjs" "$work/pages/.vitepress/config.mjs"
# Vite wants relative paths of images in HTML to begin with a dot.
sed -E 's/(src|srcset)="docs\//\1=".\/docs\//g' "$root/README.md" >"$work/pages/index.md"
cp -r "$root/docs" "$root/ARCHITECTURE.md" "$root/CONTRIBUTING.md" "$root/CHANGELOG.md" "$work/pages/"
cd "$work"
npm ci --no-audit --no-fund
rm -rf "$here/dist"
MEMORYD_SITE_SOURCE=$work/pages MEMORYD_SITE_OUT=$here/dist npx vitepress build pages
test -f "$here/dist/docs/search.html"
