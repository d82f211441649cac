"""The site in German and Russian: pages, forms and mail follow the reader."""

import re
from collections.abc import Callable

import pytest
from django.core import mail
from django.test import Client
from django.urls import reverse
from django.utils.translation import ngettext, override

from leaderboard.mail import outbox
from leaderboard.organize import messages, phases
from leaderboard.results.scores import bracket, chance, with_sign
from leaderboard.submissions.models import Submission
from leaderboard.tasks.models import Message, Participation, Phase, Task
from leaderboard.teams.models import User
from leaderboard.web.templatetags.formats import grouped, units_in_words
from tests.leaderboard.small import both, one_wrong, scored

pytestmark = [pytest.mark.django_db, pytest.mark.one_stage]
Login = Callable[[User], Client]
RUSSIAN = {"HTTP_ACCEPT_LANGUAGE": "ru-RU,ru;q=0.9,en;q=0.5"}
BOARD = "/tasks/otters/test/board/"
HERE = {"Sec-Fetch-Site": "same-origin"}


def text(client: Client, address: str, status: int = 200, **headers: str) -> str:
    answer = client.get(address, **(headers or RUSSIAN))
    assert answer.status_code == status
    return answer.content.decode()


@pytest.fixture
def sent(phase: Phase, entry: Participation) -> Submission:
    return scored(phase, entry, both({"north": one_wrong()}))


def test_the_letters_of_a_page_are_asked_for_before_its_style(client: Client) -> None:
    """Those that come later move the lines that were painted without them."""
    for headers, files in (({"HTTP_ACCEPT_LANGUAGE": "de"}, 2), (RUSSIAN, 4)):
        before = text(client, "/", **headers)
        assert before.partition("stylesheet")[0].count(".woff2") == files


def test_a_page_is_in_the_language_of_the_browser(client: Client, task: Task) -> None:
    page = text(client, "/")
    assert '<html lang="ru"' in page
    assert "Соревнования" in page and "Открыты сейчас" in page
    german = text(client, "/", HTTP_ACCEPT_LANGUAGE="de-AT,de;q=0.9")
    assert '<html lang="de"' in german and "Rangliste" in german
    assert '<html lang="en-gb"' in text(client, "/", HTTP_ACCEPT_LANGUAGE="fi")


def test_the_switch_keeps_the_page_and_the_choice(client: Client, task: Task) -> None:
    there = {"language": "ru", "next": "/tasks/otters/?page=2"}
    answer = client.post(reverse("set-language"), there, headers=HERE)
    assert answer["Location"] == "/tasks/otters/?page=2"
    page = text(client, "/tasks/otters/", HTTP_ACCEPT_LANGUAGE="en")
    assert '<html lang="ru"' in page
    assert '<input type="hidden" name="next" value="/tasks/otters/">' in page


def test_the_switch_leads_to_no_other_site(client: Client) -> None:
    there = {"language": "ru", "next": "https://example.org/"}
    answer = client.post(reverse("set-language"), there, headers=HERE)
    assert answer["Location"] == "/"


def test_another_site_cannot_switch_the_language() -> None:
    browser = Client(headers={"Sec-Fetch-Site": "cross-site"})
    answer = browser.post(reverse("set-language"), {"language": "ru"})
    assert answer.status_code == 403
    assert not browser.cookies


def test_pages_vary_by_language_and_cookie(client: Client, sent: Submission) -> None:
    varies = client.get(BOARD, **RUSSIAN)["Vary"].lower()
    assert "accept-language" in varies and "cookie" in varies


def test_a_board_prints_its_numbers_in_the_readers_form(
    client: Client, sent: Submission
) -> None:
    page = text(client, BOARD)
    assert "Главная мера — LAS, по убыванию" in page
    assert "93,75" in page and "93.75" not in page
    assert "единственная система в зачёте" in page
    english = text(client, BOARD, HTTP_ACCEPT_LANGUAGE="en")
    assert "93.75" in english and "93,75" not in english
    german = text(client, BOARD, HTTP_ACCEPT_LANGUAGE="de")
    assert "93,75" in german and "93.75" not in german
    assert numbers(page) == numbers(german) == numbers(english)


@pytest.mark.parametrize(
    "language, count, parameters, interval, gain, chance_of_it, height",
    [
        ("en-gb", "1,400,000", "7,000.25", "[81.2, 84.0]", "−1.30", "< 0.001", "1e+21"),
        ("de", "1.400.000", "7.000,25", "[81,2; 84,0]", "−1,30", "< 0,001", "1e+21"),
        (
            "ru",
            "1\u202f400\u202f000",
            "7\u202f000,25",
            "[81,2; 84,0]",
            "−1,30",
            "< 0,001",
            "1e+21",
        ),
    ],
)
def test_a_number_is_written_as_in_its_language(
    language: str,
    count: str,
    parameters: str,
    interval: str,
    gain: str,
    chance_of_it: str,
    height: str,
) -> None:
    """As Duden, Rule K 137, and Milchin's handbook for editors have it."""
    with override(language):
        assert grouped(1_400_000) == count
        assert grouped(7000.25) == parameters
        assert grouped(1e21) == height
        assert count in units_in_words(1_400_000, "sentence")
        assert bracket(82.5, 81.2, 84.0, 1) == interval
        assert with_sign(-1.3, 2) == gain
        assert chance(0.0001) == chance_of_it


def test_files_keep_plain_figures_whoever_asks(
    client: Client, sent: Submission
) -> None:
    for address in (
        "/tasks/otters/test/board.csv",
        "/tasks/otters/test/board.md",
        "/tasks/otters/test/board.tex",
        f"/submissions/{sent.pk}/system.bib",
    ):
        english, russian = client.get(address), client.get(address, **RUSSIAN)
        assert english.status_code == 200, address
        assert russian.content == english.content
        assert b"93.75" in english.content or b"0.9375" in english.content
    page = text(client, f"/submissions/{sent.pk}/system/")
    assert "93,75" in page and "93.75 [" in page.partition("@misc")[2]


