#!/bin/sh
# PLUMBLINE_CODE_RUNNER=/usr/local/bin/run-code
set -eu
name=run-$(basename "$RUN_FOLDER")
trap 'podman rm --force --time 0 "$name" >/dev/null 2>&1' EXIT
trap 'exit 1' TERM INT
podman create --name "$name" --network none --read-only --cap-drop all --security-opt no-new-privileges \
  --userns keep-id --pids-limit 64 --memory "$RUN_MEMORY_BYTES" --ulimit "cpu=$RUN_CPU_SECONDS" \
  --volume "$RUN_FOLDER:$RUN_FOLDER:ro" --volume "$RUN_OUTPUT:$RUN_OUTPUT" --workdir "$RUN_START" \
  --env "PYTHONPATH=$PYTHONPATH" --env "HOME=$RUN_OUTPUT" --env "TMPDIR=$RUN_OUTPUT" \
  code-image python3 "$@" >/dev/null
timeout --signal KILL "$RUN_WALL_SECONDS" podman start --attach "$name" || true
podman inspect --format \
  '{{if .State.Running}}wall{{else if .State.OOMKilled}}memory{{else}}{{.State.ExitCode}}{{end}}' "$name" >"$RUN_RESULT"
