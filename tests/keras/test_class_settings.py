"""Classes that are declared by their settings: constructors, signatures, configs and errors."""

from __future__ import annotations

import inspect

import pytest

import tapelab as tf
from tapelab.keras.class_settings import END, Configured, setting


class Ball(Configured):
    """A class with one required setting."""

    radius: float = setting()
    colour: str = setting("red", convert=str.lower)


class Planet(Ball):
    """A class that adds, moves, changes and fixes settings."""

    colour = "blue"
    name: str = setting("earth", before="moons")
    moons: int = setting(1, in_config=False)

    def __post_init__(self):
        self.volume = 4.2 * self.radius**3


class Named(Ball):
    """A class whose subclasses add their settings before the name."""

    name: str = setting("", before=END)
    _subclass_settings_before = "name"


class Star(Named):
    """A subclass with a setting."""

    mass: float = setting(1.0)


def function(self, radius, colour="red"):
    """The function whose errors a constructor repeats."""


def test_the_constructor_stores_converted_settings():
    assert vars(Ball(2.0, colour="GREEN")) == {"radius": 2.0, "colour": "green"}


def test_a_subclass_inherits_adds_and_fixes_settings():
    assert (
        str(inspect.signature(Planet))
        == "(radius: 'float', name: 'str' = 'earth', moons: 'int' = 1)"
    )
    planet = Planet(2.0)
    assert (planet.colour, planet.moons, planet.volume) == ("blue", 1, pytest.approx(33.6))


def test_subclasses_can_add_settings_before_those_of_the_base():
    assert list(inspect.signature(Star).parameters) == ["radius", "colour", "mass", "name"]


def test_the_config_makes_an_equal_object():
    planet = Planet(2.0, "mars", 2)
    assert planet.get_config() == {"radius": 2.0, "name": "mars"}
    assert Planet.from_config(planet.get_config()).name == "mars"


@pytest.mark.parametrize(
    ("args", "kwargs"),
    [
        ((), {}), ((1, "red", 3), {}), ((1,), {"radius": 2}), ((1,), {"weight": 2}),
        ((), {"colour": "red"}),
    ],
)  # fmt: skip
def test_wrong_arguments_are_refused_in_pythons_words(args, kwargs):
    with pytest.raises(TypeError) as ours:
        Ball(*args, **kwargs)
    with pytest.raises(TypeError) as pythons:
        function(None, *args, **kwargs)
    expected = str(pythons.value)
    assert str(ours.value) == expected.replace("function()", "Ball.__init__()")


def test_several_missing_arguments_are_listed_as_python_lists_them():
    with pytest.raises(TypeError, match="missing 3 required positional arguments: "
                       "'initial_learning_rate', 'decay_steps', and 'decay_rate'"):  # fmt: skip
        tf.keras.optimizers.schedules.ExponentialDecay()


def test_a_class_with_a_constructor_of_its_own_keeps_it():
    class Moon(Ball):
        def __init__(self, phase):
            super().__init__(1.0)
            self.phase = phase

    assert list(inspect.signature(Moon).parameters) == ["phase"]
    assert Moon(0.5).colour == "red"


def test_a_setting_without_default_behind_one_with_a_default_is_refused():
    with pytest.raises(ValueError, match="non-default argument follows default argument"):

        class Wrong(Ball):
            weight: float = setting()


def test_settings_are_no_attributes_of_the_class():
    assert not hasattr(Ball, "radius")
    assert not hasattr(tf.keras.losses.Huber, "delta")
