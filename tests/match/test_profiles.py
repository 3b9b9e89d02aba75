"""The federations' numbers, against figures copied from their texts, not from the profiles."""

import pytest

from clock.match.durations import parse_duration
from clock.match.profiles import PROFILES, breaks_allowed, with_time_per_point
from clock.match.rules import (
    BothFlags,
    DiceTaken,
    EarlyPickup,
    FirstFlag,
    Gin,
    IllegalMove,
    LateAward,
    Lateness,
    Method,
    Reason,
)
from clock.units import SECOND_NS

NORWEGIAN = {"nbgf", "nbgf-hurtig", "nbgf-lyn", "nbgf-analog"}
AMERICAN = {"us", "us-doubles"}
NAMES = ["ebf", "dbgf", "nbgf", "nbgf-hurtig", "nbgf-lyn", "nbgf-analog", "us", "us-doubles", "jbs"]

SAME_EVERYWHERE = (Reason.UNSPECIFIED, Reason.GAME_OVER)
EBF_REASONS = (
    *SAME_EVERYWHERE,
    Reason.DIRECTOR_CALLED,
    Reason.EARLY_PICKUP,
    Reason.DICE_TAKEN,
    Reason.ILLEGAL_MOVE,
    Reason.GAME_DECIDED,
    Reason.NOT_DECIDED,
    Reason.INVALID_ROLL,
    Reason.CLOCK_FAULTY,
    Reason.TIME_EXPIRED,
)
NBGF_REASONS = (
    *SAME_EVERYWHERE,
    Reason.DIE_ON_FLOOR,
    Reason.DIRECTOR_CALLED,
    Reason.EARLY_PICKUP,
    Reason.DICE_TAKEN,
    Reason.ILLEGAL_MOVE,
    Reason.GAME_DECIDED,
    Reason.NOT_DECIDED,
    Reason.CLOCK_FAULTY,
    Reason.TIME_EXPIRED,
)
US_REASONS = (
    *SAME_EVERYWHERE,
    Reason.GAME_DECIDED,
    Reason.NOT_DECIDED,
    Reason.DIE_ON_FLOOR,
    Reason.ILLEGAL_MOVE,
    Reason.EARLY_PICKUP,
    Reason.DICE_TAKEN,
    Reason.DIRECTOR_CALLED,
    Reason.CLOCK_FAULTY,
    Reason.TIME_EXPIRED,
)


def family(name: str, norwegian: object, american: object, other: object) -> object:
    """What a profile is expected to say, by its federation."""
    if name in NORWEGIAN:
        return norwegian
    return american if name in AMERICAN else other


@pytest.mark.rule("R5")
def test_the_nine_profiles_are_there_under_their_own_names() -> None:
    """The names of the configuration file's contract, each the name in its own rules."""
    assert list(PROFILES) == NAMES
    assert [rules.profile for rules in PROFILES.values()] == NAMES


@pytest.mark.rule("R5")
@pytest.mark.parametrize(
    ("name", "time_per_point", "delay", "time_per_match", "bank_step"),
    [
        ("ebf", "2:00", "0:12", "0:00", 1),
        ("dbgf", "2:00", "0:12", "0:00", 1),
        ("nbgf", "2:00", "0:12", "0:00", 1),
        ("nbgf-hurtig", "1:00", "0:12", "0:00", 1),
        ("nbgf-lyn", "0:12", "0:10", "0:00", 1),
        ("nbgf-analog", "5:00", "0:00", "10:00", 1),
        ("us", "2:00", "0:12", "0:00", 1),
        ("us-doubles", "2:30", "0:18", "0:00", 1),
        ("jbs", "2:30", "0:12", "0:00", 60 * SECOND_NS),
    ],
)
def test_times(
    name: str, time_per_point: str, delay: str, time_per_match: str, bank_step: int
) -> None:
    """EBF 3.5(v), DBgF 3.5(v), NBgF 3-4-5, US 2013 2.1 and 2.2, JBS."""
    rules = PROFILES[name]
    assert rules.time_per_point_ns == parse_duration(time_per_point)
    assert rules.delay_ns == parse_duration(delay)
    assert rules.time_per_match_ns == parse_duration(time_per_match)
    assert rules.bank_step_ns == bank_step


