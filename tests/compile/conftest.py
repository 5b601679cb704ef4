"""Tests of compiled functions run with frozen modules and classes, so nothing is replaced."""

from tests.architecture import frozen

frozen_package = frozen.frozen_package
thawed_where_patched = frozen.thawed_where_patched
