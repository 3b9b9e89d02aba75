"""The rules of each federation as data, with the source of every number beside it.

WBGF is the World Backgammon Federation's text 2.1 of August 2023, which has the EBF's numbering and
is known here from quotations only: "quoted" marks what they say, the rest is as in the EBF's text.
EBF is the European federation's text (German, Solothurn), DBgF the Danish 1.3, NBgF the Norwegian
rules in force before 2024, US the American guide, US 2013 the clock rules of March 2013 that belong
to it, JBS the Japanese society. Comments say where a text is silent. No other module asks which
federation's rules are in force.
"""

from msgspec.structs import replace

from clock.match.rules import (
    MAX_LENGTH,
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
    Rules,
)
from clock.units import MINUTE_NS, SECOND_NS

# The choice of a reason begins at `unspecified` and wraps around. So the first ones are those that
# players need most, and the last one, needed when a flag has fallen, is one press to the left.
_FIRST = (Reason.UNSPECIFIED, Reason.GAME_OVER)
_LAST = (Reason.CLOCK_FAULTY, Reason.TIME_EXPIRED)

EBF = Rules(
    profile="ebf",
    time_per_point_ns=2 * MINUTE_NS,  # EBF 3.5(v), singles
    time_per_match_ns=0,  # EBF 3.5(vi): the formula has no constant
    delay_ns=12 * SECOND_NS,  # EBF 3.5(v), singles
    bank_step_ns=1,  # EBF 3.5(vi): exact
    method=Method.SIMPLE_DELAY,  # EBF 3.5(v): called Bronstein, defined as simple delay
    on_first_flag=FirstFlag.CONTINUE,  # EBF 4.3(iii): both players' times may run out
    overtime_ns=0,  # none in the text
    early_pickup=EarlyPickup.SKIP,  # EBF 4.1(v)(b): the delay is lost
    dice_taken=DiceTaken.RESUME,  # EBF 4.3(ii)(e): a right to stop, no more
    illegal_move=IllegalMove.WAIT,  # EBF 4.2(iii)(c): no move before the delay has run out
    not_decided_ns=0,  # EBF 4.3(ii)(g): the clock is restarted, no more
    lateness=Lateness.POINTS,  # EBF 2.2(iv)
    late_award=LateAward.MAY,  # EBF 2.2(iv): "kann"
    late_step_ns=5 * MINUTE_NS,  # EBF 2.2(iv)
    penalty_points_score=True,  # the text is silent; as in the other federations
    penalty_forfeit=True,  # EBF 2.2(iv): more than half the match length
    free_turn_kept=True,  # NBgF 4-1-6: roll, move and double "uten at klokken går"
    gin=Gin.BOTH_FLAGS,  # EBF 4.3(iii): "ein Spieler"
    both_flags=BothFlags.NO_CLOCK,  # EBF 4.3(iii)
    breaks=((15, 1), (MAX_LENGTH, 2)),  # EBF 2.2(ii)
    break_ns=5 * MINUTE_NS,  # EBF 2.2(ii)
    reasons=(
        *_FIRST,  # EBF 4.3(ii)(a)
        Reason.DIRECTOR_CALLED,  # EBF 4.3(ii)(c)
        Reason.EARLY_PICKUP,  # EBF 4.3(ii)(d)
        Reason.DICE_TAKEN,  # EBF 4.3(ii)(e)
        Reason.ILLEGAL_MOVE,  # EBF 4.3(ii)(f)
        Reason.GAME_DECIDED,  # EBF 4.3(ii)(g), agreed
        Reason.NOT_DECIDED,  # EBF 4.3(ii)(g), not agreed
        Reason.ROLL_DISPUTED,  # EBF 4.3(v), second sentence
        Reason.INVALID_ROLL,  # EBF 4.3(v), a die on the floor too
        *_LAST,  # EBF 3.7(ii), 4.3(iii)
    ),
)

WBGF = replace(  # known from quotations; what they do not say is as in the EBF's text
    EBF,
    profile="wbgf",
    time_per_point_ns=2 * MINUTE_NS,  # WBGF 3.5(v)(vi), quoted
    delay_ns=12 * SECOND_NS,  # WBGF 3.5(v), quoted: simple delay
    early_pickup=EarlyPickup.SKIP,  # WBGF 4.1(v)(b), quoted
    lateness=Lateness.EITHER,  # WBGF 2.2(iv), quoted: points, or the late player's clock
)

