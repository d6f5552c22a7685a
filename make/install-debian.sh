#!/bin/bash
# Installs packages that are missing: install-debian.sh EXIT_CODE MORE_WORDS NEED...
# A need is a package's name, or several by `/`. Code and words are for a package that cannot be had. SUDO is the command that makes root of us.
set -eu -o pipefail
code=$1 words=$2
shift 2
table=$(dirname "$0")/debian-needs.txt
os_release=${OS_RELEASE:-/etc/os-release}
tried='debian 12|debian 13'

installed=$(dpkg-query -W -f='${db:Status-Status} ${Package}\n' 2>/dev/null | sed -n 's/^installed //p' || true)

is_there() {
  local name command
  for name in ${1//\// }; do
    if grep -qxF "$name" <<<"$installed"; then return; fi
  done
  command=$(awk -v need="$1" '$1 == need && $2 != "-" { print $2 }' "$table")
  [ -n "$command" ] && command -v "$command" >/dev/null
}

known_name() {
  local name
  for name in ${1//\// }; do
    if [ -n "$(apt-cache show "$name" 2>/dev/null)" ]; then echo "$name"; return; fi
  done
  echo "${1%%/*}"
}

# Its name with its purpose.
described() {
  local purpose
  purpose=$(awk -v need="$1" '$1 == need { $1 = $2 = ""; sub(/^ */, ""); print }' "$table")
  echo "${1%%/*}${purpose:+ (for $purpose)}"
}

other_system() {
  if [ -r "$os_release" ]; then . "$os_release"; fi
  if [[ ! "${ID:-} ${VERSION_ID:-}" =~ ^($tried)$ ]]; then
    echo "; this is ${PRETTY_NAME:-an unknown system}, and Debian 12 and 13 are tried"
  fi
}

missing=()
for need in "$@"; do is_there "$need" || missing+=("$need"); done
if [ ${#missing[@]} = 0 ]; then exit 0; fi
${SUDO:-} apt-get update -qq || true
packages=()
for need in "${missing[@]}"; do packages+=("$(known_name "$need")"); done
echo "installing Debian packages: ${packages[*]}"
if ! ${SUDO:-} apt-get install -y -qq --no-install-recommends "${packages[@]}" >/dev/null; then
  said=""
  for need in "${missing[@]}"; do said+="${said:+, }$(described "$need")"; done
  echo "could not install: $said$words$(other_system)" >&2
  exit "$code"
fi
