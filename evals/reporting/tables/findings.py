"""The findings of a study in sentences that claim no more than its data, the most important first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from statistics import median

from worksmith.evals.records.groups import group_records
from worksmith.evals.records.record import ASR, PRIMARY, STRICT, EpisodeRecord
from worksmith.evals.records.summary import Summary, on_tasks
from worksmith.evals.records.verdicts import JUDGE, JUDGED
from worksmith.evals.reporting.html.templates import short
from worksmith.evals.reporting.tables.areas import HEADINGS, counted
from worksmith.evals.reporting.tables.costs import dollars_an_episode, dollars_in_all
from worksmith.evals.reporting.tables.failure_modes import title_of
from worksmith.evals.running.study import Row, Study, difference
from worksmith.evals.scoring.procedure import PROCEDURE
from worksmith.evals.statistics import NOTHING, Interval
from worksmith.evals.statistics.power import seen
from worksmith.evals.table import number, percent, points, share

_FEWEST = 6
"""With fewer tasks or intents no two-sided test at 5 % can show a difference."""

CHANGED = "unwanted_side_effects"


def findings(study: Study) -> tuple[str, ...]:
    """The answer to "is it better", then what else decides about the leading program."""
    return (*conclusions(study), *_of_leading(study))


def conclusions(study: Study) -> tuple[str, ...]:
    """What the comparison shows: of compiling first, then of a winner."""
    if all(row.summary.graded == 0 for row in candidates(study)):
        return (f"Nothing was measured: all episodes were lost, {_first(study)}.",)
    compiled = compiled_pairs(study)
    return (*_compiling(compiled), *_best(study, compared=bool(compiled)))


def candidates(study: Study) -> list[Row]:
    """The programs that can win: no baselines and no ablations, and none of which every episode was lost."""
    found = [row for row in study.rows if not row.arm.baseline and not row.arm.without]
    return [row for row in found if row.summary.graded] or found or list(study.rows)


def compiled_pairs(study: Study) -> list[tuple[Row, Row, Interval]]:
    """Each compiled program with the same one uncompiled, as far as both were measured."""
    return [
        (row, base, found)
        for row, base, found in study.compiled
        if found.n and row.summary.graded and base.summary.graded
    ]


def leading(study: Study) -> Row:
    """The program that the findings are about: the best that compiling lifted, else the best compiled one.

    Where nothing was compiled it is the best candidate.
    """
    compiled = compiled_pairs(study)
    rows = [row for row, _, found in compiled if shown(found) > 0] or [row for row, *_ in compiled]
    return max(rows or candidates(study), key=_strict)


def before(study: Study) -> Row | None:
    """The program that the leading one is compared with."""
    first, row = study.before(leading(study)), leading(study)
    others = [each for each in candidates(study) if each is not row]
    return first or (max(others, key=_strict) if others else None)


def measured(study: Study) -> str:
    """The tasks of a study, with intents and attempts."""
    first = study.rows[0]
    intents = {record.intent for record in first.result.records} - {None, ""}
    of = f" of {len(intents)} intent{'s' if len(intents) > 1 else ''}" if intents else ""
    attempts = f", {first.result.trials} attempts at each" if first.result.trials > 1 else ""
    counts, _, lost = on_tasks(*(row.summary for row in study.rows)).partition(", ")
    return f"{counts}{of}{attempts}" + (f", {lost}" if lost else "")


def cost(study: Study) -> str:
    """What the episodes of all programs took together; baselines ask no model."""
    results = [row.result for row in study.rows if not row.arm.baseline]
    totals = [result.summary.totals for result in results]
    calls, tokens = (sum(each.get(name, 0) for each in totals) for name in ("model_calls", "used_tokens"))
    if any(result.summary.uncounted for result in results):
        return "not counted: a program asked models of its own"
    if not calls or not tokens:
        return f"{calls:,.0f} model calls" if calls else "cost unknown"
    paid = [dollars_in_all(result) for result in results if result.summary.totals.get("used_tokens")]
    known = sum(price for price in paid if price is not None)
    price = f"{known:,.4g} dollars" if known and None not in paid else "price unknown"
    return f"{calls:,.0f} model calls, {tokens:,.0f} tokens, {price}"


def power(study: Study) -> str:
    """The size of a difference that a comparison like this one can show; empty without a comparison."""
    compared = [
        row.against_first.difference
        for row in study.rows
        if not row.arm.baseline and row.against_first and row.against_first.difference.n
    ]
    if not compared:
        return ""
    if max(map(_units, compared)) < _FEWEST:
        return f"Fewer than {_FEWEST} tasks or intents show no difference."
    tasks, size = max(found.n for found in compared), median(map(seen, compared))
    return f"{tasks} tasks show a difference of about {100 * size:.0f} points 8 times in 10 (at 5 %)."


def outcome_of(summary: Summary) -> Interval:
    """The outcome as differences take it: lost episodes count as wrong."""
    return summary.scores.get(STRICT if summary.errors else PRIMARY, NOTHING)


def shown(found: Interval) -> int:
    """The sign of a difference that is shown; 0 for one that is not."""
    if _units(found) < _FEWEST:
        return 0
    return 1 if found.low > 0 else -1 if found.high < 0 else 0


def _units(found: Interval) -> int:
    return found.groups or found.n


def _strict(row: Row) -> float:
    score = row.summary.scores.get(STRICT)
    return score.value if score and score.n else -1.0


def _compiling(compiled: Sequence[tuple[Row, Row, Interval]]) -> Iterator[str]:
    """Of several programs one sentence on all, with the one that says most."""
    lifted = [each for each in compiled if shown(each[2]) > 0]
    lowered = [each for each in compiled if shown(each[2]) < 0]
    if len(compiled) == 1:
        ((row, base, found),) = compiled
        how = "lifted" if lifted else "lowered" if lowered else ""
        message = f"{how} {base.arm.label}" if how else f"is not shown to change {base.arm.label}:"
        yield f"Compiling with {row.arm.optimizer} {message} {_from_to(row, base, found)}."
        return
    if lifted:
        row, base, found = max(lifted, key=lambda each: _strict(each[0]))
        count = f"{len(lifted)} of {len(compiled)} programs"
        yield f"Compiling lifted {count}; the best is {row.arm.label}: {_from_to(row, base, found)}."
    if lowered:
        row, base, found = min(lowered, key=lambda each: each[2].value)
        count = f"{len(lowered)} of {len(compiled)} programs"
        yield f"Compiling lowered {count}; the worst is {row.arm.label}: {_from_to(row, base, found)}."
    if compiled and not lifted and not lowered:
        row, base, found = max(compiled, key=lambda each: _strict(each[0]))
        yield (
            f"Compiling is not shown to change any of {len(compiled)} programs; "
            f"the best is {row.arm.label}: {_from_to(row, base, found)}."
        )


def _from_to(row: Row, base: Row, found: Interval) -> str:
    old, new = (share(each.summary.scores[STRICT].value) for each in (base, row))
    return f"{f'from {old} to {new}' if shown(found) else f'{old} and {new}'} %, {points(found)}"


def _best(study: Study, *, compared: bool) -> Iterator[str]:
    """The winner, if there is one; of two programs their difference, unless that was `compared` before."""
    rows, winner = candidates(study), study.winner
    if len(rows) == 1:
        outcome = rows[0].summary.scores.get(PRIMARY)
        if outcome:
            yield f"Outcome of {rows[0].arm.label}: {percent(outcome)} % on {measured(study)}."
    elif len(rows) == 2:
        if not compared:
            row, base = sorted(rows, key=_strict, reverse=True)
            found = difference(row, base)
            how = "is" if shown(found) else "is not shown to be"
            yield f"{row.arm.label} {how} better than {base.arm.label}: {_from_to(row, base, found)}."
    elif winner is not None:
        yield f"{winner.arm.label} is better than every other candidate."
    elif not compared or max(rows, key=_strict) is not leading(study):
        best = max(rows, key=_strict)
        yield (
            f"No program is shown to be better than all others; the best is {best.arm.label} "
            f"with {share(best.summary.scores[STRICT].value)} %."
        )


def _of_leading(study: Study) -> Iterator[str]:
    """Losses, and the failures, access, side effects and cost of the leading program."""
    lost, episodes = (
        sum(getattr(row.summary, name) for row in study.rows) for name in ("errors", "episodes")
    )
    row, base = leading(study), before(study)
    if not row.summary.graded:
        return
    if lost:
        yield f"{lost} of {episodes} episodes were lost, {_first(study)}; differences count them as wrong."
    graded = [record for record in row.result.records if record.graded]
    yield f"{row.arm.label} {_failures(graded)}."
    rates = [
        f"{HEADINGS[name]} {counted(rate)}"
        for name, rate in row.summary.rates.items()
        if rate.count or name == ASR
    ]
    if rates:
        yield f"Its failures of access, in %: {', '.join(rates)}."
    scores = row.summary.scores
    others = [f"{name} {percent(scores[name])}" for name in (JUDGE, JUDGED, PROCEDURE) if name in scores]
    if others:
        yield f"Its other scores, in %: {', '.join(others)}."
    if changed := sum(record.scores.get(CHANGED, 0.0) > 0 for record in graded):
        yield f"It changed what it should not in {changed} of {len(graded)} episodes."
    yield from _costs(row, base)


def _failures(graded: Sequence[EpisodeRecord]) -> str:
    wrong = [record for record in graded if record.scores.get(PRIMARY, 0.0) < 1]
    said = [f"fails in {len(wrong)} of {len(graded)} episodes"]
    faults = Counter(title_of(record.fault.kind) for record in wrong if record.fault)
    said += [f"most often {name} ({count})" for name, count in faults.most_common(1)]
    groups = group_records(graded, _intent)
    if wrong and len(groups) > 1:
        counts = Counter(map(_intent, wrong))
        worst = max(counts, key=lambda name: (counts[name] / len(groups[name]), counts[name]))
        said.append(f"worst in {worst or 'no intent'} ({counts[worst]} of {len(groups[worst])})")
    return ", ".join(said)


def _first(study: Study) -> str:
    """The reason of the first loss."""
    lost = next(record for row in study.rows for record in row.result.records if not record.graded)
    return f"the first to {short((lost.error or lost.status).partition(chr(10))[0], 80)}"


def _intent(record: EpisodeRecord) -> str:
    return record.intent or ""


def _costs(row: Row, base: Row | None) -> Iterator[str]:
    taken = [each.summary.means.get("used_tokens", 0.0) for each in (row, base) if each]
    if not taken[0] or any(each.summary.uncounted for each in (row, base) if each):
        return
    paid = [dollars_an_episode(each.result) for each in (row, base) if each]
    message = f"Its episode takes {number(taken[0], 0)} tokens"
    message += f" ({paid[0]:.2g} dollars)" if paid[0] else ""
    if base and taken[1]:
        message += f", {taken[0] / taken[1]:.2g} times those of {base.arm.label}"
    yield f"{message}."