DBGF = replace(  # the same structure, numbers and paragraphs as the EBF, except:
    EBF,
    profile="dbgf",
    late_award=LateAward.SHALL,  # DBgF 2.2(iv): "tildeles"
    gin=Gin.BOTH_FLAGS_FLAGGED,  # DBgF 4.3(iii): "den spiller, hvis tid er løbet ud"
)

NBGF = replace(
    EBF,
    profile="nbgf",
    time_per_point_ns=2 * MINUTE_NS,  # NBgF 3-4-5, standard
    delay_ns=12 * SECOND_NS,  # NBgF 3-4-5, standard
    early_pickup=EarlyPickup.WARN,  # NBgF 4-1-5: a warning, then perhaps a time penalty
    dice_taken=DiceTaken.FREE_TURN,  # NBgF 4-1-6: "uten at klokken går"
    illegal_move=IllegalMove.FRESH,  # NBgF 4-2-3: restarted before the next move
    not_decided_ns=2 * MINUTE_NS,  # NBgF 4-3-2: PN, the time per point
    lateness=Lateness.START_CLOCK,  # NBgF 2-2-4
    late_award=LateAward.SHALL,  # NBgF 2-2-4: "vil medføre"
    late_step_ns=5 * MINUTE_NS,  # NBgF 2-2-4
    penalty_points_score=True,  # NBgF 2-3-1: bonus points
    penalty_forfeit=False,  # none in the text
    slow_play_step_ns=5 * MINUTE_NS,  # NBgF 2-3-1: "med 5 minutts mellomrom"
    gin=Gin.FLAGGED_PLAYER,  # NBgF 4-3-3
    both_flags=BothFlags.RESET,  # NBgF 4-3-3
    breaks=((11, 1), (21, 2), (MAX_LENGTH, 3)),  # NBgF 2-2-2, which leaves 19 to 21 open
    break_ns=5 * MINUTE_NS,  # NBgF 2-2-2
    reasons=(  # NBgF 4-3-2
        *_FIRST,
        Reason.DIE_ON_FLOOR,
        Reason.DIRECTOR_CALLED,
        Reason.EARLY_PICKUP,
        Reason.DICE_TAKEN,
        Reason.ILLEGAL_MOVE,
        Reason.GAME_DECIDED,
        Reason.NOT_DECIDED,
        *_LAST,  # NBgF 3-6, 4-3-3
    ),
)


def with_time_per_point(rules: Rules, time_per_point_ns: int) -> Rules:
    """Return the rules with another time per point.

    NBgF 4-3-2 awards this time for a game that was not decided; the other rules award nothing.
    """
    award_ns = time_per_point_ns if rules.not_decided_ns else 0
    return replace(rules, time_per_point_ns=time_per_point_ns, not_decided_ns=award_ns)


NBGF_HURTIG = replace(
    with_time_per_point(NBGF, MINUTE_NS),  # NBgF 3-4-5, example 1: 1'/poeng
    profile="nbgf-hurtig",
    delay_ns=12 * SECOND_NS,  # NBgF 3-4-5, example 1
)
NBGF_LYN = replace(
    with_time_per_point(NBGF, 12 * SECOND_NS),  # NBgF 3-4-5, example 2: 12"/poeng
    profile="nbgf-lyn",
    delay_ns=10 * SECOND_NS,  # NBgF 3-4-5, example 2
)
NBGF_ANALOG = replace(
    with_time_per_point(NBGF, 5 * MINUTE_NS),  # NBgF 3-4-5, example 3: 5'/poeng
    profile="nbgf-analog",
    time_per_match_ns=10 * MINUTE_NS,  # NBgF 3-4-5, example 3: 10'/kamp
    delay_ns=0,  # NBgF 3-4-5, example 3: no delay
)

