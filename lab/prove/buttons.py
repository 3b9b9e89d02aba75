"""The three buttons: the session that the box runs, and the pages of every state that is met.

A `Box` is such a session in a world without a disk: it answers what the session wants of the world
(`clock/session.py`), and decides nothing itself. What is searched:

- *Players' buttons*: all that the buttons can do in a match to one point, with time passing. The
  director's menu is opened and left; its pages are searched by themselves. With a code and presets
  the same is searched up to `CODE_ACTS` acts.
- *Director's pages*: for one match of each kind that the players come to, every item of the menu up
  to `FORM_ACTS` presses, and the pages after the ruling. A plunger turns a number or a time to its
  ends, and a list of more than `NEAR` reasons to its ends: what lies between is reached by presses
  of the same kind, and shown with as many digits or fewer.
"""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from itertools import islice
from typing import Any, NamedTuple

from msgspec import structs

from clock import session as clock_session
from clock.config.settings import Preset
from clock.eventlog.fingerprint import Shown
from clock.match import inputs
from clock.match.events import OfferRefusedEvent, PressedEvent, Record, Writer
from clock.match.inputs import (
    CentrePressed,
    Input,
    LanguageWanted,
    MatchEnded,
    MatchWanted,
    Noted,
    Restored,
    ResumeMatchWanted,
    TimePassed,
)
from clock.match.machine import advance, changes_nothing
from clock.match.profiles import PROFILES
from clock.match.rules import Offer, Rules
from clock.match.state import MatchState
from clock.match.types import Button, Crawford, Pair, Side
from clock.session import Done, ListMatches, MatchBegun, Session, SettingsFile, Step
from clock.ui import dialogue as ui_dialogue
from clock.ui import pages
from clock.ui.descriptions import event_lines
from clock.ui.dialogue import (
    HOLD_NS,
    SAME_MOMENT_NS,
    TURN_PHASES,
    Answer,
    ButtonMoved,
    CodePage,
    Dialogue,
    FormPage,
    MenuPage,
    Page,
    PresetPage,
    ResumeMatchPage,
    offered_items,
    proposed_ruling,
    refuses_offer,
)
from clock.ui.face import View
from clock.ui.forms import TIME_PLACES, Choice, Entry, Number, Time
from clock.ui.i18n import ABOUT_LINES, KEY_LENGTH, LANGUAGES, LINE_LENGTH, sayer
from clock.ui.menu_fields import reserves_to_give_back
from clock.units import SECOND_NS as STEP_NS
from hardware.face import Face, Keys
from lab.prove.machine import beginning, form, small
from lab.prove.part import Part, Search
from lab.prove.search import NO_EXCEPTION, Law, Subject
from lab.support.faults import Fault, replaced, seeded, text, wrapped

WRITER = Writer("0")
SHOWN = Shown("0123456789abcdef" * 2, 7, Pair(0, 0))  # the latest line of the log
SAY = tuple(sayer(language) for language in LANGUAGES)
MOST_DUE = 100  # flags, steps of lateness and ends of matches in one step of time
NEAR = 7  # options of a choice that are all turned through