@pytest.mark.rule("R12", "R48", "R49")
@pytest.mark.parametrize("name", NAMES)
def test_what_no_federation_asks_for_is_off(name: str) -> None:
    """No text has overtime or a freeze at the first flag; all define simple delay."""
    rules = PROFILES[name]
    assert rules.method is Method.SIMPLE_DELAY
    assert rules.on_first_flag is FirstFlag.CONTINUE
    assert rules.overtime_ns == 0


@pytest.mark.rule("R23", "R29", "R33", "R34")
@pytest.mark.parametrize("name", NAMES)
def test_irregular_handling(name: str) -> None:
    """EBF 4.1(v)(b), 4.2(iii)(c), 4.3(ii)(e); NBgF 4-1-5, 4-1-6, 4-2-3; US 6.1, USBGF 2024."""
    rules = PROFILES[name]
    skip, fresh = EarlyPickup.SKIP, IllegalMove.FRESH
    assert rules.early_pickup is family(name, EarlyPickup.WARN, skip, skip)
    assert rules.dice_taken is family(name, DiceTaken.FREE_TURN, DiceTaken.RESUME, DiceTaken.RESUME)
    assert rules.illegal_move is family(name, fresh, fresh, IllegalMove.WAIT)


@pytest.mark.rule("R36", "R37")
@pytest.mark.parametrize(
    ("name", "award"),
    [
        *((name, "0:00") for name in NAMES if name not in NORWEGIAN),
        ("nbgf", "2:00"),
        ("nbgf-hurtig", "1:00"),
        ("nbgf-lyn", "0:12"),
        ("nbgf-analog", "5:00"),
    ],
)
def test_award_for_a_game_not_decided(name: str, award: str) -> None:
    """NBgF 4-3-2: PN minutes, the preset's own time per point; nothing in the other texts."""
    assert PROFILES[name].not_decided_ns == parse_duration(award)


@pytest.mark.rule("R7", "R37")
def test_award_follows_another_time_per_point() -> None:
    """NBgF 4-3-2 awards the time per point that the match is played under."""
    minute_and_half_ns = parse_duration("1:30")
    changed = with_time_per_point(PROFILES["nbgf"], minute_and_half_ns)
    assert changed.not_decided_ns == changed.time_per_point_ns == minute_and_half_ns
    assert with_time_per_point(PROFILES["ebf"], minute_and_half_ns).not_decided_ns == 0


@pytest.mark.rule("R45", "R46", "R47")
@pytest.mark.parametrize("name", NAMES)
def test_when_time_has_run_out(name: str) -> None:
    """EBF 4.3(iii), DBgF 4.3(iii), NBgF 4-3-3: how play goes on, and which player may still win."""
    rules = PROFILES[name]
    other = Gin.BOTH_FLAGS_FLAGGED if name == "dbgf" else Gin.BOTH_FLAGS
    assert rules.gin is family(name, Gin.FLAGGED_PLAYER, Gin.NEVER, other)
    assert rules.both_flags is family(name, BothFlags.RESET, BothFlags.NO_CLOCK, BothFlags.NO_CLOCK)


@pytest.mark.rule("R59", "R61", "R62", "R63")
@pytest.mark.parametrize("name", NAMES)
def test_lateness(name: str) -> None:
    """EBF 2.2(iv) may give points, DBgF 2.2(iv) shall; NBgF 2-2-4 starts the clock; each 5:00."""
    rules = PROFILES[name]
    points = Lateness.POINTS
    assert rules.lateness is family(name, Lateness.START_CLOCK, points, points)
    assert rules.late_award is (LateAward.MAY if name == "ebf" else LateAward.SHALL)
    assert rules.late_step_ns == parse_duration("5:00")
    assert rules.penalty_points_score is True


