"""Launches and scores by LTI 1.3, against a platform on this computer: real HTTP, real keys."""

from __future__ import annotations

import time
from dataclasses import replace
from urllib.parse import parse_qs, urlsplit

import jwt
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from grading.formats.lti_platform import AGS, CLAIM, TestPlatform

from tapelab.grading.formats.lti import KeySet, Logins, LtiError, OwnKey, checked
from tapelab.grading.formats.lti_grades import GradeService

LAUNCH = "https://tapelab.example/launch"


@pytest.fixture(scope="module")
def keys():
    """Three real keys, which take a moment to make: the platform's, ours, and a stranger's."""
    return OwnKey.generate(), OwnKey.generate(), OwnKey.generate()


@pytest.fixture
def platform(keys):
    with TestPlatform(keys[0], keys[1]) as running:
        yield running


def begun(platform, logins, **changes):
    request = {"iss": platform.url, "login_hint": "h", "target_link_uri": LAUNCH,
               "client_id": "tool-1", "lti_message_hint": "m", **changes}  # fmt: skip
    url = logins.begin(platform.registered, request, LAUNCH)
    return {name: value for name, (value,) in parse_qs(urlsplit(url).query).items()}


def launched(platform, logins, requests, token, **more):
    form = {"state": requests["state"], "id_token": token, **more}
    keys = KeySet(platform.registered.keys_url)
    return logins.finish(platform.registered, keys, form, cookie=requests["state"])


def test_a_login_sends_the_learner_to_the_platform_with_all_that_it_asks_for(platform):
    requests = begun(platform, Logins())
    state, nonce = requests.pop("state"), requests.pop("nonce")
    assert requests == {
        "scope": "openid", "response_type": "id_token", "response_mode": "form_post",
        "prompt": "none", "client_id": "tool-1", "redirect_uri": LAUNCH, "login_hint": "h",
        "lti_message_hint": "m",
    }  # fmt: skip
    assert len(state) > 30
    assert len(nonce) > 30
    assert state != nonce


def test_a_launch_says_who_comes_and_where_the_score_goes(platform):
    logins = Logins()
    requests = begun(platform, logins)
    launch = launched(platform, logins, requests, platform.id_token(requests["nonce"]))
    assert (launch.user, launch.name, launch.resource, launch.title) == (
        "user-7", "Emmy Noether", "r-1", "Lesson 03",
    )  # fmt: skip
    assert launch.lineitem == f"{platform.url}/items/1?x=1"
    assert launch.roles == ("Learner",)


def test_a_launch_cannot_be_sent_again(platform):
    logins = Logins()
    requests = begun(platform, logins)
    token = platform.id_token(requests["nonce"])
    launched(platform, logins, requests, token)
    with pytest.raises(LtiError, match="used up"):
        launched(platform, logins, requests, token)


def test_a_token_of_another_login_is_refused(platform):
    logins = Logins()
    first, second = begun(platform, logins), begun(platform, logins)
    with pytest.raises(LtiError, match="another login"):
        launched(platform, logins, second, platform.id_token(first["nonce"]))


def test_a_login_begun_in_another_browser_is_refused(platform):
    logins = Logins()
    requests = begun(platform, logins)
    form = {"state": requests["state"], "id_token": platform.id_token(requests["nonce"])}
    with pytest.raises(LtiError, match="not begun in this browser"):
        logins.finish(platform.registered, KeySet(platform.url + "/keys"), form, cookie="other")


def test_a_login_that_takes_too_long_is_over(platform):
    now = [0.0]
    logins = Logins(clock=lambda: now[0])
    requests = begun(platform, logins)
    now[0] = 601.0
    with pytest.raises(LtiError, match="took too long"):
        launched(platform, logins, requests, platform.id_token(requests["nonce"]))
    begun(platform, logins)
    assert len(logins.store) == 1


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"aud": "tool-2"}, "Audience"),
        ({"aud": ["tool-1", "tool-2"]}, "for another tool"),
        ({"azp": "tool-2"}, "for another tool"),
        ({"exp": 1}, "expired"),
        ({"iss": "https://other.example"}, "issuer"),
        ({"iat": int(time.time()) + 3600}, "not yet valid"),
        ({"iat": int(time.time()) - 7200}, "too old"),
        ({"nonce": None}, 'missing the "nonce"'),
        ({"sub": None}, 'missing the "sub"'),
        ({f"{CLAIM}version": "1.1"}, "LTI 1.1"),
        ({f"{CLAIM}message_type": "LtiDeepLinkingRequest"}, "LtiDeepLinkingRequest"),
        ({f"{CLAIM}deployment_id": "d-2"}, "'d-2'"),
        ({f"{CLAIM}resource_link": {}}, "which resource"),
        ({"sub": ""}, "who the learner is"),
        ({f"{CLAIM}roles": "Instructor"}, "claim roles"),
        ({f"{CLAIM}roles": 7}, "claim roles"),
        ({f"{CLAIM}roles": [7]}, "claim roles"),
        ({f"{AGS}claim/endpoint": {"scope": "score"}}, "claim scope"),
        ({f"{AGS}claim/endpoint": {"scope": 7}}, "claim scope"),
        ({f"{CLAIM}version": None, "version": "1.3.0"}, "LTI None"),
        ({f"{CLAIM}resource_link": None, "resource_link": {"id": "r-2"}}, "which resource"),
    ],
)
def test_a_token_that_is_not_for_us_is_refused(platform, changes, said):
    logins = Logins()
    requests = begun(platform, logins)
    with pytest.raises(LtiError, match=said):
        launched(platform, logins, requests, platform.id_token(requests["nonce"], **changes))