class Box:
    """A session, what its latest step has done, and whether the centre is down."""

    __slots__ = ("done", "form", "is_down", "session")

    def __init__(
        self, session: Session, done: tuple[Done, ...] = (), *, is_down: bool = False
    ) -> None:
        self.session, self.done, self.is_down = session, done, is_down
        dialogue = _dialogue_form(session.dialogue, session.state.at_ns)
        told = session.notice is not None
        self.form = (_match_form(session.state), dialogue, is_down, told)

    @property
    def state(self) -> MatchState:
        """The match."""
        return self.session.state

    @property
    def dialogue(self) -> Dialogue:
        """What the buttons have been used for."""
        return self.session.dialogue

    @property
    def now_ns(self) -> int:
        """The instant of the latest input."""
        return self.state.at_ns

    def edge(self, button: Button, *, is_down: bool) -> "Box":
        """Return the box after a button has gone down or come up; a plunger is let go at once."""
        session, done = self.session.press(ButtonMoved(button, is_down, self.now_ns))
        session = session.replace(dialogue=session.dialogue.replace(held=None))
        return self._after((session, done), is_down if button is Button.CENTRE else self.is_down)

    def held(self) -> "Box":
        """Return the box after its centre has been down long enough.

        All that is due by then is done, but the match has not become older: lateness and pages are
        counted in steps of `waited`.
        """
        since_ns = self.now_ns - HOLD_NS
        down = self.session.replace(dialogue=self.dialogue.replace(centre_since_ns=since_ns))
        return self._after(down.pass_time(self.now_ns), self.is_down)

    def waited(self) -> "Box":
        """Return the box a step later, or when codes count again."""
        until_ns = self.dialogue.code_paused_until_ns if self.on(CodePage) else 0
        now_ns = max(self.now_ns + STEP_NS, until_ns)
        session, done = _due(self.session, now_ns)
        session, more = session.apply(TimePassed(now_ns))
        return self._after((session, done + more), self.is_down)

    def tap(self, button: Button) -> "Box":
        """Return the box after a short press."""
        down = self.edge(button, is_down=True)
        return down.edge(button, is_down=False).having_done(down)

    def hold(self) -> "Box":
        """Return the box after the centre was held and released."""
        down = self.edge(Button.CENTRE, is_down=True)
        held = down if down.dialogue.hold_at_ns() is None else down.held().having_done(down)
        return held.edge(Button.CENTRE, is_down=False).having_done(held)

    def having_done(self, *before: "Box") -> "Box":
        """Return the same box; what was done in others counts as done with its latest step."""
        done = tuple(each for box in before for each in box.done)
        return Box(self.session, done + self.done, is_down=self.is_down)

    def on(self, *pages: type) -> bool:
        """Return whether one of these pages is open."""
        return isinstance(self.dialogue.page, pages)

    def faces(self, language: int = 0) -> Pair[Face]:
        """Return what both panels show in a language."""
        say, notice = SAY[language], self.session.notice
        told = event_lines(notice, say) if notice else ()
        view = View(self.state, self.dialogue, say, notice=told, latest=SHOWN)
        return pages.faces(view, self.now_ns)

    def _after(self, step: Step, is_down: bool) -> "Box":
        """Return the box after a step of its session, and after what is due by now."""
        session, done = _answered(step)
        session, more = _due(session, session.state.at_ns)
        return Box(session.ask(session.dialogue.choices), done + more, is_down=is_down)


def _due(session: Session, now_ns: int) -> Step:
    """Return a session after all that is due by an instant, one after another."""
    done: tuple[Done, ...] = ()
    for _ in range(MOST_DUE):
        due_ns = session.deadline()
        if due_ns is None or due_ns > now_ns:
            return session, done
        session, more = _answered(session.pass_time(now_ns))
        done += more
    raise AssertionError("what is due has no end")


def _answered(step: Step) -> Step:
    """Return a step with the answers of a world that has a file, and no other matches."""
    session, done = step
    all_done = done
    for wish in done:
        more: tuple[Done, ...] = ()
        match wish:
            case MatchWanted():
                file = SettingsFile(OWN, session.dialogue.choices)
                session, more = _answered(session.open_match(wish, file, WRITER))
            case ResumeMatchWanted():
                session, more = _answered(session.resume_match(wish, None, WRITER))
            case _:
                pass
        all_done += more
    return session, all_done


OWN = beginning(small(PROFILES["ebf"], 1, 1), 1).settings
CHOICES = (Preset("", OWN), Preset("Quick", OWN))


# --- what the future depends on -----------------------------------------------------------------


def _match_form(state: MatchState) -> object:
    """Return what the buttons and the pages can tell two matches apart by.

    Beside what the players can do (`machine.form`) that is why the match is over, its preset, an
    offer, and what the director's menu has. Left out are how late somebody is, as a text of so many
    minutes, which of two presses left the same reserve, and what a session remembers for the world:
    refused offers, which do not come again, and parts that have failed.
    """
    reserves = [state.reserve_ns(side, state.at_ns) for side in Side]
    played = form(state, reserves, state.delay_left_ns(state.at_ns))
    offered = tuple(item.name for item in offered_items(Dialogue(), state))
    given_back = tuple(bool(reserves_to_give_back(state, side)) for side in Side)
    chosen = (state.preset, state.offer, state.next_offer is None)
    return (played, state.ended, given_back, offered, *chosen)


