"""Which names a loop of a function has to carry."""

from __future__ import annotations

import ast
import textwrap

import pytest

from tapelab.compile.autograph.name_liveness import live_names


def live_in_first_loop(source: str) -> frozenset[str]:
    body = ast.parse(textwrap.dedent(source)).body
    found = live_names(body)
    first = next(node for node in ast.walk(ast.Module(body, [])) if node in found)
    return found[first]


def test_a_name_that_each_round_binds_first_is_not_live():
    assert "x" not in live_in_first_loop("""
        for i in rows:
            x = i * 2
            total = total + x
        return total
    """)


def test_a_name_that_is_read_behind_the_loop_is_live():
    live = live_in_first_loop("""
        while n > 0:
            x = n
            n = n - 1
        return x
    """)
    assert live == {"n", "x"}


def test_a_name_that_one_branch_leaves_to_the_next_round_is_live():
    assert "x" in live_in_first_loop("""
        for i in rows:
            if i > 2:
                x = i
            print(x)
    """)


def test_a_name_that_is_bound_in_both_branches_is_not_live():
    assert "x" not in live_in_first_loop("""
        for i in rows:
            if i > 2:
                x = i
            else:
                x = -i
            print(x)
    """)


def test_a_name_is_live_where_a_jump_may_skip_its_binding():
    assert "x" in live_in_first_loop("""
        for i in rows:
            if i > 2:
                continue
            x = i
        return x
    """)


def test_a_name_of_a_lambda_or_a_comprehension_alone_is_not_live():
    live = live_in_first_loop("""
        for x in rows.map(lambda x, *y, z=w: x * 3 + n):
            total = total + x + sum([u for u in x])
        return total
    """)
    assert live == {"total", "w", "n"} | {"sum"}


@pytest.mark.parametrize("expression", ["(lambda x=x: x)()", "[x for x in x]", "sum(x for _ in i)"])
def test_a_name_that_a_lambda_or_a_comprehension_takes_from_the_function_is_live(expression):
    source = f"for i in rows:\n    y = {expression}\n    x = i + y"
    assert "x" in live_in_first_loop(source)


def test_a_name_in_a_closure_is_live():
    assert "x" in live_in_first_loop("""
        for i in rows:
            x = i
            later.append(lambda: x)
    """)


def test_two_loops_may_use_one_name_each_for_itself():
    assert "x" not in live_in_first_loop("""
        for i in rows:
            x = i
            total = total + x
        for j in rows:
            x = j
            total = total + x
        return total
    """)


def test_the_names_of_a_loop_inside_a_try_are_known():
    live = live_in_first_loop("""
        try:
            for i in rows:
                x = i
        except ValueError as error:
            x = error
        return x
    """)
    assert "x" in live


def test_an_added_value_is_carried_and_the_target_is_not():
    live = live_in_first_loop("""
        for i in rows:
            total += i
        return total
    """)
    assert "total" in live
    assert "i" not in live
