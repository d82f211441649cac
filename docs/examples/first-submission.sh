#!/bin/sh
# From a token to a ranked submission and its table for a paper.
#
#   PLUMBLINE_SITE=https://… PLUMBLINE_TOKEN=plb_… \
#     sh first-submission.sh TASK PHASE "SYSTEM NAME" TEST_SET=FILE …
#
# Needs curl, and python3 to take a value out of an answer. Your team must have joined
# the task, or TEAM_NAME founds one. Run again after a broken connection, it submits
# nothing twice: the key of a request comes from the names and bytes of its files.
set -eu

task=$1 phase=$2 system=$3
shift 3
api=$PLUMBLINE_SITE/api/v1

call() { # curl with the token; an error is printed as the site says it, and ends this
  body=$(curl --silent --show-error --fail-with-body \
    --header "Authorization: Bearer $PLUMBLINE_TOKEN" "$@") ||
    { printf '%s\n' "$body" >&2; return 1; }
  printf '%s\n' "$body"
}
value() { python3 -c 'import json, sys; print(json.load(sys.stdin)[sys.argv[1]])' "$1"; }

me=$(call "$api/me/")
echo "signed in as $(echo "$me" | value email)"

if [ -n "${TEAM_NAME:-}" ]; then
  joined=$(call --header "Idempotency-Key: join-$task" --form "name=$TEAM_NAME" \
    "$api/tasks/$task/team/")
  echo "$joined" | value text
fi

# One part for each test set: file_north=@north.conllu, file_south=@south.conllu
key=$({ echo "$system"; for pair in "$@"; do echo "$pair"; cat "${pair#*=}"; done; } |
  python3 -c 'import hashlib, sys
print(hashlib.sha256(sys.stdin.buffer.read()).hexdigest())')
files=$#
for pair in "$@"; do
  set -- "$@" --form "file_${pair%%=*}=@${pair#*=}"
done
shift "$files"
sent=$(call --header "Idempotency-Key: $key" --form "system=$system" "$@" \
  "$api/tasks/$task/$phase/submissions/")
id=$(echo "$sent" | value id)
echo "sent: $id"

# Each request waits up to 15 seconds for the result.
state=queued
while [ "$state" = queued ] || [ "$state" = running ]; do
  status=$(call "$api/submissions/$id/?wait=15")
  state=$(echo "$status" | value state)
done
echo "state: $state"
[ "$state" = scored ]

# The board has the result some seconds later.
looks=30
while [ "$looks" -gt 0 ]; do
  board=$(call --retry 5 "$api/tasks/$task/$phase/board/")
  [ "$(echo "$board" | value newer_results)" = True ] || break
  looks=$((looks - 1))
  sleep 1
done
echo "$board" | python3 -c '
import json, sys
ranks = {row["submission"]: row["rank"] for row in json.load(sys.stdin)["rows"]}
print("rank:", ranks.get(sys.argv[1], "none on this page of the board"))
' "$id"
call "$api/tasks/$task/$phase/exports/tex/" >"$task-$phase.tex"
echo "table: $task-$phase.tex"
