#!/bin/sh
# Runs a compiler's command, and keeps what ptxas says of registers and spills beside the object: <object>.ptxas.
object=
previous=
for argument in "$@"; do
  if [ "$previous" = -o ]; then
    object=$argument
  fi
  previous=$argument
done
if [ -z "$object" ]; then
  exec "$@"
fi
"$@" 2> "$object.ptxas"
result=$?
# What concerns people: warnings and errors.
grep -v -e '^ptxas info ' -e '^ *[0-9]* bytes stack frame' "$object.ptxas" >&2
exit $result
