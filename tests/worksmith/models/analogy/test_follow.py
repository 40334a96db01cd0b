"""What the engine learns from demonstrations, on a world that it has never seen."""

from __future__ import annotations

from tests.worksmith.models.analogy.garden import Show, call, job


def found(name: str, badge: str) -> tuple[tuple[str, dict[str, str]], list[str]]:
    return ("staff.find_badge", {"name": name}), [badge]


def searched(badge: str, *jobs: dict[str, str]) -> tuple[tuple[str, dict[str, str]], list[dict[str, str]]]:
    return ("jobs.search", {"badge": badge}), list(jobs)


def dropped(number: int) -> tuple[tuple[str, dict[str, str]], str]:
    return ("jobs.drop", {"job_id": f"{number:06}"}), "Dropped."


FIRST = [
    Show(
        "Drop the oldest job of Ines.",
        [found("Ines", "b-71"), searched("b-71", job(41, "2031-05-20"), job(7, "2031-05-28")), dropped(41)],
    ),
    Show(
        "Please drop Milo's oldest job.",
        [found("Milo", "b-14"), searched("b-14", job(3, "2031-05-17"), job(99, "2031-06-01")), dropped(3)],
    ),
]
EACH = [
    Show(
        "Drop all jobs of Ines.",
        [
            found("Ines", "b-71"),
            searched("b-71", job(41, "2031-05-20"), job(7, "2031-05-28")),
            dropped(41),
            dropped(7),
        ],
    ),
    Show("Drop all jobs of Milo.", [found("Milo", "b-14"), searched("b-14")]),
    Show(
        "Drop all jobs of Vera.", [found("Vera", "b-02"), searched("b-02", job(5, "2031-05-17")), dropped(5)]
    ),
]


def dropping(name: str, rows: dict[int, str], *gone: int) -> Show:
    badge = f"b-{name}"
    jobs = [job(number, due) for number, due in rows.items()]
    steps = [found(name, badge), searched(badge, *jobs), *map(dropped, gone)]
    return Show(f"Drop the overdue jobs of {name}, all of them.", steps)


def rained(since: str, *values: int) -> tuple[tuple[str, dict[str, str]], dict[str, int]]:
    days = {f"2031-05-{14 - len(values) + n + 1:02}": value for n, value in enumerate(values)}
    return ("meters.rainfall", {"since": since, "until": "2031-05-14"}), days


def posted(title: str, body: str) -> tuple[tuple[str, dict[str, str]], str]:
    return ("board.post", {"title": title, "body": body}), "Posted."


RAIN = [
    Show(
        "If rainfall was more than 9 on any day since May 10, post 'Wet' saying 'Stay in'.",
        [rained("2031-05-10", 3, 12, 4), posted("Wet", "Stay in")],
    ),
    Show(
        "If rainfall was more than 20 on any day since May 9, post 'Flood' saying 'Get boats'.",
        [rained("2031-05-09", 3, 12, 4)],
    ),
    Show(
        "If rainfall was less than 2 on any day since May 11, post 'Dry' saying 'Use the hose'.",
        [rained("2031-05-11", 8, 1, 4), posted("Dry", "Use the hose")],
    ),
    Show(
        "If rainfall was less than 3 on any day since May 8, post 'Dust' saying 'Mulch now'.",
        [rained("2031-05-08", 8, 5, 4)],
    ),
]


def listed(kind: str) -> tuple[tuple[str, dict[str, str]], list[dict[str, str]]]:
    return ("jobs.search", {"badge": "b-1", "kind": kind}), []


LISTED = [
    Show("Show the weeding jobs and the pruning jobs of b-1.", [listed("weeding"), listed("pruning")]),
    Show("Show the watering jobs and the weeding jobs of b-1.", [listed("watering"), listed("weeding")]),
    Show("Show the pruning jobs of b-1, and those of watering.", [listed("pruning"), listed("watering")]),
    Show("Show the pruning jobs of b-1.", [listed("pruning")]),
]


def test_name_is_taken_from_the_task() -> None:
    assert call(FIRST, Show("Please drop Quentin's oldest job.")) == ("staff.find_badge", {"name": "Quentin"})


def test_name_in_small_letters_and_other_words() -> None:
    tool, arguments = call(FIRST, Show("can you drop the oldest job of quentin"))

    assert (tool, arguments) == ("staff.find_badge", {"name": "quentin"})


def test_value_is_taken_from_the_observation() -> None:
    episode = Show("Drop the oldest job of Quentin.", [found("Quentin", "b-88")])

    assert call(FIRST, episode) == ("jobs.search", {"badge": "b-88"})


def test_first_row_is_chosen_where_demonstrations_choose_it() -> None:
    steps = [found("Quentin", "b-88"), searched("b-88", job(60, "2031-05-16"), job(61, "2031-05-19"))]

    assert call(FIRST, Show("Drop the oldest job of Quentin.", steps)) == ("jobs.drop", {"job_id": "000060"})
    assert call(FIRST, Show("Drop the oldest job of Quentin.", [*steps, dropped(60)]))[0] == "stop"


