# Prints the Python to use: the one that was named ($1), else the newest suitable one on the PATH. $2: the target to make then.
# A candidate is tried by running it: a launcher that only stands there does not count.
named=$1
for python in ${named:-python3.13 python3.12 python3.11 python3 python}; do
  if "$python" -c 'import sys; raise SystemExit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' >/dev/null 2>&1; then
    command -v "$python"
    exit 0
  fi
done
if [ -n "$named" ]; then what="$named is not a Python 3.11, 3.12 or 3.13 that runs."; else what="No Python 3.11, 3.12 or 3.13 was found on the PATH."; fi
echo "$what" >&2
echo "Install one, or name it: make PYTHON=/path/to/python3.12 ${2:-demo}" >&2
exit 1