@pytest.mark.rule("R52")
@pytest.mark.parametrize("name", ["ebf", "dbgf"])
@pytest.mark.parametrize(("length", "breaks"), [(1, 1), (15, 1), (16, 2), (99, 2)])
def test_breaks_of_ebf_and_dbgf(name: str, length: int, breaks: int) -> None:
    """EBF 2.2(ii), DBgF 2.2(ii): one up to 15 points, two above, of five minutes."""
    assert breaks_allowed(PROFILES[name], length) == breaks
    assert PROFILES[name].break_ns == parse_duration("5:00")


@pytest.mark.rule("R53")
@pytest.mark.parametrize("name", sorted(NORWEGIAN))
@pytest.mark.parametrize(
    ("length", "breaks"), [(11, 1), (12, 2), (13, 2), (19, 2), (21, 2), (22, 3), (23, 3), (99, 3)]
)
def test_breaks_of_nbgf(name: str, length: int, breaks: int) -> None:
    """NBgF 2-2-2: one up to 11, two above, three above 21; 19 to 21 never exceed the text."""
    assert breaks_allowed(PROFILES[name], length) == breaks
    assert PROFILES[name].break_ns == parse_duration("5:00")


@pytest.mark.rule("R54")
@pytest.mark.parametrize("name", sorted(AMERICAN))
@pytest.mark.parametrize("length", [1, 11, 25, 99])
def test_breaks_of_the_american_guide(name: str, length: int) -> None:
    """US 2.2.6: one of up to ten minutes, whatever the length."""
    assert breaks_allowed(PROFILES[name], length) == 1
    assert PROFILES[name].break_ns == parse_duration("10:00")


@pytest.mark.rule("R20", "R35")
@pytest.mark.parametrize("name", NAMES)
def test_reasons_stand_in_each_federations_own_order(name: str) -> None:
    """EBF 4.3(ii), DBgF 4.3(ii), NBgF 4-3-2, US 2013 5.2."""
    assert PROFILES[name].reasons == family(name, NBGF_REASONS, US_REASONS, EBF_REASONS)


@pytest.mark.rule("R20", "R43")
@pytest.mark.parametrize("name", NAMES)
def test_reasons_begin_unspecified_and_end_with_the_time_claim(name: str) -> None:
    """One press to the left of the first is the claim of time; a power loss cannot be chosen."""
    reasons = PROFILES[name].reasons
    assert reasons[0] is Reason.UNSPECIFIED
    assert reasons[1] is Reason.GAME_OVER
    assert reasons[-2:] == (Reason.CLOCK_FAULTY, Reason.TIME_EXPIRED)
    assert Reason.POWER_LOSS not in reasons
    assert len(set(reasons)) == len(reasons)


@pytest.mark.rule("R35")
def test_a_die_on_the_floor_is_a_reason_in_norway_and_america_only() -> None:
    """NBgF 4-3-2, US 2013 5.2(c); elsewhere an invalid roll, EBF 4.3(v)."""
    floor = {name for name in NAMES if Reason.DIE_ON_FLOOR in PROFILES[name].reasons}
    invalid = {name for name in NAMES if Reason.INVALID_ROLL in PROFILES[name].reasons}
    assert floor == NORWEGIAN | AMERICAN
    assert invalid == set(NAMES) - floor


@pytest.mark.rule("R5")
def test_no_profile_is_another_under_a_second_name() -> None:
    """Each federation's rules differ from every other's in more than their name."""
    nameless = {tuple(getattr(r, f) for f in r.__struct_fields__[1:]) for r in PROFILES.values()}
    assert next(iter(PROFILES.values())).__struct_fields__[0] == "profile"
    assert len(nameless) == len(NAMES)