def test_loop_goes_on_until_rows_are_used_up() -> None:
    rows = [job(n, "2031-05-20") for n in (60, 61, 62)]
    steps = [found("Quentin", "b-88"), searched("b-88", *rows)]

    for row in rows:
        reply = call(EACH, Show("Drop all jobs of Quentin.", steps))
        assert reply == ("jobs.drop", {"job_id": row["job_id"]})
        steps.append((reply, "Dropped."))

    assert call(EACH, Show("Drop all jobs of Quentin.", steps))[0] == "stop"


def test_empty_observation_takes_the_other_branch() -> None:
    steps = [found("Quentin", "b-88"), searched("b-88")]

    assert call(EACH, Show("Drop all jobs of Quentin.", steps))[0] == "stop"


def test_comparison_with_a_number_of_the_task_decides() -> None:
    wet = "If rainfall was more than 6 on any day since May 12, post 'Rain' saying 'Wear boots'."
    dry = "If rainfall was less than 6 on any day since May 12, post 'Rain' saying 'Wear boots'."
    posts = ("board.post", {"title": "Rain", "body": "Wear boots"})

    assert call(RAIN, Show(wet, [rained("2031-05-12", 2, 7, 5)])) == posts
    assert call(RAIN, Show(wet, [rained("2031-05-12", 2, 6, 5)]))[0] == "stop"
    assert call(RAIN, Show(dry, [rained("2031-05-12", 9, 5, 8)])) == posts
    assert call(RAIN, Show(dry, [rained("2031-05-12", 9, 6, 8)]))[0] == "stop"


def test_dates_are_read_relative_to_the_clock() -> None:
    query = Show("If rainfall was more than 6 on any day since May 2, post 'Rain' saying 'Wear boots'.")

    assert call(RAIN, query) == ("meters.rainfall", {"since": "2031-05-02", "until": "2031-05-14"})


def test_rows_are_filtered_as_demonstrations_filter_them() -> None:
    demos = [
        dropping("Ines", {1: "2031-05-11", 2: "2031-05-19", 3: "2031-05-02"}, 1, 3),
        dropping("Milo", {4: "2031-05-30", 5: "2031-05-16"}),
        dropping("Vera", {6: "2031-06-30", 7: "2031-05-14"}, 7),
    ]
    rows = [job(20, "2031-05-15"), job(21, "2031-05-13"), job(22, "2031-05-29"), job(23, "2031-04-30")]
    steps = [found("Quentin", "b-88"), searched("b-88", *rows)]

    assert call(demos, Show("Drop the overdue jobs of Quentin, all of them.", steps))[1] == {
        "job_id": "000021"
    }
    steps.append(dropped(21))
    assert call(demos, Show("Drop the overdue jobs of Quentin, all of them.", steps))[1] == {
        "job_id": "000023"
    }
    steps.append(dropped(23))
    assert call(demos, Show("Drop the overdue jobs of Quentin, all of them.", steps))[0] == "stop"


def test_tool_is_chosen_by_the_words_that_go_with_it() -> None:
    sun = (
        ("meters.sunshine", {"since": "2031-05-10", "until": "2031-05-14"}),
        {"2031-05-13": 1, "2031-05-14": 3},
    )
    bright = "If hours of sun were more than 9 on any day since May 10, post 'Hot' saying 'Wear hats'."
    dim = "If hours of sun were less than 9 on any day since May 10, post 'Dim' saying 'Use lamps'."
    demos = [*RAIN, Show(bright, [sun]), Show(dim, [sun, posted("Dim", "Use lamps")])]
    query = Show("If hours of sun were less than 4 on any day since May 12, post 'Grey' saying 'Cheer up'.")

    assert call(demos, query) == ("meters.sunshine", {"since": "2031-05-12", "until": "2031-05-14"})


def test_stops_where_no_demonstration_has_been() -> None:
    steps = [found("Quentin", "b-88"), searched("b-88", job(1, "2031-05-20")), posted("Odd", "thing")]

    assert call(FIRST, Show("Drop the oldest job of Quentin.", steps))[0] == "stop"


def test_value_that_only_a_demonstration_read_is_never_reused() -> None:
    steps = [found("Quentin", "b-88"), (("jobs.search", {"badge": "b-88"}), "No such badge.")]

    assert call(FIRST, Show("Drop the oldest job of Quentin.", steps))[0] == "stop"


def test_nothing_is_made_up_for_a_call_that_the_task_does_not_ask_for() -> None:
    assert call(LISTED, Show("Show the weeding jobs of b-1.", [listed("weeding")]))[0] == "stop"
    assert call(LISTED, Show("Show the weeding jobs and the pruning jobs of b-1.", [listed("weeding")])) == (
        "jobs.search",
        {"badge": "b-1", "kind": "pruning"},
    )
