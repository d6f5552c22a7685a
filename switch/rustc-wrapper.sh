#!/bin/bash
# What cargo calls instead of the compiler (.cargo/config.toml). No program has folders of this machine in it, so that it is the same wherever it
# was built. As RUSTFLAGS they would be in the names of cargo's own folders, and by these in the programs. Not sh: Debian's takes variables out of
# the environment whose names have a hyphen, as CARGO_BIN_EXE_p4c-bm2-ss has.
# Test programs run once or twice: to optimise them takes longer than it saves. They check their arithmetic, too.
for argument; do [ "$argument" = --test ] && set -- "$@" -C opt-level=0; done
checkout=$(cd "$(dirname "$0")/.." && pwd)
exec "$@" --remap-path-prefix="$checkout"=. --remap-path-prefix="${CARGO_HOME:-$HOME/.cargo}"/registry/src=crates