def _dialogue_form(dialogue: Dialogue, now_ns: int) -> object:
    """Return the dialogue with instants that count from now."""
    pressed, begun = dialogue.out_of_turn, dialogue.turn_pressed
    return (
        _page_form(dialogue.page),
        dialogue.centre_since_ns is not None,
        dialogue.centre_void,
        dialogue.wrong_codes % 3,
        max(0, dialogue.code_paused_until_ns - now_ns),
        len(dialogue.choices),
        pressed and (pressed.side, max(0, pressed.until_ns - now_ns), pressed.at_once),
        begun and now_ns - begun.at_ns < SAME_MOMENT_NS and begun.side,
    )


def _page_form(page: object) -> object:
    if isinstance(page, FormPage):
        return ("form", page.item.name, repr(page.values), repr(page.entry), page.asks_players)
    return repr(page)


# --- what can happen ----------------------------------------------------------------------------


class Act(NamedTuple):
    """A button's edge, or time that passes."""

    name: str
    do: Callable[[Box], Box]


def _edge(name: str, button: Button, *, is_down: bool) -> Act:
    return Act(name, lambda box: box.edge(button, is_down=is_down))


LEFT = _edge("left", Button.LEFT, is_down=True)
RIGHT = _edge("right", Button.RIGHT, is_down=True)
DOWN = _edge("centre down", Button.CENTRE, is_down=True)
UP = _edge("centre up", Button.CENTRE, is_down=False)
HELD = Act("centre held", Box.held)
WAIT = Act("wait", Box.waited)
CENTRE = Act("centre", lambda box: box.tap(Button.CENTRE))
HOLD = Act("hold centre", Box.hold)


def players_acts(box: Box) -> Sequence[Act]:
    """Return what can happen; on the director's menu it is only left again."""
    if not box.is_down:
        return (DOWN,) if box.on(MenuPage) else (LEFT, RIGHT, DOWN, WAIT)
    if box.dialogue.hold_at_ns() is None:
        return (UP,) if box.on(MenuPage) else (LEFT, RIGHT, UP)
    return (HELD,) if box.on(MenuPage) else (LEFT, RIGHT, UP, HELD)


def directors_acts(box: Box) -> Sequence[Act]:
    """Return what the director can do on their pages, and no more once the ruling is done."""
    return (LEFT_ON, RIGHT_ON, CENTRE, HOLD) if box.on(MenuPage, FormPage, PresetPage) else ()


def _turned(box: Box, button: Button) -> Box:
    """Return the box after a plunger has turned an entry to the next value that is searched."""
    after = box.tap(button)
    while isinstance(page := after.dialogue.page, FormPage) and not _is_searched(page.entry):
        after = after.tap(button)
    return after


def _is_searched(entry: Entry | None) -> bool:
    match entry:
        case Choice(options=options, at=at) if len(options) > NEAR:
            return at in {0, 1, len(options) - 1}
        case Number(value=value, lowest=lowest, highest=highest):
            return value in {lowest, lowest + 1, highest}
        case Time(digits=digits, cursor=cursor):
            return digits[cursor] in {0, TIME_PLACES[cursor]}
        case _:
            return True


LEFT_ON = Act("left, on and on", lambda box: _turned(box, Button.LEFT))
RIGHT_ON = Act("right, on and on", lambda box: _turned(box, Button.RIGHT))


# --- laws ---------------------------------------------------------------------------------------

BoxLaw = Callable[[Box], str | None]
ABOUT_HOLDING = ("hold_td", "refuse")  # legends that say what holding the centre does
CONTROL_ACTS = 14  # the first game is over then
CODE_ACTS = 16
OFFER_ACTS = 12
FORM_ACTS = 6
LAST_RESULT_ACTS = 6
MET = 6000  # states in which the kinds of matches are looked for
HOLDS = 3  # from an entry over the menu and the code to the page of the presets


def every_text_fits(box: Box) -> str | None:
    """No text on a page is longer than its place on the panel, in any language."""
    for number, language in enumerate(LANGUAGES):
        for face in box.faces(number):
            shown = [("".join(face.keys), 2 * KEY_LENGTH)]
            shown += [(line, LINE_LENGTH) for line in (face.status, *face.lines)]
            long = [text for text, most in shown if len(text) > most]
            if long or (face.selected is None and len(face.lines) > ABOUT_LINES):
                return f"{language}: {long or face.lines}"
    return None


