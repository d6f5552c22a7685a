#!/bin/bash
# gcc for the kernel. Half of the work on 800 small files is reading the same headers: PRECOMPILED names precompiled.h, which gcc has read
# already. The objects have the same instructions as without it, some in another order.
#
# gcc takes precompiled headers only before the macros of a file's own, its names: these come from a file of their own, behind the headers.
file=${!#}
case ${file##*/source/} in
  crypto/*.c | drivers/*.c | fs/*.c | io_uring/*.c | kernel/*.c | lib/*.c | mm/*.c | net/*.c) ;;
  *) exec gcc "$@" ;;
esac
[[ -n ${PRECOMPILED:-} && " $* " == *" -D__KERNEL__ "*" -c "* ]] || exec gcc "$@"

names= dependencies= options=()
for option; do
  case $option in
    -DKBUILD_*=* | -D__KBUILD_*=*) option=${option#-D} names+="#define ${option%%=*} ${option#*=}"$'\n' ;;
    -Wp,-MMD,*) dependencies=${option#-Wp,-MMD,} options+=("$option") ;;
    *) options+=("$option") ;;
  esac
done
[[ -n $dependencies ]] || exec gcc "$@"
printf %s "$names" >"$dependencies.names"
# A few files define what one of these headers defines too.
gcc -include "$PRECOMPILED" -include "$dependencies.names" "${options[@]}" 2>/dev/null || exec gcc "$@"
