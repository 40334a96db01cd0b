"""A question is about one problem; what was accepted solves it, and other answers fail or miss it visibly.

Texts are taken apart phrase by phrase. What no phrase of the problem and no filler explains is a fault.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator

from worksmith.evals.kinds.enterprise.facts import Facts, Record
from worksmith.tools.kinds.enterprise.generate.talk.forum import Problem, forum_problems, pattern, problem_of
from worksmith.tools.kinds.enterprise.generate.wording import texts

_KEY = r"[A-Z]{3}-\d+"
_SLOT = re.compile(r"\{[a-z_]+\}")


def incoherent_thread(post: Record, facts: Facts) -> Iterator[str]:
    """What does not belong to the problem of the question, or of the question that an answer is given to."""
    if post["post_type"] == "question":
        yield from _question(post, facts)
        return
    question = facts.get("overflow", post["parent_id"])
    problem = _problem(question) if question else None
    if question is None or problem is None:
        yield "it answers no known problem"
    elif _verdict(post["body"], problem, question) is None:
        yield f"it neither solves the problem {problem.titles[0]!r} nor fails in a way that can be seen"


def _question(post: Record, facts: Facts) -> Iterator[str]:
    problem = _problem(post)
    if problem is None:
        yield "its title names no known problem"
        return
    name, words = problem.titles[0], texts("overflow/words")
    if not post["tags"].startswith(problem.skill.lower()):
        yield f"the problem {name!r} is one of {problem.skill}"
    if not any(_found(happens, problem, post["body"]) for happens in problem.happens):
        yield f"what happens is not the problem {name!r}"
    filler = (*words["context"]["lines"], *words["context"]["ask"], *words["say"]["error_code"])
    rest = _without(post["body"], problem, *problem.happens, *problem.tried, *filler)
    if rest:
        yield f"{rest!r} does not belong to the problem {name!r}"
    accepted = facts.get("overflow", post["accepted_answer_id"]) if post["accepted_answer_id"] else None
    if accepted is not None and _verdict(accepted["body"], problem, post) != "helps":
        yield f"the accepted answer {accepted['post_id']} does not solve the problem {name!r}"


def _verdict(body: str, problem: Problem, question: Record) -> str | None:
    """Whether an answer helps, fails or is about something else; None where it cannot be told."""
    words = texts("overflow/words")
    by, reply = words["comment"]["by"], words["comment"]
    for fix, code in problem.fixes:
        if _found(f"{fix}.", problem, body):
            about = (*_stating(fix), *problem.why, code, *words["answer"]["first"])
            return None if _without(body, problem, *about, *words["answer"]["last"]) else "helps"
    for fix, failed in problem.wrong:
        if _found(f"{fix}.", problem, body):
            replies = [form.replace("{failed}", failed) for form in reply["failed"]]
            seen = any(_found(form, problem, body) for form in replies)
            return "fails" if seen and not _without(body, problem, *_stating(fix), *by, *replies) else None
    other = _other(body, problem)
    if other is None or f'"{_title(question)}"' not in body:
        return None
    leads = [form.replace("{other}", title) for form in words["answer"]["other"] for title in other.titles]
    replies = [form.replace("{title}", _title(question)) for form in reply["elsewhere"]]
    stated = (said for fix, _ in other.fixes for said in _stating(fix))
    return None if _without(body, other, *leads, *stated, *by, *replies) else "elsewhere"


def _other(body: str, problem: Problem) -> Problem | None:
    """Another problem of the skill that an answer names and solves."""
    quoted = body.partition('"')[2].partition('"')[0]
    for one in forum_problems():
        named = any(_whole(title, one, quoted) for title in one.titles)
        if named and one is not problem and one.skill == problem.skill:
            return one if any(_found(f"{fix}.", one, body) for fix, _ in one.fixes) else None
    return None


def _problem(question: Record) -> Problem | None:
    with contextlib.suppress(KeyError):
        return problem_of(_title(question))
    return None


def _title(question: Record) -> str:
    """The title without the error code."""
    for form in texts("overflow/words")["title"]["lines"]:
        pattern = re.escape(form).replace(r"\{title\}", "(.+)").replace(r"\{error_code\}", _KEY)
        if found := re.fullmatch(pattern, question["title"]):
            return found[1]
    return question["title"]


def _stating(fix: str) -> list[str]:
    return [form.replace("{fix}", fix) for form in texts("overflow/words")["say"]["fix"]]


def _found(form: str, problem: Problem, text: str) -> bool:
    return _may_stand(form, text) and bool(pattern(form, problem.skill).search(text))


def _whole(form: str, problem: Problem, text: str) -> bool:
    return bool(pattern(form, problem.skill).fullmatch(text))


def _without(text: str, problem: Problem, *forms: str) -> str:
    """What is left of a text without these phrases, the longest taken out first."""
    for form in sorted(filter(None, forms), key=len, reverse=True):
        if _may_stand(form, text):
            text = pattern(form, problem.skill).sub(" ", text)
    return " ".join(text.split())


def _may_stand(form: str, text: str) -> bool:
    """Whether the longest text between the slots is there: much faster than the pattern."""
    return max(_SLOT.split(form), key=len) in text
