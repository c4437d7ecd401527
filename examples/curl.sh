#!/usr/bin/env bash
# Stores, finds, corrects and takes back, with nothing but curl: `bash curl.sh`. MEMORYD_URL and MEMORYD_KEY name the service.
set -euo pipefail
url=${MEMORYD_URL:-http://localhost:3000}

# call METHOD PATH [JSON]
call() {
  curl --silent --show-error --fail-with-body --request "$1" "$url$2" \
    --header "Authorization: Bearer $MEMORYD_KEY" --header 'Content-Type: application/json' ${3:+--data "$3"}
}
# field NAME: the first field of that name in the JSON on standard input
field() { grep -o "\"$1\":\"[^\"]*\"" | head -n 1 | cut -d '"' -f 4; }

id=$(call POST /api/memories '{"content": "Ana prefers the window seat on night trains", "topics": ["travel"]}' | field id)
echo "stored: $id"
echo "found: $(call GET '/api/memories/search?q=which+seat+does+ana+like&limit=1' | field content)"
call PUT "/api/memories/$id" '{"content": "Ana prefers the aisle seat on night trains"}' >/dev/null
echo "corrected: $(call GET "/api/memories/$id" | field content)"
call DELETE "/api/memories/$id" >/dev/null
entry=$(call GET '/api/trash?limit=1' | field id)
call POST "/api/trash/$entry/restore" >/dev/null
echo "restored: $(call GET "/api/memories/$id" | field content)"
