#!/usr/bin/env python3
"""While a file RELEASE-FREEZE lies in the project, the model is told so with every prompt, with what the file says."""

import json
import pathlib
import sys

LONGEST = 500

payload = json.load(sys.stdin)
notice = pathlib.Path(payload.get("cwd") or ".") / "RELEASE-FREEZE"
try:
    text = notice.read_text(encoding="utf-8").strip()[:LONGEST]
except FileNotFoundError:
    sys.exit(0)  # No output: nothing to say.

context = f"The project is frozen for a release: fix bugs only, change no interface. RELEASE-FREEZE says: {text}"
print(json.dumps({"hookSpecificOutput": {"hookEventName": payload["hook_event_name"], "additionalContext": context}}))
