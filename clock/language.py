"""The words on the displays, in four languages, one row a meaning.

The words are those of the federations' own texts where they have one: Zeit and Verzögerung (EBF in
German), tid and delay (DBgF), tidsbank and trekktid (NBgF). The one rule: a row is complete, and a
line fits a panel (21 characters; `SHORT` ones 14).
"""

from collections.abc import Callable

LANGUAGES = ("en", "de", "da", "nb")

LINE_LENGTH = 21
STATUS_LENGTH = 14
KEY_LENGTH = 10

# Words that stand in the head of a panel.
STATUS: dict[str, tuple[str, str, str, str]] = {
    "delay_runs": ("Delay", "Verzögerung", "Delay", "Trekktid"),
    "time_runs": ("Time", "Zeit", "Tid", "Tidsbank"),
    "free_turn": ("Off the clock", "Ohne Uhr", "Uden ur", "Uten klokke"),
    "absent": ("Absent", "Abwesend", "Fraværende", "Fraværende"),
    "review": ("Confirm", "Bestätigen", "Bekræft", "Bekreft"),
    "confirmed": ("Confirmed", "Bestätigt", "Bekræftet", "Bekreftet"),
    "ready": ("Ready", "Bereit", "Klar", "Klar"),
    "stopped": ("Stopped", "Angehalten", "Stoppet", "Stoppet"),
    "call_director": ("CALL TD", "TURNIERLEITER!", "TILKALD TL", "TILKALL TL"),
    "game_over": ("Game over", "Spielende", "Parti slut", "Parti slutt"),
    "finished": ("Match over", "Matchende", "Kamp slut", "Match slutt"),
    "break": ("Break", "Pause", "Pause", "Pause"),
    "no_clock": ("No clock", "Ohne Uhr", "Uden ur", "Uten klokke"),
    "director": ("Director", "Turnierleiter", "TL", "TL"),
    "do_this": ("Do this?", "Ausführen?", "Udfør?", "Utføre?"),
    "flag_mark": ("FLAG {order}", "FLAGGE {order}", "FLAG {order}", "FLAGG {order}"),
    "wait": ("WAIT", "WARTEN", "VENT", "VENT"),
    "entry_clock_of": ("Whose clock?", "Wessen Uhr?", "Hvis ur?", "Hvem sin?"),
    "entry_time": ("Which time?", "Welche Zeit?", "Hvilken tid?", "Hvilken tid?"),
    "entry_why": ("Why?", "Warum?", "Hvorfor?", "Hvorfor?"),
    "entry_sign": ("More or less?", "Mehr, weniger?", "Mere, mindre?", "Mer, mindre?"),
    "entry_since_press": ("Back to when?", "Bis wann?", "Til hvornår?", "Til når?"),
    "entry_delay": ("Which delay?", "Verzögerung?", "Hvilken delay?", "Hvilken tid?"),
    "entry_flag_of": ("Whose flag?", "Wessen Flagge?", "Hvis flag?", "Hvem sitt?"),
    "entry_flag": ("Which flag?", "Welche Flagge?", "Hvilket flag?", "Hvilket flagg?"),
    "entry_against": ("Against whom?", "Gegen wen?", "Imod hvem?", "Mot hvem?"),
    "entry_for": ("For whom?", "Für wen?", "Til hvem?", "Til hvem?"),
    "entry_points": ("How many?", "Wie viele?", "Hvor mange?", "Hvor mange?"),
    "entry_score_of": ("Whose score?", "Wessen Punkte?", "Hvis point?", "Hvem sine?"),
    "entry_length": ("Match length", "Matchlänge", "Kamplængde", "Matchlengde"),
    "entry_banks": ("And the time?", "Und die Zeit?", "Og tiden?", "Og tiden?"),
    "entry_crawford": ("Crawford game", "Crawford-Spiel", "Crawford-parti", "Crawfordparti"),
    "entry_breaks_of": ("Whose breaks?", "Wessen Pausen?", "Hvis pauser?", "Hvem sine?"),
    "entry_breaks_taken": ("Breaks taken", "Pausen gehabt", "Pauser brugt", "Pauser brukt"),
    "entry_absent_player": ("Who is absent?", "Wer fehlt?", "Hvem mangler?", "Hvem mangler?"),
    "entry_winner": ("Who wins?", "Wer gewinnt?", "Hvem vinder?", "Hvem vinner?"),
}

