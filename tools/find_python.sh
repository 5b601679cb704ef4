#!/bin/sh
# Print the Python to work with: $PYTHON if it is set, else the first found that is 3.11 or newer.
set -u
is_new_enough='import sys; sys.exit(sys.version_info < (3, 11))'

if [ -n "${PYTHON:-}" ]; then
    candidates=$PYTHON
else
    candidates='python3 python3.13 python3.12 python3.11 python'
fi
for candidate in $candidates; do
    if "$candidate" -c "$is_new_enough" >/dev/null 2>&1; then
        command -v "$candidate"
        exit 0
    fi
done
{
    echo 'tapelab needs Python 3.11 or newer, and found:'
    for candidate in $candidates; do
        version=$("$candidate" --version 2>&1) && echo "  $candidate is $version" ||
            echo "  $candidate does not run"
    done
    echo 'Install a newer Python, or name one, as in: make lab PYTHON=/path/to/python3.12'
} >&2
exit 1
