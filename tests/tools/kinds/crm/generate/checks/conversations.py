"""Checks of conversations: what is read from them is what was planned, and so is who broke which article."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from datetime import date

from worksmith.tools.generating.latent import Latent
from worksmith.tools.kinds.crm.generate.conversation_reader import (
    Heard,
    Hearing,
    Rules,
    Turn,
    hear,
    read_rules,
    turn_of_mail,
    turns_of_transcript,
    verdict,
)
from worksmith.tools.kinds.crm.generate.draft import Built
from worksmith.tools.kinds.crm.generate.industry import Industry

Record = dict[str, str | None]


def problems(built: Built) -> Iterator[str]:
    """Conversations that say something else than they should, or lead to another verdict."""
    talks = built.latents_of("conversation")
    keys = {policy.key: policy.article for policy in built.policies}
    articles = {str(record["Id"]): str(record["FAQ_Answer__c"]) for record in built.records("Knowledge__kav")}
    rules = {key: read_rules(articles[article], built.industry) for key, article in keys.items()}
    turns = turns_by_case(built)
    agents = {str(record["Id"]): str(record["Name"]) for record in built.records("User")}
    truths = built.latents_of("case")
    shapes = {product.id: product.shape for product in built.products}
    items = {str(item["Id"]): str(item["Product2Id"]) for item in built.records("OrderItem")}
    for case in built.records("Case"):
        key = str(case["Id"])
        talk, hearing = talks[key], hear(turns[key], built.industry)
        wanted = [agents[truths[key].facts["first_agent"]], agents[truths[key].facts["owner"]]]
        for problem in (
            *_facts(hearing, talk),
            *_people(hearing, wanted),
            *_concerns(hearing, talk),
            *_verdicts(case, hearing, talk, rules, keys),
            *_description(case, hearing, built.industry),
            *_unfit(built, case, turns[key], talk, shapes[items[str(case["OrderItemId__c"])]]),
        ):
            yield f"Case/{key}: {problem}"


def turns_by_case(built: Built) -> dict[str, list[Turn]]:
    """What was said by case, in the order of time."""
    turns: dict[str, list[Turn]] = defaultdict(list)
    for mail in sorted(built.records("EmailMessage"), key=lambda each: str(each["MessageDate"])):
        turns[str(mail["ParentId"])].append(turn_of_mail(mail, built.industry))
    for transcript in built.records("LiveChatTranscript"):
        turns[str(transcript["CaseId"])] = turns_of_transcript(str(transcript["Body"]))
    return turns


def _facts(hearing: Hearing, talk: Latent) -> Iterator[str]:
    if hearing.unclear:
        yield f"unclear sentences {hearing.unclear}"
    if hearing.products != {talk.facts["product"]}:
        yield f"speaks of {hearing.products}"
    if hearing.days != {talk.facts["day"]}:
        yield f"says that the order was on {hearing.days}"


def _people(hearing: Hearing, wanted: list[str]) -> Iterator[str]:
    """Whether first agent and owner spoke in this order; an open case may not have been answered yet."""
    handed = wanted[1:] if wanted[0] != wanted[1] else []
    if hearing.misnamed or hearing.announced != handed:
        yield f"hands over to {hearing.announced}, misnames {hearing.misnamed}"
    if hearing.agents != list(dict.fromkeys(wanted))[: len(hearing.agents)]:
        yield f"handled by {hearing.agents}"


def _concerns(hearing: Hearing, talk: Latent) -> Iterator[str]:
    found: dict[str, str] = {}
    for number, heard in enumerate(hearing.concerns, 1):
        found |= {f"{number}.{name}": value for name, value in _as_facts(heard).items()}
    wanted = {name: value for name, value in talk.facts.items() if name[0].isdigit()}
    if not talk.facts["1.remedy"]:
        found, wanted = {"1.issue": found["1.issue"]}, {"1.issue": wanted["1.issue"]}
    if found != wanted:
        yield f"says {found} instead of {wanted}"


def _as_facts(heard: Heard) -> dict[str, str]:
    remedy, amounts = heard.remedies[0] if len(heard.remedies) == 1 else ("", {})
    return {
        "issue": heard.issue,
        "gives": "true" if heard.given else "false",
        "remedy": remedy,
        "requested": "; ".join(sorted(heard.requested)),
        "refused": "; ".join(sorted(heard.refused)),
        **{name: str(value) for name, value in amounts.items()},
    }


def _verdicts(
    case: Record, hearing: Hearing, talk: Latent, rules: dict[str, Rules], keys: dict[str, str]
) -> Iterator[str]:
    ordered, opened = date.fromisoformat(talk.facts["day"]), date.fromisoformat(str(case["CreatedDate"])[:10])
    found = {
        (violation, keys[heard.issue])
        for heard in hearing.concerns
        for violation in verdict(heard, rules[heard.issue], (opened - ordered).days)
    }
    wanted = {(talk.facts["violation"], talk.facts["article"])} if talk.facts["violation"] else set()
    if found != wanted:
        yield f"breaks {found} instead of {wanted}"


def _description(case: Record, hearing: Hearing, industry: Industry) -> Iterator[str]:
    """Whether the description tells the same story as the conversation."""
    said = list(industry.conversations.read(str(case["Description"])))
    if any(not each.kind for each in said):
        yield f"unclear description {case['Description']}"
    issues = [each.kind.removeprefix("problem_") for each in said if each.kind.startswith("problem_")]
    if issues != [heard.issue for heard in hearing.concerns[:1]]:
        yield f"described as {issues}"


def _unfit(built: Built, case: Record, turns: list[Turn], talk: Latent, shape: str) -> Iterator[str]:
    """Sentences that are for products, issues or remedies other than those of the case."""
    grammar, facts = built.industry.conversations, talk.facts
    remedies = {facts.get(f"{number}.remedy", "") for number in (1, 2)}
    refused = any(facts.get(f"{number}.refused") for number in (1, 2))
    known = {shape, facts["1.issue"], *remedies, str(case["Origin"]).lower(), "" if refused else "granted"}
    said = [(each, facts["style"]) for turn in turns for each in grammar.read(turn.text)]
    for each, style in [*((e, "written") for e in grammar.read(str(case["Description"]))), *said]:
        if each.only and each.only.isdisjoint({*known, style}):
            yield f"{each.text!r} does not fit a {shape} or {facts['1.issue']}"
