#!/usr/bin/env bash
# Installs clients/python as its users do, with the frameworks of its adapters in the versions that are pinned, checks its
# types and runs its tests against a service of their own. Ends with `N passed, N failed`. For tests only; wants a build in
# dist/ and python3 with venv; says so and goes on without. CrewAI is apart, since what it pins excludes other frameworks.
# MEMORYD_CLIENTS_DIR moves what is installed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../../clients/python"
installed=${MEMORYD_CLIENTS_DIR:-/var/tmp/memoryd-clients}
passed=0
failed=0

command -v python3 >/dev/null || {
  echo 'The Python client was skipped: there is no python3'
  exit 0
}

# pip takes minutes for what uv does in seconds.
readonly UV_VERSION=0.13.9
uv=$installed/uv-$UV_VERSION/bin/uv
[ -x "$uv" ] || {
  python3 -m venv "$installed/uv-$UV_VERSION"
  "$installed/uv-$UV_VERSION/bin/pip" install --quiet --disable-pip-version-check "uv==$UV_VERSION"
}

# install NAME LOCK: sets venv; what a lock names is installed once.
install() {
  venv=$installed/$1
  if ! cmp -s "$2" "$venv/installed.txt"; then
    rm -rf "$venv"
    "$uv" venv --quiet --no-config --python "$(command -v python3)" "$venv"
    "$uv" pip install --quiet --no-config --python "$venv/bin/python" --no-deps -r "$2"
    cp "$2" "$venv/installed.txt"
  fi
  "$uv" pip install --quiet --no-config --python "$venv/bin/python" --no-deps --reinstall .
}

# tests ARGUMENTS...: of the installed package, not of the folder.
tests() {
  local report
  report=$(mktemp)
  # pytest fails with its tests, and they are counted from its report.
  "$venv/bin/python" -P -m pytest -q -p no:cacheprovider --junitxml="$report" "$@" || true
  read -r all bad < <("$venv/bin/python" - "$report" <<'EOF'
import sys, xml.etree.ElementTree as tree
try:
    suite = tree.parse(sys.argv[1]).getroot()[0].attrib
    print(suite["tests"], int(suite["failures"]) + int(suite["errors"]))
except Exception:
    print(1, 1)  # No report: pytest itself failed.
EOF
  )
  rm -f "$report"
  passed=$((passed + all - bad))
  failed=$((failed + bad))
}

install python-client tests/requirements.txt
if "$venv/bin/python" -m mypy --no-incremental memoryd; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
tests --ignore tests/test_crewai.py
if [ -f tests/test_crewai.py ]; then
  install python-crewai tests/requirements-crewai.txt
  tests tests/test_crewai.py
fi
rm -rf build memoryd.egg-info
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