# Words that stand over a button.
KEYS: dict[str, tuple[str, str, str, str]] = {
    "confirm": ("confirm", "bestätigen", "bekræft", "bekreft"),
    "go_on": ("go on", "weiter", "videre", "videre"),
    "starts": ("→ {side}", "→ {side}", "→ {side}", "→ {side}"),
    "break_key": ("break", "Pause", "pause", "pause"),
    "do_it": ("DO IT", "TUN", "UDFØR", "UTFØR"),
    "close": ("close", "zurück", "luk", "lukk"),
    "take": ("take", "nehmen", "tag", "ta"),
    "break_start": ("{minutes} min", "{minutes} min", "{minutes} min", "{minutes} min"),
    "play_on": ("play on", "weiter", "spil", "spill"),
    "hold_back": ("hold=back", "halten=aus", "hold=luk", "hold=lukk"),
}

# Lines.
LINES: dict[str, tuple[str, str, str, str]] = {
    "left": ("Left", "Links", "Venstre", "Venstre"),
    "right": ("Right", "Rechts", "Højre", "Høyre"),
    "centre": ("Centre", "Mitte", "Midten", "Midten"),
    "nobody": ("Nobody", "Niemand", "Ingen", "Ingen"),
    "somebody": ("A player", "Ein Spieler", "En spiller", "En spiller"),
    "yes": ("yes", "ja", "ja", "ja"),
    "no": ("no", "nein", "nej", "nei"),
    "points": ("{points} points", "{points} Punkte", "{points} point", "{points} poeng"),
    "bank": ("Time", "Zeit", "Tid", "Tidsbank"),
    "code": ("Code", "Code", "Kode", "Kode"),
    "minutes": ("{n} minutes", "{n} Minuten", "{n} minutter", "{n} minutter"),
    "plus": ("+ more time", "+ mehr Zeit", "+ mere tid", "+ mer tid"),
    "minus": ("- less time", "- weniger Zeit", "- mindre tid", "- mindre tid"),
    "low_roller": (
        "Low roller presses",
        "Niedriger drückt",
        "Laveste trykker",
        "Laveste trykker",
    ),
    "crawford_game": ("CRAWFORD GAME", "CRAWFORD-SPIEL", "CRAWFORD-PARTI", "CRAWFORDPARTI"),
    "who_won": ("Who won? Press", "Wer hat gewonnen?", "Hvem vandt? Tryk", "Hvem vant? Trykk"),
    "hold_for_director": (
        "TD: hold centre",
        "TL: Mitte halten",
        "TL: hold midten",
        "TL: hold midten",
    ),
    "hold_back_long": ("Hold centre: back", "Mitte halten: zurück", "Hold midten: retur", "Hold midten: tilbake"),
    "no_clock_on": (
        "Played without clock",
        "Ohne Uhr gespielt",
        "Spilles uden ur",
        "Spilles uten klokke",
    ),
    "late_since": ("Late: {time}", "Verspätet: {time}", "Forsinket: {time}", "Forsinket: {time}"),
    "write_times": ("Write both times", "Zeiten notieren", "Noter tiderne", "Noter tidene"),
    "breaks_taken_of": (
        "Takes {taken} of {left}",
        "Nimmt {taken} von {left}",
        "Tager {taken} af {left}",
        "Tar {taken} av {left}",
    ),
    "break_ends": ("Ends in {time}", "Endet in {time}", "Slutter om {time}", "Slutter om {time}"),
    "break_over": ("OVER by {time}", "ÜBERZOGEN {time}", "OVER med {time}", "OVER med {time}"),
    "warn_no_points": (
        "No points: replay",
        "Keine Punkte: neu",
        "Ingen point: om",
        "Ingen poeng: om",
    ),
    "warn_impossible_points": (
        "No game scores that",
        "So zählt kein Spiel",
        "Sådan scorer intet",
        "Slik scorer ingen",
    ),
    "warn_match_ends": (
        "Ends match. No drop?",
        "Matchende. Kein Drop?",
        "Slutter. Ikke drop?",
        "Slutter. Ikke drop?",
    ),
    # Reasons to stop
    "reason_unspecified": ("No reason given", "Ohne Angabe", "Uden grund", "Uten grunn"),
    "reason_game_over": ("Game over / drop", "Spielende / Drop", "Parti slut / drop", "Parti slutt / dropp"),
    "reason_game_decided": ("Game decided: agreed", "Entschieden: einig", "Afgjort: enige", "Avgjort: enige"),
    "reason_not_decided": ("Decided? No", "Entschieden? Nein", "Afgjort? Nej", "Avgjort? Nei"),
    "reason_director_called": ("Director called", "Turnierleiter rufen", "TL tilkaldt", "TL tilkalt"),
    "reason_early_pickup": ("Dice picked up early", "Zu früh aufgenommen", "Terninger for tidligt", "Terninger for tidlig"),
    "reason_dice_taken": ("Dice taken + pressed", "Genommen + gedrückt", "Taget + trykket", "Tatt opp + trykket"),
    "reason_illegal_move": ("Illegal move", "Illegaler Zug", "Ulovligt ryk", "Ulovlig flytt"),
    "reason_invalid_roll": ("Invalid roll", "Ungültiger Wurf", "Ugyldigt slag", "Ugyldig kast"),
    "reason_die_on_floor": ("Die on the floor", "Würfel am Boden", "Terning på gulvet", "Terning på gulvet"),
    "reason_time_expired": ("Time expired", "Zeit ist abgelaufen", "Tiden opbrugt", "Oppbrukt tid"),
    "reason_clock_faulty": ("Clock faulty", "Uhr defekt", "Fejl på uret", "Defekt klokke"),
    "reason_power_loss": ("Power was lost", "Strom war weg", "Strømmen gik", "Strømmen gikk"),
    # The menu
    "item_approve": ("Approve settings", "Stellung abnehmen", "Godkend indstilling", "Godkjenn oppsett"),
    "item_resume": ("Start a clock", "Uhr starten", "Start et ur", "Start en klokke"),
    "item_set_time": ("Set a time", "Zeit einstellen", "Indstil tid", "Still inn tid"),
    "item_add_time": ("Add/take time", "Zeit +/-", "Tid +/-", "Tid +/-"),
    "item_give_back": ("Give time back", "Zeit zurückgeben", "Giv tid tilbage", "Gi tid tilbake"),
    "item_flag": ("Flag", "Flagge", "Flag", "Flagg"),
    "item_overtime": ("Overtime", "Nachspielzeit", "Overtid", "Overtid"),
    "item_next_delay": ("Next delay", "Nächste Verzögerung", "Næste delay", "Neste trekktid"),
    "item_penalty": ("Penalty points", "Strafpunkte", "Strafpoint", "Straffepoeng"),
    "item_bonus": ("Bonus points", "Bonuspunkte", "Bonuspoint", "Bonuspoeng"),
    "item_score": ("Score", "Spielstand", "Stilling", "Stilling"),
    "item_length": ("Match length", "Matchlänge", "Kamplængde", "Matchlengde"),
    "item_shorten": ("Shorten by two", "Um 2 verkürzen", "Afkort med to", "Forkort med to"),
    "item_crawford": ("Crawford", "Crawford", "Crawford", "Crawford"),
    "item_breaks": ("Breaks taken", "Pausen gehabt", "Pauser brugt", "Pauser brukt"),
    "item_absent": ("Player absent", "Spieler fehlt", "Spiller mangler", "Spiller mangler"),
    "item_absent_clock": ("Start absent clock", "Uhr des Fehlenden", "Fraværendes ur", "Fraværendes klokke"),
    "item_reset_banks": ("Both by formula", "Beide nach Formel", "Begge efter formel", "Begge etter formel"),
    "item_swap": ("Swap sides", "Seiten tauschen", "Byt side", "Bytt side"),
    "item_no_clock": ("Go on without clock", "Ohne Uhr weiter", "Videre uden ur", "Videre uten klokke"),
    "item_end_match": ("End the match", "Match beenden", "Afslut kampen", "Avslutt matchen"),
    "item_reopen": ("Back into play", "Zurück ins Spiel", "Tilbage til spil", "Tilbake til spill"),
    "item_new_match": ("New match", "Neues Match", "Ny kamp", "Ny match"),
    # What is told of events
    "told_opened": ("Match to {length}", "Match bis {length}", "Kamp til {length}", "Match til {length}"),
    "told_confirmed": ("{side} confirmed", "{side} bestätigt", "{side} bekræftet", "{side} bekreftet"),
    "told_stopped": ("Stopped", "Angehalten", "Stoppet", "Stoppet"),
    "told_pressed": ("{side} pressed", "{side} gedrückt", "{side} trykket", "{side} trykket"),
    "told_refused": ("{side}: no effect", "{side}: ohne Wirkung", "{side}: ingen effekt", "{side}: ingen effekt"),
    "told_resumed": ("{side}'s clock runs", "Uhr läuft: {side}", "Uret går: {side}", "Klokka går: {side}"),
    "told_free_turn": ("{side}: off the clock", "{side}: ohne Uhr", "{side}: uden ur", "{side}: uten klokke"),
    "told_delay_lost": ("{side} loses delay", "{side} ohne Verzög.", "{side} taber delay", "{side} mister tid"),
    "told_flag": ("{side}: flag {order}", "{side}: Flagge {order}", "{side}: flag {order}", "{side}: flagg {order}"),
    "told_no_flag": ("No flag is down", "Keine Flagge unten", "Intet flag nede", "Ingen flagg nede"),
    "told_claimed": ("{side}: time expired", "{side}: Zeit um", "{side}: tid opbrugt", "{side}: tid oppbrukt"),
    "told_overtime": ("{side}: overtime", "{side}: Nachspielz.", "{side}: overtid", "{side}: overtid"),
    "told_break": ("Break {time}", "Pause {time}", "Pause {time}", "Pause {time}"),
    "told_break_ended": ("Break took {time}", "Pause war {time}", "Pausen tog {time}", "Pausen tok {time}"),
    "told_late": ("{side} late", "{side} verspätet", "{side} forsinket", "{side} forsinket"),
    "told_no_points": ("No points", "Keine Punkte", "Ingen point", "Ingen poeng"),
    "told_ended": ("Match ended", "Match beendet", "Kampen afsluttet", "Matchen avsluttet"),
    "told_wins": ("{side} WINS", "{side} GEWINNT", "{side} VINDER", "{side} VINNER"),
    "told_reopened": ("Back into play", "Zurück ins Spiel", "Tilbage til spil", "Tilbake til spill"),
    "told_restored": ("Power was lost", "Strom war weg", "Strømmen gik", "Strømmen gikk"),
    "told_lost": ("At most {seconds} s lost", "Max. {seconds} s verloren", "Højst {seconds} s tabt", "Høyst {seconds} s tapt"),
    "told_fault": ("Fault: {part}", "Fehler: {part}", "Fejl: {part}", "Feil: {part}"),
    "told_fault_cleared": ("{part} works again", "{part} geht wieder", "{part} virker igen", "{part} virker igjen"),
    "then_points": ("Then: points", "Dann: Punkte", "Så: point", "Så: poeng"),
    "flag_cleared": ("Flag cleared", "Flagge gelöscht", "Flag slettet", "Flagg slettet"),
    "resume_rest": ("exactly as it was", "genau wie zuvor", "præcis som før", "nøyaktig som før"),
    "resume_full": ("with a fresh delay", "neue Verzögerung", "med ny delay", "med ny trekktid"),
    "resume_wait": ("must WAIT for delay", "muss sie ABWARTEN", "skal VENTE på delay", "må VENTE trekktiden"),
    "delay_full": ("full delay", "volle Verzögerung", "fuld delay", "full trekktid"),
    "delay_skip": ("NO DELAY", "OHNE VERZÖG.", "INGEN DELAY", "INGEN TREKKTID"),
    "delay_wait": ("MUST WAIT", "MUSS WARTEN", "SKAL VENTE", "MÅ VENTE"),
    "flag_none": ("no flag", "keine Flagge", "intet flag", "ikke flagg"),
    "flag_first": ("fell first", "fiel zuerst", "faldt først", "falt først"),
    "flag_second": ("fell second", "fiel als zweite", "faldt som nr. to", "falt som nr. to"),
    "crawford_before": ("not yet played", "noch nicht", "ikke endnu", "ikke ennå"),
    "crawford_now": ("this/next game", "dieses/nächstes", "dette/næste", "dette/neste"),
    "crawford_done": ("already played", "schon gespielt", "allerede spillet", "allerede spilt"),
    "banks_adjust": ("adjust by formula", "nach Formel ändern", "justér efter formel", "juster etter formel"),
    "banks_keep": ("leave as it is", "so lassen", "lad den være", "la den være"),
    "late_may": ("{points} points? TD may", "{points} Punkte? TL kann", "{points} point? TL kan", "{points} poeng? TL kan"),
    "late_shall": ("{points} points: TD", "{points} Punkte: TL", "{points} point: TL", "{points} poeng: TL"),
    "late_start-clock": ("TD: start his clock", "TL: Uhr starten", "TL: start uret", "TL: start klokka"),
    "late_clock-started": ("His clock runs", "Seine Uhr läuft", "Hans ur går", "Hans klokke går"),
    "late_forfeits": ("Loses the match", "Verliert das Match", "Taber kampen", "Taper matchen"),
    "why_director": ("Director's decision", "Turnierleiter", "TL's afgørelse", "TLs avgjørelse"),
    "why_restored": ("Lost time restored", "Verlorene Zeit", "Mistet tid", "Tapt tid"),
    "why_best_estimate": ("Best estimate", "Beste Schätzung", "Bedste skøn", "Beste skjønn"),
    "why_time_penalty": ("Time penalty", "Zeitstrafe", "Tidsstraf", "Tidsstraff"),
    "why_not_decided": ("Game not decided", "Nicht entschieden", "Ikke afgjort", "Ikke avgjort"),
    "why_given_back": ("Given back", "Zurückgegeben", "Givet tilbage", "Gitt tilbake"),
    "why_late": ("Late", "Verspätet", "Forsinket", "Forsinket"),
    "why_slow_play": ("Slow play", "Langsames Spiel", "Langsomt spil", "Langsomt spill"),
    "why_conduct": ("Conduct", "Verhalten", "Opførsel", "Oppførsel"),
    "why_bonus": ("Bonus", "Bonus", "Bonus", "Bonus"),
    "end_score": ("by score", "nach Punkten", "på point", "på poeng"),
    "end_time": ("on time", "durch Zeit", "på tid", "på tid"),
    "end_gin": ("gin: sure win", "Gin: sicherer Sieg", "gin: sikker sejr", "gin: sikker seier"),
    "end_late": ("opponent late", "Gegner verspätet", "modstander sen", "motstander sen"),
    "end_forfeit": ("opponent resigns", "Gegner gibt auf", "modstander opgiver", "motstander gir opp"),
    "end_director": ("director's decision", "Turnierleiter", "TL's afgørelse", "TLs avgjørelse"),
    "what_flag": ("Flag", "Flagge", "Flag", "Flagg"),
    "what_next_delay": ("Next delay", "Nächste Verzög.", "Næste delay", "Neste trekktid"),
    "what_banks": ("Both times", "Beide Zeiten", "Begge tider", "Begge tider"),
    "what_score": ("Score", "Stand", "Stilling", "Stilling"),
    "what_length": ("Match length", "Matchlänge", "Kamplængde", "Matchlengde"),
    "what_length_shortened": ("Match shortened", "Match verkürzt", "Kamp afkortet", "Match forkortet"),
    "what_crawford": ("Crawford", "Crawford", "Crawford", "Crawford"),
    "what_sides": ("Sides", "Seiten", "Sider", "Sider"),
    "what_breaks_taken": ("Breaks", "Pausen", "Pauser", "Pauser"),
    "what_clock": ("Clock", "Uhr", "Ur", "Klokke"),
    # Why a press had no effect
    "refused_already_confirmed": ("already confirmed", "schon bestätigt", "allerede bekræftet", "allerede bekreftet"),
    "refused_not_confirmed": ("both must confirm", "beide bestätigen", "begge bekræfter", "begge bekrefter"),
    "refused_no_break": ("no break left now", "keine Pause jetzt", "ingen pause nu", "ingen pause nå"),
    "refused_not_on_move": ("not on move", "nicht am Zug", "ikke i tur", "ikke i trekk"),
    "refused_absent": ("absent: centre stops", "fehlt: Mitte stoppt", "mangler: midten", "mangler: midten"),
    "refused_must_wait": ("must wait for delay", "muss noch warten", "skal vente", "må vente"),
    "refused_director_needed": ("director needed", "Turnierleiter nötig", "TL nødvendig", "TL nødvendig"),
    "refused_break": ("break", "Pause", "pause", "pause"),
    "refused_no_clock": ("no clock", "ohne Uhr", "uden ur", "uten klokke"),
    "refused_finished": ("match over", "Match zu Ende", "kamp slut", "match slutt"),
    "refused_too_late": ("a clock was started", "eine Uhr läuft", "et ur går", "en klokke går"),
    "refused_wrong_code": ("wrong code", "falscher Code", "forkert kode", "feil kode"),
    "refused_code_pause": ("wait: wrong codes", "warten: Code falsch", "vent: forkert kode", "vent: feil kode"),
    "refused_negative_time": ("time below zero", "Zeit unter null", "tid under nul", "tid under null"),
    "refused_score_outside_match": ("beyond the match", "über Matchlänge", "uden for kampen", "utenfor matchen"),
    "refused_not_between_games": ("only between games", "nur zw. Spielen", "kun mellem partier", "kun mellom partier"),
    "refused_length_ends_match": ("would end the match", "würde Match beenden", "ville slutte kampen", "ville slutte match"),
    # Warnings
    "warning_log": ("LOG NOT SAVED", "LOG NICHT SICHER", "LOG IKKE GEMT", "LOGG IKKE LAGRET"),
    "warning_serial": ("SERIAL LINE", "SERIELL", "SERIEL", "SERIELL"),
    "warning_display": ("DISPLAY FAULT", "ANZEIGE DEFEKT", "DISPLAYFEJL", "DISPLAYFEIL"),
    "warning_power": ("POWER LOW", "SPANNUNG NIEDRIG", "LAV SPÆNDING", "LAV SPENNING"),
    "warning_buttons": ("BUTTON FAULT", "TASTE DEFEKT", "KNAPFEJL", "KNAPPFEIL"),
}