US = replace(
    EBF,
    profile="us",
    time_per_point_ns=2 * MINUTE_NS,  # US 2013 2.1, the same formula in other words
    delay_ns=12 * SECOND_NS,  # US 2013 2.1
    early_pickup=EarlyPickup.SKIP,  # USBGF 2024: forfeit of the opponent's delay
    illegal_move=IllegalMove.FRESH,  # US 6.1: the turn is replayed; no waiting
    late_award=LateAward.SHALL,  # US 2.2.5: "very important that penalty points be awarded"
    late_step_ns=5 * MINUTE_NS,  # no number in the text; as EBF 2.2(iv)
    penalty_forfeit=False,  # none in the text
    no_drop_at_end=True,  # US 5.14
    gin=Gin.NEVER,  # none in the text
    breaks=((MAX_LENGTH, 1),),  # US 2.2.6
    break_ns=10 * MINUTE_NS,  # US 2.2.6
    reasons=(
        *_FIRST,  # US 2013 3.5
        Reason.GAME_DECIDED,  # US 2013 5.2(a), a concession taken
        Reason.NOT_DECIDED,  # US 2013 5.2(a), refused
        Reason.DIE_ON_FLOOR,  # US 2013 5.2(c)
        Reason.ILLEGAL_MOVE,  # US 2013 5.2(d)
        Reason.EARLY_PICKUP,  # US 2013 5.2(e)
        Reason.DICE_TAKEN,  # US 2013 5.2(e)
        Reason.DIRECTOR_CALLED,  # US 2013 5.2(f)
        *_LAST,
    ),
)
US_DOUBLES = replace(
    US,
    profile="us-doubles",
    time_per_point_ns=150 * SECOND_NS,  # US 2013 2.2: two and a half minutes
    delay_ns=18 * SECOND_NS,  # US 2013 2.2
)

USBGF = replace(  # rules for in-person play and rules options (2019, 2023), from quotations;
    US,  # what they do not say is as in the American guide and the clock rules of 2013
    profile="usbgf",
    time_per_point_ns=2 * MINUTE_NS,  # USBGF, quoted: by the mean of the points that both need
    delay_ns=12 * SECOND_NS,  # USBGF, quoted: simple delay
    overtime_called=True,  # USBGF options, quoted: the director is called, gives it and warns
    late_step_ns=5 * MINUTE_NS,  # USBGF, quoted: a point for each five minutes
    penalty_forfeit=True,  # USBGF, quoted: more than half of the match length
    gin=Gin.FLAGGED_PLAYER,  # USBGF, quoted: unless they "validly claim the game and match"
    breaks=tuple(
        (6 * count + 5, count) for count in range(MAX_LENGTH // 6 + 1)
    ),  # quoted: length/6
    break_ns=5 * MINUTE_NS,  # USBGF, quoted
)

JBS = replace(  # its published figures are the times; everything else is as in the EBF's rules
    EBF,
    profile="jbs",
    time_per_point_ns=150 * SECOND_NS,  # JBS: points x 2.5 minutes
    delay_ns=12 * SECOND_NS,  # JBS: 12 seconds a move
    bank_step_ns=MINUTE_NS,  # JBS: less than a minute is rounded up
    late_award=LateAward.SHALL,  # JBS 39 (old set): a point is lost for each five minutes
    late_step_ns=5 * MINUTE_NS,  # JBS 39 (old set)
    penalty_points_score=True,  # JBS 39 (old set): added to the opponent's points
    penalty_forfeit=False,  # none in the text
)

PROFILES: dict[str, Rules] = {
    rules.profile: rules
    for rules in (
        *(WBGF, EBF, DBGF, NBGF, NBGF_HURTIG, NBGF_LYN, NBGF_ANALOG),
        *(US, US_DOUBLES, USBGF, JBS),
    )
}

SUPERSEDED = "superseded by wbgf on 1 January 2024"
TEXTS = {  # what a director should know of the text behind a profile
    "wbgf": "from quotations of WBGF 2.1",
    "usbgf": "from quotations of the USBGF's rules of 2019 and 2023; the rest is as in us",
    **dict.fromkeys((name for name in PROFILES if name.startswith("nbgf")), SUPERSEDED),
}


def breaks_allowed(rules: Rules, length: int) -> int:
    """Return the breaks that each player may take in a match to `length` points."""
    return next((count for longest, count in rules.breaks if length <= longest), 0)
