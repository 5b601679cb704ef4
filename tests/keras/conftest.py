"""Tests of Keras run with frozen modules and classes: nothing is replaced at run time."""

from tests.architecture import frozen

frozen_package = frozen.frozen_package
thawed_where_patched = frozen.thawed_where_patched