# What an item of the director's menu is for; up to four lines.
ABOUT: dict[str, tuple[str, str, str, str]] = {
    "approve": ("Settings are right,\nfor both players", "Einstellung stimmt,\nfür beide Spieler", "Indstillingen er ok,\nfor begge spillere", "Oppsettet er riktig,\nfor begge spillere"),
    "resume": ("Start either clock:\nas it was, or with\na fresh delay", "Eine Uhr starten:\nwie zuvor oder mit\nneuer Verzögerung", "Start et ur:\nsom før eller med\nny delay", "Start en klokke:\nsom før eller med\nny trekktid"),
    "set_time": ("Set a player's time\nto a new value", "Zeit eines Spielers\nneu einstellen", "Sæt en spillers tid\ntil ny værdi", "Sett en spillers tid\ntil ny verdi"),
    "add_time": ("Give a player time\nor take it away", "Zeit geben\noder nehmen", "Giv en spiller tid\neller tag den", "Gi en spiller tid\neller ta den"),
    "give_back": ("Time as it was at\none of the last\npresses", "Zeit wie bei einem\nder letzten\nTastendrücke", "Tid som ved et af\nde sidste tryk", "Tid som ved et av\nde siste trykk"),
    "flag": ("Clear a flag, or\nenter one", "Flagge löschen\noder eintragen", "Slet et flag eller\nindtast et", "Slett et flagg eller\nlegg inn et"),
    "overtime": ("Grant overtime,\nclears the flag", "Nachspielzeit geben,\nlöscht die Flagge", "Giv overtid,\nsletter flaget", "Gi overtid,\nsletter flagget"),
    "next_delay": ("Delay of the next\nturn: full, none,\nor wait", "Nächste Verzögerung:\nvoll, keine\noder abwarten", "Næste turs delay:\nfuld, ingen\neller vent", "Neste trekktid:\nfull, ingen\neller vent"),
    "penalty": ("Points against a\nplayer, for the\nopponent", "Punkte gegen einen\nSpieler, für den\nGegner", "Point imod en\nspiller, til\nmodstanderen", "Poeng mot en\nspiller, til\nmotstanderen"),
    "bonus": ("Points for a player\nof normal speed", "Punkte für normales\nTempo", "Point til spiller\ni normalt tempo", "Poeng til spiller\ni normalt tempo"),
    "score": ("Correct the score;\nthe cards decide", "Stand berichtigen;\ndie Karten gelten", "Ret stillingen;\nkortene afgør", "Rett stillingen;\nkortene avgjør"),
    "length": ("Correct the length\nof the match", "Matchlänge\nberichtigen", "Ret kampens\nlængde", "Rett matchens\nlengde"),
    "shorten": ("Two points shorter,\nboth play slowly", "Zwei Punkte kürzer,\nbeide sind langsam", "To point kortere,\nbegge er langsomme", "To poeng kortere,\nbegge er langsomme"),
    "crawford": ("Correct Crawford", "Crawford berichtigen", "Ret Crawford", "Rett Crawford"),
    "breaks": ("Correct breaks\ntaken; 0 allows one", "Pausen berichtigen;\n0 erlaubt eine", "Ret brugte pauser;\n0 tillader en", "Rett brukte pauser;\n0 tillater en"),
    "absent": ("Match is due and a\nplayer is missing:\ncount lateness", "Match ist fällig und\njemand fehlt:\nVerspätung zählen", "Kampen er begyndt,\nspiller mangler:\ntæl forsinkelse", "Matchen er i gang,\nspiller mangler:\ntell forsinkelse"),
    "absent_clock": ("His clock runs until\nthe centre stops it", "Seine Uhr läuft, bis\ndie Mitte stoppt", "Hans ur går, til\nmidten stopper det", "Klokka går til\nmidten stopper den"),
    "reset_banks": ("Both times anew by\nthe formula", "Beide Zeiten neu\nnach der Formel", "Begge tider på ny\nefter formlen", "Begge tider på nytt\netter formelen"),
    "swap": ("Players change\nsides, with all\nthat is theirs", "Spieler tauschen\ndie Seiten", "Spillerne bytter\nside", "Spillerne bytter\nside"),
    "no_clock": ("The rest is played\nwithout a clock", "Der Rest wird ohne\nUhr gespielt", "Resten spilles\nuden ur", "Resten spilles\nuten klokke"),
    "end_match": ("Name the winner\nand why", "Sieger und Grund\nnennen", "Nævn vinder\nog grund", "Oppgi vinner\nog grunn"),
    "reopen": ("The closed game or\nmatch goes on", "Beendetes Spiel\ngeht weiter", "Det sluttede parti\nfortsætter", "Det avsluttede parti\nfortsetter"),
    "new_match": ("A new match by the\nsettings on the card", "Neues Match nach\nder Einstellung", "Ny kamp efter\nindstillingen", "Ny match etter\noppsettet"),
}  # fmt: skip

_WORDS = STATUS | KEYS | LINES | {f"about_{item}": row for item, row in ABOUT.items()}


def sayer(language: str) -> Callable[..., str]:
    """The function that says a key of the table in a language.

    Args:
        language: one of `LANGUAGES`.

    Returns:
        `say(key, **values)`. A key that begins with "=" is said as it is written; an unknown one
        is a fault of the program and raises KeyError.
    """
    column = LANGUAGES.index(language)

    def say(key: str, **values: object) -> str:
        if key.startswith("="):
            return key[1:]
        return _WORDS[key][column].format(**values)

    return say