def legends_say_what_buttons_do(box: Box) -> str | None:
    """On a page a button has a legend if pressing it does something, and only then.

    Where the centre does nothing, its legend may say what holding it does.
    """
    left, right = box.faces()
    if box.is_down or not left.lines:
        return None
    legends = {Button.LEFT: left.keys[0], Button.CENTRE: left.keys[1], Button.RIGHT: right.keys[2]}
    for button, legend in legends.items():
        does = _changes(box, box.tap(button))
        if legend in {SAY[0](name) for name in ABOUT_HOLDING}:
            does = not does and _changes(box, box.hold())
        if does != bool(legend):
            return f"{button}: {legend!r}, and it does {'something' if does else 'nothing'}"
    return None


def _changes(before: Box, after: Box) -> bool:
    return (after.state, after.dialogue) != (before.state, before.dialogue)


def holding_leads_out(box: Box) -> str | None:
    """From every page, holding the centre leads back to the match."""
    for _ in range(HOLDS):
        page = box.dialogue.page
        if box.is_down or page is None or (isinstance(page, PresetPage) and page.first):
            return None
        box = box.hold()
    return f"{box.dialogue.page} is left by no hold"


def holding_changes_nothing(box: Box) -> str | None:
    """Holding the centre while no turn is played changes nothing in the match.

    But for a match that the director has offered: where no page hides it, that refuses it.
    """
    refuses = box.dialogue.page is None and refuses_offer(box.dialogue, box.state)
    if box.is_down or box.state.phase in TURN_PHASES or refuses:
        return None
    after = box.hold()
    return None if after.form[0] == box.form[0] else f"{after.state.phase} after {box.state.phase}"


def a_hold_is_no_press(box: Box) -> str | None:
    """When the centre comes up after it was held, nothing more happens."""
    if box.dialogue.hold_at_ns() is None:
        return None
    held = box.held()
    up = held.edge(Button.CENTRE, is_down=False)
    same = (up.state, up.dialogue.page) == (held.state, held.dialogue.page)
    return None if same else f"{up.dialogue.page} in {up.state.phase}"


def the_centre_counts_once(box: Box) -> str | None:
    """The centre counts when it goes down while a turn is played, else when it comes up."""
    if box.is_down:
        counts = box.state.phase in TURN_PHASES and _match_changes(box, is_down=False)
        return "it counts when it comes up while a turn is played" if counts else None
    down = box.edge(Button.CENTRE, is_down=True)
    if (down.form[0] != box.form[0]) != (box.state.phase in TURN_PHASES):
        return f"it goes down in {box.state.phase}, and that counts wrongly"
    twice = down.form[0] != box.form[0] and _match_changes(down, is_down=False)
    return "it counts when it comes up, too" if twice else None


def _match_changes(box: Box, *, is_down: bool) -> bool:
    return box.edge(Button.CENTRE, is_down=is_down).form[0] != box.form[0]


def numbers_turn_round(box: Box) -> str | None:
    """A plunger turns a number that is at one end to the other end."""
    page = box.dialogue.page
    if box.is_down or not isinstance(page, FormPage) or not isinstance(page.entry, Number):
        return None
    ends = {page.entry.lowest: Button.LEFT, page.entry.highest: Button.RIGHT}
    button = ends.pop(page.entry.value, None)
    if button is None or not ends:
        return None
    turned = box.tap(button).dialogue.page
    value = getattr(getattr(turned, "entry", None), "value", None)
    return None if value in ends else f"{page.entry} turns to {value}"


def a_plunger_means_its_side(box: Box) -> str | None:
    """Where a side is asked for, no plunger chooses the other one, however often it is pressed."""
    page = box.dialogue.page
    if box.is_down or not isinstance(page, FormPage) or not _asks_for_a_side(page):
        return None
    for button in (Button.LEFT, Button.RIGHT):
        once = box.tap(button)
        for after in (once, once.tap(button)):
            turned = after.dialogue.page
            asked = isinstance(turned, FormPage) and len(turned.values) == len(page.values)
            entry = turned.entry if isinstance(turned, FormPage) and asked else None
            chosen = entry.value if isinstance(entry, Choice) else f"on {turned}"
            if chosen is not button.side and after.dialogue != box.dialogue:
                return f"{button} chooses {chosen}"
    return None


