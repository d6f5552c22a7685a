#!/bin/bash
# run.sh SECONDS TARGET…: fuzzes each target for so long, guided by coverage (`make fuzz-guided`). The inputs that it finds stay in build/fuzz/TARGET, and
# later runs go on from them. Inputs that reach code which no kept one reaches are packed into switch/crates/fuzz-targets/corpora/TARGET.tar.gz.
set -eu -o pipefail
cd "$(dirname "$0")/../../.."
seconds=$1
shift
targets=("$@")
# The compiler that is there need not be a nightly one: there are counters in the code, but no sanitizer.
fuzz=(build/tools/bin/cargo-fuzz fuzz run --fuzz-dir switch/crates/fuzz-targets --target-dir switch/target/libfuzzer --features libfuzzer --sanitizer none --codegen-units 16)

for target in "${targets[@]}"; do
  words=(-dict=switch/crates/fuzz-targets/p4.dict)
  bytes=8192 most_kept=2048
  case $target in
    json_loader) words=(-dict=switch/crates/fuzz-targets/json.dict) bytes=32768 most_kept=4096 ;;
    p4runtime_messages | packets) words=() bytes=2048 ;;
  esac
  kept_inputs=build/fuzz/kept/$target
  rm -rf "$kept_inputs"
  mkdir -p "build/fuzz/$target"
  switch/crates/fuzz-targets/corpus.sh unpack "$target" "$kept_inputs"
  echo "$(date +%T) fuzzing: $target"
  "${fuzz[@]}" "$target" "build/fuzz/$target" "$kept_inputs" -- -max_total_time="$seconds" -max_len="$bytes" \
    -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 ${SEED:+-seed="$SEED"} "${words[@]}" >"build/fuzz/$target.log" 2>&1 || {
    status=$?
    { grep -a -A 3 'panicked at' "build/fuzz/$target.log" || grep -a -A 3 -E '^(==.*ERROR|error)' "build/fuzz/$target.log" || tail "build/fuzz/$target.log"; } | head -n 20 >&2 || true
    input=$(sed -n 's/.*Test unit written to //p' "build/fuzz/$target.log" | tail -n 1)
    echo "fuzzing: $target has ended with status $status; all it said is in build/fuzz/$target.log" >&2
    [ -z "$input" ] || echo "  input: $input
  again: ${fuzz[*]} $target $input
  smaller: ${fuzz[*]/run/tmin} $target $input" >&2
    exit 1
  }
  grep -a -E 'INITED|DONE' "build/fuzz/$target.log" || true
  # Small ones, and by the ways through the code alone: with how often each is taken it would be thousands of files.
  rm -rf build/fuzz/small
  mkdir build/fuzz/small
  find "build/fuzz/$target" -type f -size -"$most_kept"c -exec ln -t build/fuzz/small {} +
  "${fuzz[@]}" "$target" "$kept_inputs" build/fuzz/small -- -merge=1 -use_counters=0 -use_cmp=0 -max_len="$bytes" \
    -timeout=10 -rss_limit_mb=2048 >"build/fuzz/$target.merge.log" 2>&1
  rm -rf build/fuzz/small
  echo "  $(switch/crates/fuzz-targets/corpus.sh add "$target" "$kept_inputs")"
done
