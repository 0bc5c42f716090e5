#!/bin/sh
# Installs sprag from a release: fetches the archive of this platform, compares its checksum, puts the binary in place.
#   curl -fsSL @REPOSITORY@/releases/latest/download/install.sh | sh
# SPRAG_VERSION=1.2.3 takes that version instead of the latest, SPRAG_PREFIX=DIR installs to DIR/bin instead of ~/.local/bin,
# SPRAG_BASE_URL=URL takes the files of a mirror. Nothing else is changed: `sprag init` comes next.
set -eu

fail() { echo "error: $1" >&2; echo "  $2" >&2; exit 1; }

main() {
  repository="@REPOSITORY@"
  prefix="${SPRAG_PREFIX:-${HOME:?HOME is not set}/.local}"
  if [ -n "${SPRAG_BASE_URL:-}" ]; then base="${SPRAG_BASE_URL%/}"
  elif [ -n "${SPRAG_VERSION:-}" ]; then base="$repository/releases/download/v${SPRAG_VERSION#v}"
  else base="$repository/releases/latest/download"
  fi
  case "$base" in
    https://* | http://127.0.0.1:* | http://localhost:*) ;;
    *) fail "$base is not an https address" "use https, or a server on this machine" ;;
  esac

  case "$(uname -s)" in
    Linux) system=unknown-linux-musl ;;
    Darwin) system=apple-darwin ;;
    *) fail "there is no archive for $(uname -s)" "on Windows use install.ps1, elsewhere build from source: $repository" ;;
  esac
  case "$(uname -m)" in
    x86_64 | amd64) processor=x86_64 ;;
    aarch64 | arm64) processor=aarch64 ;;
    *) fail "there is no archive for the processor $(uname -m)" "build from source: $repository" ;;
  esac
  archive="sprag-$processor-$system.tar.gz"

  scratch="$(mktemp -d)"
  placed=""
  trap 'rm -rf "$scratch" ${placed:+"$placed"}' EXIT
  fetch "$base/SHA256SUMS" "$scratch/SHA256SUMS"
  wanted="$(awk -v name="$archive" '$2 == name || $2 == "*" name { print $1 }' "$scratch/SHA256SUMS")"
  [ -n "$wanted" ] || fail "the release at $base has no $archive" "build from source: $repository"
  fetch "$base/$archive" "$scratch/$archive"
  found="$(checksum "$scratch/$archive")"
  [ "$wanted" = "$found" ] ||
    fail "the checksum of $archive is $found, not $wanted" "nothing was installed; try again, or report it at $repository"

  tar -xzf "$scratch/$archive" -C "$scratch" sprag
  mkdir -p "$prefix/bin" "$prefix/share/sprag"
  # By rename: an agent that starts sprag now gets the whole old or the whole new one.
  placed="$(mktemp "$prefix/bin/.sprag.XXXXXX")"
  cp "$scratch/sprag" "$placed"
  chmod 755 "$placed"
  version="$("$placed" --version)" || fail "the binary of $archive does not run here" "build from source: $repository"
  mv -f "$placed" "$prefix/bin/sprag"
  placed=""
  # `sprag self update` reads where it came from.
  printf '{"channel": "script", "base": "%s", "target": "%s"}\n' "$base" "$processor-$system" > "$prefix/share/sprag/installed.json"
  echo "installed $prefix/bin/sprag ($version)"
  case ":$PATH:" in *":$prefix/bin:"*) ;; *) echo "  $prefix/bin is not on PATH" ;; esac
  echo "  next: sprag init"
}

fetch() {
  if command -v curl > /dev/null; then
    curl -fsSL --retry 2 -o "$2" "$1" || fail "$1 could not be fetched" "look at the address and the network"
  elif command -v wget > /dev/null; then
    wget -q -O "$2" "$1" || fail "$1 could not be fetched" "look at the address and the network"
  else
    fail "there is neither curl nor wget" "install one of them"
  fi
}

checksum() {
  if command -v sha256sum > /dev/null; then sha256sum "$1" | cut -d ' ' -f 1
  elif command -v shasum > /dev/null; then shasum -a 256 "$1" | cut -d ' ' -f 1
  else fail "there is neither sha256sum nor shasum" "install one of them: the checksum must be compared"
  fi
}

# Last, so that a script that was cut off does nothing.
main