def _asks_for_a_side(page: FormPage) -> bool:
    options = page.entry.options if isinstance(page.entry, Choice) else ()
    return any(isinstance(option.value, Side) for option in options)


def the_right_code_ends_the_count(box: Box) -> str | None:
    """After the right code wrong ones count from the beginning."""
    counted = box.dialogue.wrong_codes if box.on(MenuPage) else 0
    return f"{counted} wrong codes still count" if counted else None


def the_menu_needs_the_code(box: Box) -> str | None:
    """Where there is a code, holding the centre opens the menu only from the menu's own pages."""
    page = box.dialogue.page
    own = isinstance(page, ResumeMatchPage) or (
        isinstance(page, FormPage) and not page.asks_players
    )
    if box.is_down or own or not box.dialogue.code or box.on(MenuPage):
        return None
    return "the menu opens without the code" if box.hold().on(MenuPage) else None


def each_press_is_logged(box: Box) -> str | None:
    """A press leaves a line of its own in a log, at its instant, whatever else it does."""
    for button in Button if not box.is_down else ():
        done = box.tap(button).done
        if not any(each.at_ns == box.now_ns for each in map(_record, done) if each):
            return f"{button} leaves no line: {done}"
    return None


def a_form_does_what_it_says(box: Box) -> str | None:
    """The last press of a form changes the match, the language or the log of the match.

    Otherwise it is refused, and the log says why; or all is as it was entered already.
    """
    page = box.dialogue.page
    if box.is_down or not isinstance(page, FormPage) or page.entry is not None:
        return None
    if changes_nothing(box.state, proposed_ruling(page, box.state, box.now_ns)):
        return None
    after = box.tap(Button.CENTRE)
    if page.item.kind is LanguageWanted:
        wanted = [each.language for each in after.done if isinstance(each, LanguageWanted)]
        return None if wanted == list(page.values) else f"the language is {wanted or 'kept'}"
    told = [record.event for record in map(_record, after.done) if record]
    done = any(not isinstance(each, PressedEvent) or not each.accepted for each in told)
    return None if done else f"{page.item.name} does nothing: {told}"


def a_match_that_is_chosen_begins(box: Box) -> str | None:
    """On the page of the presets the centre begins the selected match, and no other."""
    page = box.dialogue.page
    if box.is_down or not isinstance(page, PresetPage):
        return None
    wanted, after = page.selected(box.dialogue.choices), box.tap(Button.CENTRE)
    begun = any(isinstance(each, MatchBegun) for each in after.done)
    opened = (after.state.preset, after.state.settings)
    return None if begun and opened == (wanted.name, wanted.match) else f"{opened[0]!r} begins"


def a_choice_is_asked_for(box: Box) -> str | None:
    """Where there are presets, nobody confirms a match that nobody has chosen or offered."""
    chosen = box.state.preset is not None or box.state.offer or not box.state.unconfirmed
    asked = chosen or not box.dialogue.choices or box.dialogue.page is not None
    return None if asked else "nobody is asked which match it shall be"


def an_offer_is_taken_or_refused(box: Box) -> str | None:
    """If another match begins than the one that is offered, the log says that it was refused."""
    standing = box.state.standing_offer
    if standing is None or box.is_down:
        return None
    for after in (box.tap(Button.CENTRE), box.hold()):
        told = [record.event for record in map(_record, after.done) if record]
        refused = any(isinstance(event, OfferRefusedEvent) for event in told)
        gone = any(isinstance(each, MatchBegun) for each in after.done)
        if gone and after.state.offer == standing.id:
            continue
        if gone != refused or refused != (standing.id in after.session.refused):
            return f"offer {standing.id}: refused {refused}, another match {gone}"
    return None


def unfinished_matches_are_listed(box: Box) -> str | None:
    """Whenever the page of the matches that are not over opens, the disk is asked for them."""
    if box.is_down or box.on(ResumeMatchPage):
        return None
    after = box.tap(Button.CENTRE)
    asked = ListMatches() in after.done
    return None if after.on(ResumeMatchPage) == asked else "nobody looks for them"


def _record(done: Done) -> Record | None:
    """Return the record of something that was done; None if it is a wish."""
    if isinstance(done, MatchBegun):
        return done.record
    return done if isinstance(done, Record) else None