@pytest.mark.parametrize("page", ["board/", "charts/", "charts/?chart=measures"])
def test_drawings_keep_their_places(
    client: Client, sent: Submission, page: str
) -> None:
    address = f"/tasks/otters/test/{page}"
    english = text(client, address, HTTP_ACCEPT_LANGUAGE="en")
    assert places(text(client, address)) == places(english) != []


def places(page: str) -> list[str]:
    return re.findall(r'\s(?:x|y|width|height|d|points|viewBox)="([^"]*)"', page)


def numbers(page: str) -> list[str]:
    """Numbers that drawings and scripts read from attributes."""
    start, end = page.index("<table"), page.index("</table>")
    quoted = page[start:end].split('"')[1::2]
    return [one for one in quoted if one[:1].isdigit()]


def test_a_submission_speaks_russian(
    as_user: Login, ben: User, sent: Submission
) -> None:
    page = text(as_user(ben), f"/submissions/{sent.pk}/")
    assert "Оценена" in page and "Файлы" in page


def test_a_form_refuses_in_russian(as_user: Login, cy: User, task: Task) -> None:
    answer = as_user(cy).post("/tasks/otters/join/", {"name": ""}, **RUSSIAN)
    assert "Дайте команде название." in answer.content.decode()


@pytest.mark.parametrize(
    "n, said", [(1, "1 единица"), (2, "2 единицы"), (5, "5 единиц")]
)
def test_numbers_bend_the_words(n: int, said: str) -> None:

    with override("ru"):
        found = ngettext("%(n)s unit", "%(n)s units", n) % {"n": n}
    assert found == said


def test_a_person_who_asks_for_a_password_is_answered_in_russian(
    client: Client, ben: User
) -> None:
    client.post("/accounts/password/reset/", {"email": ben.email}, **RUSSIAN)
    outbox.send()
    (message,) = mail.outbox
    assert "парол" in message.body


def test_programs_and_files_get_english(
    as_user: Login, ben: User, sent: Submission
) -> None:
    browser = as_user(ben)
    for address in (
        "/api/v1/tasks/otters/test/board/",
        f"/submissions/{sent.pk}/receipt/north/",
        "/tasks/otters/test/kit/",
    ):
        russian = browser.get(address, **RUSSIAN)
        assert russian.status_code == 200
        assert russian["Content-Language"] == "en-gb"
        english = browser.get(address, headers={"Accept-Language": "en"})
        assert russian.content == english.content


def test_what_stands_in_the_public_log_is_english(
    ada: User, phase: Phase, client: Client
) -> None:

    with override("ru"):
        later = phase.closes.replace(year=phase.closes.year + 1)
        notice = phases.move_end(phase, later, "", ada, expected=phase.closes)
    assert " closes " in notice.text and " instead of " in notice.text


def test_a_choice_is_kept_for_mail_by_the_account(as_user: Login, ben: User) -> None:
    browser = as_user(ben)
    for language in ("ru", "xx"):
        browser.post(reverse("set-language"), {"language": language}, headers=HERE)
    ben.refresh_from_db()
    assert ben.language == "ru"
    assert "Русский ·" in text(browser, reverse("profile"))


def test_who_signs_in_brings_the_language_along(client: Client, ben: User) -> None:
    def sign_in(accepts: str) -> str:
        there = {"login": ben.email, "password": "stones-in-the-river"}
        answer = client.post("/accounts/login/", there, HTTP_ACCEPT_LANGUAGE=accepts)
        assert answer.status_code == 302
        client.logout()
        ben.refresh_from_db()
        return ben.language

    ben.set_password("stones-in-the-river")
    ben.save()
    assert sign_in("ru") == "ru"
    assert sign_in("en") == "ru", "a browser's language is no choice"
    client.cookies["django_language"] = "en-gb"
    assert sign_in("ru") == "en-gb"


def test_mail_of_the_site_is_in_the_language_of_its_reader(
    sent: Submission, ben: User, ada: User
) -> None:
    User.objects.filter(pk=ben.pk).update(language="ru")
    letter = Message(task=sent.phase.task, by=ada, subject="News", text="We moved.")
    messages.write_message(letter)
    assert outbox.send("result") == outbox.send("message") == 1
    result, news = mail.outbox
    assert "otter-1: Оценена" in result.subject and "93,75 [" in result.body
    assert "Оценена" in result.body
    assert "We moved." in news.body and "Написали организаторы" in news.body


def test_mail_to_whoever_speaks_nothing_the_site_does_is_english(
    sent: Submission, ben: User
) -> None:
    User.objects.filter(pk=ben.pk).update(language="fi")
    with override("ru"):
        outbox.send("result")
    assert "Scored" in mail.outbox[0].subject


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 403),
        ({"Origin": "http://testserver"}, 302),
        ({"Referer": "http://testserver/tasks/"}, 302),
        ({"Sec-Fetch-Site": "same-origin", "Origin": "null"}, 302),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Origin": "https://evil.example.net"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://testserver.evil.example.net"}, 403),
        ({"Referer": "https://evil.example.net/http://testserver/"}, 403),
    ],
)
def test_no_other_site_chooses_the_language(
    headers: dict[str, str], status: int, db: None
) -> None:
    browser = Client(headers=headers)
    answer = browser.post(reverse("set-language"), {"language": "ru"})
    assert answer.status_code == status
    assert bool(browser.cookies) == (status == 302)
