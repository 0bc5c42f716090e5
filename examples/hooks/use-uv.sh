#!/bin/sh
# Stops `pip install`: this team installs with uv. Exit code 2 stops the call, and the model reads standard error.
#
# The payload is JSON on one line of standard input. A look at its text is enough here; a hook that must not be fooled by
# quoting reads the JSON (`jq -r .tool_input.command`), or leaves shell parsing to command-guard.
payload=$(cat)
case "$payload" in
*'"pip install '* | *'"pip3 install '* | *'"python -m pip install '* | *'"python3 -m pip install '*)
    echo "use-uv: install with \`uv add NAME\`; pip would change the environment behind uv.lock" >&2
    exit 2
    ;;
esac