LAWS: tuple[BoxLaw, ...] = (
    every_text_fits,
    legends_say_what_buttons_do,
    holding_leads_out,
    holding_changes_nothing,
    a_hold_is_no_press,
    the_centre_counts_once,
    numbers_turn_round,
    a_plunger_means_its_side,
    the_right_code_ends_the_count,
    the_menu_needs_the_code,
    each_press_is_logged,
    a_form_does_what_it_says,
    a_match_that_is_chosen_begins,
    a_choice_is_asked_for,
    an_offer_is_taken_or_refused,
    unfinished_matches_are_listed,
)


def _law(law: BoxLaw) -> Law[Box, Act]:
    """Return a law of the search that looks at each state once."""
    seen = set[object]()

    def checked(_before: Box, _act: Act, after: Box) -> str | None:
        if after.form in seen:
            return None
        seen.add(after.form)
        return law(after)

    checked.__name__, checked.__doc__ = law.__name__, law.__doc__
    return checked


# --- searches -----------------------------------------------------------------------------------


def _subject(
    name: str,
    beginnings: Sequence[Box],
    acts: Callable[[Box], Sequence[Act]],
    laws: Sequence[BoxLaw],
    deepest: int | None = None,
) -> Subject[Box, Act]:
    return Subject(
        name=f"buttons: {name}",
        beginnings=beginnings,
        acts=acts,
        step=lambda box, act: act.do(box),
        canonical=lambda box: box.form,
        laws=[_law(law) for law in laws],
        script=lambda first, done: "\n".join((_begun(first), *(act.name for act in done))),
        deepest=deepest,
    )


def _begun(box: Box) -> str:
    return f"# begin at {box.state.phase} with {box.dialogue.page or 'no page'}"


def fresh(rules: Rules, **dialogue: object) -> Box:
    """Return a box with a match that waits to be confirmed."""
    first = Session(beginning(rules, 1), Dialogue().replace(**dialogue))
    return Box(first.ask(first.dialogue.choices))


def players(
    name: str, laws: Sequence[BoxLaw] = LAWS, deepest: int | None = None
) -> Subject[Box, Act]:
    """Return the players' buttons in a match to one point."""
    return _subject(f"{name}: to 1", [fresh(OWN.rules)], players_acts, laws, deepest)


def with_code_and_presets(laws: Sequence[BoxLaw] = LAWS) -> Subject[Box, Act]:
    """Return the same with a code before the menu, and a choice of matches."""
    box = fresh(OWN.rules, code="LR", choices=CHOICES)
    return _subject("code and presets", [box], players_acts, laws, CODE_ACTS)


def offered(laws: Sequence[BoxLaw] = LAWS) -> Subject[Box, Act]:
    """Return a match that the director offered, also while a page hides it, and another one.

    In that one the players are asked if the Crawford game has been played.
    """
    state = beginning(OWN.rules, 1).replace(offer="offer")
    hidden = (Dialogue(page=MenuPage()), Dialogue(page=CodePage(), code="LR"))
    boxes = [Box(Session(state, dialogue)) for dialogue in (Dialogue(), *hidden)]
    asked = beginning(OWN.rules, 2).replace(score=Pair(1, 0), crawford=Crawford.UNKNOWN)
    boxes.append(Box(Session(asked, Dialogue(code="LR"))))
    return _subject("offer and question", boxes, players_acts, laws, OFFER_ACTS)


def last_result(laws: Sequence[BoxLaw] = LAWS) -> Subject[Box, Act]:
    """Return a match that was over before a power cut, and with an offer of the next one."""
    over = advance(beginning(OWN.rules, 1), MatchEnded(0, Side.LEFT, "director"))[0]
    both = (over, over.replace(next_offer=Offer("offer", OWN)))
    restored = [Session(each).apply(Restored(0, 0, None))[0] for each in both]
    boxes = [Box(each.ask(choices)) for each in restored for choices in ((), CHOICES)]
    return _subject("last result", boxes, players_acts, laws, LAST_RESULT_ACTS)