def test_a_token_of_a_strangers_key_is_refused(platform, keys):
    logins = Logins()
    requests = begun(platform, logins)
    token = platform.id_token(requests["nonce"], key=keys[2])
    with pytest.raises(LtiError, match="a key that it does not publish"):
        launched(platform, logins, requests, token)


def test_a_strangers_key_under_the_platforms_name_is_refused(platform, keys):
    logins = Logins()
    requests = begun(platform, logins)
    claims = jwt.decode(platform.id_token(requests["nonce"]), options={"verify_signature": False})
    token = jwt.encode(claims, keys[2].pem, "RS256", headers={"kid": keys[0].id})
    with pytest.raises(LtiError, match="Signature verification failed"):
        launched(platform, logins, requests, token)


@pytest.mark.parametrize("algorithm", ["none", "HS256"])
def test_a_token_without_a_real_signature_is_refused(platform, keys, algorithm):
    logins = Logins()
    requests = begun(platform, logins)
    claims = jwt.decode(platform.id_token(requests["nonce"]), options={"verify_signature": False})
    secret = "x" * 32 if algorithm == "HS256" else None
    token = jwt.encode(claims, secret, algorithm, headers={"kid": keys[0].id})
    with pytest.raises(LtiError, match="not valid"):
        launched(platform, logins, requests, token)


@pytest.mark.parametrize("token", ["", "a.b.c", "x"])
def test_what_is_no_token_is_refused(platform, token):
    logins = Logins()
    with pytest.raises(LtiError, match="not valid"):
        launched(platform, logins, begun(platform, logins), token)


def test_a_platform_may_refuse(platform):
    logins = Logins()
    with pytest.raises(LtiError, match="refused: login_required"):
        launched(platform, logins, begun(platform, logins), "", error="login_required")


@pytest.mark.parametrize(
    ("changes", "said"),
    [({"iss": "https://other.example"}, "not registered"), ({"client_id": "x"}, "not ours"),
     ({"login_hint": ""}, "no login_hint")],
)  # fmt: skip
def test_a_login_of_a_platform_that_was_not_registered_is_refused(platform, changes, said):
    with pytest.raises(LtiError, match=said):
        begun(platform, Logins(), **changes)


def test_new_keys_are_fetched_and_unknown_ones_not_again_and_again(platform, keys):
    now = [0.0]
    known = KeySet(platform.url + "/keys", clock=lambda: now[0])
    known.key_of({"kid": keys[0].id})
    for _ in range(3):
        with pytest.raises(LtiError, match="does not publish"):
            known.key_of({"kid": keys[2].id})
    assert platform.requests == ["GET /keys"]
    platform.keys, now[0] = keys[2].published()["keys"], 61.0
    known.key_of({"kid": keys[2].id})


@pytest.mark.parametrize("url", ["http://lms.example/keys", "file:///etc/passwd", "ftp://x/y"])
def test_a_platform_is_reached_by_https_alone(url):
    with pytest.raises(LtiError, match="by https"):
        checked(url)


@pytest.fixture
def service(platform, keys):
    waits: list[float] = []
    generate = GradeService(platform.registered, keys[1], sleep=waits.append)
    generate.waits = waits
    return generate


def test_a_score_arrives_as_the_specification_has_it(platform, service):
    service.publish(f"{platform.url}/items/1?x=1", "user-7", 7.5, 10, comment="Well done")
    ((path, score),) = platform.scores
    assert path == "/items/1/scores?x=1"
    assert score.pop("timestamp").endswith("+00:00")
    assert score == {
        "userId": "user-7", "scoreGiven": 7.5, "scoreMaximum": 10, "comment": "Well done",
        "activityProgress": "Completed", "gradingProgress": "FullyGraded",
    }  # fmt: skip


def test_a_token_serves_for_all_scores(platform, service):
    for points in range(3):
        service.publish(f"{platform.url}/items/1", "user-7", points, 10)
    assert platform.requests.count("POST /token") == 1
    assert set(platform.tokens.values()) == {f"{AGS}scope/score"}


