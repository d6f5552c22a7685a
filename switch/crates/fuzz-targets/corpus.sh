#!/bin/bash
# Kept inputs of coverage-guided fuzzing (`make fuzz-guided`): one archive a target, corpora/TARGET.tar.gz.
#
#   corpus.sh unpack TARGET FOLDER    the inputs as files of a folder
#   corpus.sh add TARGET INPUT…       packs inputs (files, or folders of them) together with those that are kept
#
# The same inputs make the same archive: sorted, without times and owners. A file is called by its SHA-1, as libFuzzer does.
set -eu -o pipefail
here=$(dirname "$0")

fail() {
  echo "corpus.sh: $1" >&2
  exit 2
}

unpack() { # TARGET FOLDER
  mkdir -p "$2"
  if [ -e "$here/corpora/$1.tar.gz" ]; then tar --extract --gzip --file "$here/corpora/$1.tar.gz" --directory "$2"; fi
}

add() { # TARGET INPUT…
  local target=$1 folder
  shift
  folder=$(mktemp -d)
  # shellcheck disable=SC2064  # the folder of now
  trap "rm -rf '$folder'" EXIT
  unpack "$target" "$folder/kept"
  find "$@" -type f -print0 | while IFS= read -r -d '' input; do
    cp "$input" "$folder/kept/$(sha1sum <"$input" | cut -d ' ' -f 1)"
  done
  (cd "$folder/kept" && find . -type f -printf '%P\0' | LC_ALL=C sort -z |
    tar --create --null --files-from - --format ustar --mtime @0 --owner 0 --group 0 --numeric-owner --mode 0644 |
    gzip --best --no-name >"$folder/packed")
  mkdir -p "$here/corpora"
  cp "$folder/packed" "$here/corpora/$target.tar.gz"
  echo "$(find "$folder/kept" -type f | wc -l) inputs kept in $here/corpora/$target.tar.gz"
}

command=${1:-} target=${2:-}
[ $# -ge 3 ] || fail "usage: corpus.sh unpack TARGET FOLDER, corpus.sh add TARGET INPUT…"
[ -e "$here/libfuzzer/$target.rs" ] || fail "there is no target $target; the targets are $(cd "$here/libfuzzer" && echo *.rs | sed 's/\.rs//g')"
shift 2
case $command in
  unpack) unpack "$target" "$1" ;;
  add)
    for input; do [ -e "$input" ] || fail "there is no $input"; done
    add "$target" "$@"
    ;;
  *) fail "there is no command $command; there are unpack and add" ;;
esac