def director(laws: Sequence[BoxLaw] = LAWS) -> Subject[Box, Act]:
    """Return the director's pages on each kind of match that players come to.

    And while a match is offered, and where the file has presets.
    """
    rest, offer = beginning(OWN.rules, 1), Offer("offer", OWN)
    over = advance(rest, MatchEnded(0, Side.LEFT, "director"))[0].replace(next_offer=offer)
    others = [Session(rest.replace(offer="offer")), Session(over)]
    others += [each.ask(CHOICES) for each in (*others, Session(rest))]
    menus = [each.replace(dialogue=each.dialogue.replace(page=MenuPage())) for each in others]
    return _subject("director", [*_forms(), *map(Box, menus)], directors_acts, laws, FORM_ACTS)


@cache
def _forms() -> tuple[Box, ...]:
    """Return a box with the menu on each of its items, for each kind of match."""
    rules = PROFILES["ebf"]  # lateness counts in minutes here, as the director enters it
    first = fresh(structs.replace(small(rules, 1, 1), late_step_ns=rules.late_step_ns))
    met = [box for box in islice(_met(first), MET) if _is_called(box)]
    return tuple(
        Box(box.session.replace(dialogue=box.dialogue.replace(page=MenuPage(item.name))))
        for box in {_kind(box): box for box in reversed(met)}.values()
        for item in offered_items(box.dialogue, box.state)
    )


def _is_called(box: Box) -> bool:
    return not box.is_down and box.dialogue.page is None and box.state.phase not in TURN_PHASES


def _kind(box: Box) -> object:
    state = box.state
    return state.phase, state.held, state.flags_down


def _met(first: Box) -> Iterator[Box]:
    """Yield boxes that the players come to, breadth first."""
    met, waiting = {first.form}, deque([first])
    while waiting:
        box = waiting.popleft()
        yield box
        for act in players_acts(box):
            after = act.do(box)
            if after.form not in met:
                met.add(after.form)
                waiting.append(after)


# --- faults -------------------------------------------------------------------------------------


def _always_a_legend(side: Side, legend: str, centre: str) -> Keys:
    own = legend or "press"
    return (own, centre, "") if side is Side.LEFT else ("", centre, own)


def _no_legend(side: Side, legend: str, centre: str) -> Keys:
    return (legend, "", "") if side is Side.LEFT else ("", "", legend)


def _presses(hold: Any, dialogue: Dialogue, state: MatchState, at_ns: int) -> Answer:
    return hold(dialogue, state, at_ns)[0], CentrePressed(at_ns)


def _counts_again(hold: Any, dialogue: Dialogue, state: MatchState, at_ns: int) -> Answer:
    after, happened = hold(dialogue, state, at_ns)
    return after.replace(centre_since_ns=at_ns), happened


def _menu_after_any_form(right: Any, dialogue: Dialogue, state: MatchState) -> Page | None:
    page: Page | None = dialogue.page
    return MenuPage(page.item.name) if isinstance(page, FormPage) else right(dialogue, state)


def _up_counts(handle: Any, dialogue: Dialogue, state: MatchState, moved: ButtonMoved) -> Answer:
    if moved.button is not Button.CENTRE or moved.down or state.phase not in TURN_PHASES:
        answer: Answer = handle(dialogue, state, moved)
        return answer
    return dialogue.replace(centre_since_ns=None), CentrePressed(moved.at_ns)


def _never_highest(number: Number, step: int) -> Number:
    span = number.highest - number.lowest
    return number._replace(value=(number.value + step - number.lowest) % span + number.lowest)


def _counts_on(enter: Any, dialogue: Dialogue, *given: Any) -> Answer:
    after, happened = enter(dialogue, *given)
    return after.replace(wrong_codes=max(dialogue.wrong_codes, after.wrong_codes)), happened


def _notes_rulings(apply: Any, session: Session, happened: Input | None) -> Any:
    if isinstance(happened, inputs.Ruling) and not isinstance(happened, LanguageWanted):
        happened = Noted(happened.at_ns, Button.CENTRE)
    return apply(session, happened)


def _without(kind: type) -> Callable[..., Step]:
    """Leave out what a session wants done of this kind."""

    def wrong(right: Any, *given: Any) -> Step:
        after, done = right(*given)
        return after, tuple(each for each in done if not isinstance(each, kind))

    return wrong


def _with_a_number(laws: Sequence[BoxLaw]) -> Subject[Box, Act]:
    """Return the page for the length of a match."""
    box = Box(Session(beginning(OWN.rules, 1), Dialogue(page=MenuPage("length"))))
    return _subject("control", [box], directors_acts, laws, FORM_ACTS)