def test_a_line_item_is_made_once_and_found_again_on_a_later_page(platform, service):
    for label in ("a", "b", "c"):
        service.line_item(f"{platform.url}/items", label, 10, resource=label)
    again = service.line_item(f"{platform.url}/items", "c", 10, resource="c")
    assert (again.label, again.maximum, again.resource) == ("c", 10, "c")
    assert len(platform.items) == 3


@pytest.mark.parametrize("status", [429, 500, 503])
def test_what_may_go_well_a_moment_later_is_tried_again(platform, service, status):
    service.publish(f"{platform.url}/items/1", "user-7", 1, 2)
    platform.answers += [(status, {"Retry-After": "3"}), (status, {})]
    service.publish(f"{platform.url}/items/1", "user-7", 2, 2)
    assert [score["scoreGiven"] for _, score in platform.scores] == [1, 2]
    assert service.waits == [3.0, 2.0]


def test_a_platform_that_stays_down_is_given_up(platform, service):
    platform.answers += [(503, {})] * 5
    with pytest.raises(LtiError, match="refused with 503"):
        service.publish(f"{platform.url}/items/1", "user-7", 1, 2)
    assert service.waits == [1, 2, 4, 8]


def test_a_token_that_is_no_longer_taken_is_fetched_again(platform, service):
    service.publish(f"{platform.url}/items/1", "user-7", 1, 2)
    platform.tokens.clear()
    platform.tokens["used up"] = ""
    service.publish(f"{platform.url}/items/1", "user-7", 2, 2)
    assert len(platform.scores) == 2


def test_what_a_platform_forbids_is_reported_and_not_tried_again(platform, service):
    platform.answers += [(403, {})]
    with pytest.raises(LtiError, match=r"refused with 403: .*later"):
        service.publish(f"{platform.url}/items/1", "user-7", 1, 2)
    assert service.waits == []


def test_a_platform_that_knows_another_key_of_ours_says_so(platform, keys):
    service = GradeService(platform.registered, keys[2])
    with pytest.raises(LtiError, match="invalid_client"):
        service.publish(f"{platform.url}/items/1", "user-7", 1, 2)


@pytest.mark.parametrize("status", [301, 302, 307])
def test_a_token_follows_no_redirection(platform, service, status):
    platform.answers += [(status, {"Location": "http://127.0.0.1:9/steal"})]
    with pytest.raises(LtiError, match=f"refused with {status}"):
        service.publish(f"{platform.url}/items/1", "user-7", 1, 2)


def test_a_platform_that_is_gone_is_reported(platform, keys):
    waits: list[float] = []
    gone = replace(platform.registered, token_url="http://127.0.0.1:9/token")
    with pytest.raises(LtiError, match="cannot be reached"):
        GradeService(gone, keys[1], sleep=waits.append).publish("http://127.0.0.1:9/1", "u", 1, 2)
    assert len(waits) == 4


def test_a_score_out_of_nothing_is_no_score(platform, service):
    with pytest.raises(LtiError, match="not out of 0"):
        service.publish(f"{platform.url}/items/1", "user-7", 0, 0)


def short_key():
    """A real key of half the bits that are asked for."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=1024)
    pem = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    return OwnKey(pem.decode())


@pytest.mark.parametrize("change", [{"use": "enc"}, {"alg": "RSA-OAEP"}, {"kty": "oct", "k": "aa"}])
def test_a_key_for_another_use_proves_nothing(platform, change):
    platform.keys = [{**platform.keys[0], **change}]
    logins = Logins()
    requests = begun(platform, logins)
    with pytest.raises(LtiError, match="does not publish"):
        launched(platform, logins, requests, platform.id_token(requests["nonce"]))


def test_a_key_of_1024_bits_proves_nothing(platform):
    key = short_key()
    platform.keys = key.published()["keys"]
    logins = Logins()
    requests = begun(platform, logins)
    with (
        pytest.warns(jwt.InsecureKeyLengthWarning),
        pytest.raises(LtiError, match="does not publish"),
    ):
        launched(platform, logins, requests, platform.id_token(requests["nonce"], key=key))


@pytest.mark.parametrize(
    "other",
    [{"kty": "RSA", "kid": "new", "alg": "XX999"}, {"kty": "RSA", "kid": "new", "n": "?"},
     {"kty": "AKP", "kid": "new"}, {"kty": "RSA", "kid": "new", "alg": 7}],
    ids=repr,
)  # fmt: skip
def test_a_key_that_we_do_not_know_does_not_hide_the_others(platform, other):
    platform.keys = [other, *platform.keys]
    logins = Logins()
    requests = begun(platform, logins)
    token = platform.id_token(requests["nonce"])
    assert launched(platform, logins, requests, token).user == "user-7"
