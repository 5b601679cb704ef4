"""Only who has the token comes in, under a name that is ours, with forms that are ours."""

from __future__ import annotations

import pytest

from tapelab.grading.server.access import AccessControl, is_loopback

HERE = AccessControl.for_host("127.0.0.1")


@pytest.mark.parametrize("path", ["/", "/roster", "/assignment?name=03", "/grades", "/nowhere",
                                  "/feedback?assignment=03&student=ada", "/report?name=03",
                                  "/explorer?assignment=03&attempt=digest-0&exercise=03.1",
                                  "/submission?assignment=03&student=ada"])  # fmt: skip
def test_without_the_token_every_page_says_where_to_come_in_and_nothing_else(stranger, path):
    said = stranger.get(path)
    assert said.status == 403
    assert "tapelab gradebook serve" in said.text
    assert not any(secret in said.text for secret in ("ada", "03", "course.db", "/roster"))


def test_a_wrong_token_opens_nothing_and_leaves_no_cookie(stranger, at):
    for token in ("x", at.access.token[:-1], at.access.token + "x", "%C3%A9"):
        said = stranger.get(f"/?token={token}")
        assert said.status == 403
        assert "The token is wrong" in said.text
        assert "Set-Cookie" not in said.headers


def test_the_token_gives_a_cookie_that_no_script_reads_and_no_other_site_sends(stranger, at):
    cookie = stranger.get(f"/?token={at.access.token}").headers["Set-Cookie"]
    assert cookie.startswith(f"tapelab-gradebook-{at.port}=")
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    assert at.access.token not in cookie


@pytest.mark.parametrize("session", ["", ".", "x", "x.y", "ä.ö"])
def test_a_session_that_was_not_given_out_is_unknown(session):
    assert not HERE.is_session(session)


def test_a_session_of_an_earlier_run_is_unknown():
    assert not AccessControl.for_host("127.0.0.1").is_session(HERE.new_session())
    assert HERE.is_session(HERE.new_session())


def test_a_form_belongs_to_one_session():
    one, other = HERE.new_session(), HERE.new_session()
    assert HERE.is_form_token(HERE.form_token(one), one)
    assert not HERE.is_form_token(HERE.form_token(one), other)


@pytest.mark.parametrize("host", ["127.0.0.1:80", "localhost", "LOCALHOST:1", "[::1]:8877"])
def test_a_server_of_this_computer_answers_to_its_own_names(host):
    assert HERE.is_accepted_host(host)


@pytest.mark.parametrize(
    "host",
    ["", "evil.example", "127.0.0.1.evil.example", "10.0.0.7", "localhost.evil.example:80", "[::1",
     "evil@127.0.0.2"],
)  # fmt: skip
def test_it_does_not_answer_to_names_that_others_point_at_it(host):
    assert not HERE.is_accepted_host(host)


def test_beyond_this_computer_numbers_are_names_and_foreign_names_are_not():
    access = AccessControl.for_host("0.0.0.0")
    assert access.is_accepted_host("192.168.0.7:8877")
    assert not access.is_accepted_host("evil.example:8877")


@pytest.mark.parametrize(
    ("host", "near"),
    [("127.0.0.1", True), ("::1", True), ("localhost", True), ("0.0.0.0", False), ("a.org", False)],
)
def test_it_is_known_which_hosts_only_this_computer_reaches(host, near):
    assert is_loopback(host) is near


def test_the_secrets_do_not_stand_in_what_is_printed_of_a_door():
    assert HERE.token not in repr(HERE)


def test_a_foreign_host_header_is_refused_even_with_the_cookie(teacher):
    said = teacher.get("/", Host="evil.example")
    assert said.status == 403
    assert "evil.example" in said.text
    assert "Assignments" not in said.text.split("<main")[1]