FAULTS = seeded(
    {
        every_text_fits: {
            "a text is too long in German": text("de", "who_won", "x" * 22),
            "a legend is too long in Danish": text("da", "confirm", "x" * 25),
        },
        legends_say_what_buttons_do: {
            "a button without effect has a legend": replaced(pages, "_own", _always_a_legend),
            "the centre has no legend": replaced(pages, "_own", _no_legend),
            "after a power cut a press beside the last result does nothing": replaced(
                Session, "shows_last_result", wrong=False, subject=last_result
            ),
        },
        holding_leads_out: {
            "holding the centre does not leave a page": replaced(
                ui_dialogue, "_page_after_hold", lambda dialogue, _: dialogue.page or MenuPage()
            )
        },
        holding_changes_nothing: {
            "holding the centre presses it, too": wrapped(clock_session, "handle_hold", _presses),
            "holding the centre refuses an offer that a page hides": replaced(
                ui_dialogue,
                "refuses_offer",
                lambda _, state: bool(state.offer) and state.unconfirmed,
                subject=offered,
            ),
        },
        a_hold_is_no_press: {
            "the centre counts when it comes up after it was held": wrapped(
                clock_session, "handle_hold", _counts_again
            )
        },
        the_centre_counts_once: {
            "a centre that was down when a clock started counts when it comes up": wrapped(
                clock_session, "handle_button", _up_counts
            )
        },
        numbers_turn_round: {
            "a number never reaches its highest value": replaced(
                Number, "turned", _never_highest, subject=_with_a_number
            )
        },
        a_plunger_means_its_side: {
            "the sides are turned through in a ring": replaced(
                Choice,
                "turned",
                lambda choice, step: choice._replace(at=(choice.at + step) % len(choice.options)),
                subject=director,
            )
        },
        the_menu_needs_the_code: {
            "holding the centre on a question to the players opens the menu": wrapped(
                ui_dialogue, "_page_after_hold", _menu_after_any_form, subject=offered
            )
        },
        the_right_code_ends_the_count: {
            "wrong codes count on after the right one": wrapped(
                ui_dialogue, "_enter_letter", _counts_on, subject=with_code_and_presets
            )
        },
        a_form_does_what_it_says: {
            "a ruling is noted and not carried out": wrapped(
                Session, "apply", _notes_rulings, subject=director
            )
        },
        an_offer_is_taken_or_refused: {
            "an offer that is refused stays on the panels": wrapped(
                Session, "apply", _without(MatchWanted), subject=offered
            ),
            "an offer is forgotten when another match begins": replaced(
                Session, "_give_up_offer", lambda session, _: (session, ()), subject=director
            ),
        },
        each_press_is_logged: {
            "presses are carried out and not logged": wrapped(Session, "press", _without(Record))
        },
        unfinished_matches_are_listed: {
            "the matches on the disk are not looked for": wrapped(
                Session, "press", _without(ListMatches), subject=director
            )
        },
        a_choice_is_asked_for: {
            "nobody is asked which preset it shall be": replaced(
                Session,
                "ask",
                lambda session, choices: session.replace(
                    dialogue=session.dialogue.replace(choices=choices)
                ),
                subject=with_code_and_presets,
            )
        },
        a_match_that_is_chosen_begins: {
            "whatever is chosen, the file's own match begins": replaced(
                clock_session,
                "_opening",
                lambda wanted, file: (file.own, None, wanted.offer.id if wanted.offer else ""),
                subject=with_code_and_presets,
            )
        },
        NO_EXCEPTION: {"a page cannot be made in Norwegian": text("nb", "low_roller", "{missing}")},
    }
)


def _control(fault: Fault) -> Subject[Box, Act]:
    laws = [law for law in LAWS if law.__name__ == fault.law] or LAWS
    make = fault.needs.get("subject", partial(players, "control", deepest=CONTROL_ACTS))
    found: Subject[Box, Act] = make(laws=laws)
    return found


BUTTONS = Part(
    [
        Search(partial(players, "ebf")),
        Search(with_code_and_presets),
        Search(director, quick=True),
        Search(offered, quick=True),
        Search(last_result, quick=True),
        Search(partial(players, "ebf, quick", deepest=CONTROL_ACTS), quick=True),
    ],
    FAULTS,
    _control,
)
