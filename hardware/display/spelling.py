# ruff: noqa: RUF001 (letters of other alphabets are what this module is about)
"""Letters that a font lacks, in the letters that it has: as names are usually written abroad.

Latin letters lose what decorates them, Greek ones are spelled as ELOT 743 does and Cyrillic ones as
English does. What is neither, such as Hebrew or Japanese, has no spelling here.
"""

import re
import unicodedata
from functools import cache, lru_cache
from pathlib import Path

FONTS = Path(__file__).with_name("fonts")

_LATIN = (
    "Æ:AE æ:ae Œ:OE œ:oe Ĳ:IJ ĳ:ij ß:ss ẞ:SS Þ:Th þ:th Ð:D ð:d Đ:D đ:d Ŋ:Ng ŋ:ng ŉ:'n ĸ:k ſ:s"
    " ƀ:b Ɓ:B Ƃ:B ƃ:b Ƅ:B ƅ:b Ɔ:O ƈ:c Ƈ:C Ɖ:D Ɗ:D Ƌ:D ƌ:d ƍ:d Ǝ:E ǝ:e Ə:E Ɛ:E Ƒ:F ƒ:f Ɠ:G Ɣ:G"
    " ƕ:hv Ƕ:Hv Ɩ:I Ɨ:I Ƙ:K ƙ:k ƚ:l ƛ:l Ɯ:M Ɲ:N ƞ:n Ɵ:O Ƣ:Gh ƣ:gh Ƥ:P ƥ:p Ʀ:R Ƨ:S ƨ:s Ʃ:Sh"
    " ƪ:sh ƫ:t Ƭ:T ƭ:t Ʈ:T Ʊ:U Ʋ:V Ƴ:Y ƴ:y Ƶ:Z ƶ:z Ʒ:Zh Ƹ:Zh ƹ:zh ƺ:zh ƻ:dz Ƽ:5 ƽ:5 ƾ:ts ƿ:w"
    " Ƿ:W ǀ:| ǁ:|| ǂ:| ǃ:! ʒ:zh Ǥ:G ǥ:g Ȝ:Y ȝ:y Ƞ:N ȡ:d Ȣ:Ou ȣ:ou Ȥ:Z ȥ:z ȴ:l ȵ:n ȶ:t ȷ:j ȸ:db ȹ:qp"
    " Ⱥ:A Ȼ:C ȼ:c Ƚ:L Ⱦ:T ȿ:s ɀ:z Ɂ:' ɂ:' Ƀ:B Ʉ:U Ʌ:V Ɇ:E ɇ:e Ɉ:J ɉ:j Ɋ:Q ɋ:q Ɍ:R ɍ:r Ɏ:Y ɏ:y"
    " Ħ:H ħ:h ı:i Ł:L ł:l Ø:O ø:o Ŧ:T ŧ:t"
)
_GREEK = (
    "α:a β:v γ:g δ:d ε:e ζ:z η:i θ:th ι:i κ:k λ:l μ:m ν:n ξ:x ο:o π:p ρ:r σ:s ς:s τ:t υ:y φ:f"
    " χ:ch ψ:ps ω:o ϐ:v ϑ:th ϒ:y ϓ:y ϔ:y ϕ:f ϖ:p ϗ:kai ϙ:q ϛ:st ϝ:w ϟ:q ϡ:ss ϣ:sh ϥ:f ϧ:kh ϩ:h"
    " ϫ:j ϭ:ch ϯ:ti ϰ:k ϱ:r ϲ:s ϳ:j ϵ:e ϸ:sh ϻ:s ϼ:r ͱ:h ͳ:s ʹ:' ͷ:w ͻ:s ͼ:s ͽ:s ϴ:th ͺ:i"
)
_CYRILLIC = (
    "а:a б:b в:v г:g д:d е:e ё:yo ж:zh з:z и:i й:y к:k л:l м:m н:n о:o п:p р:r с:s т:t у:u"
    " ф:f х:kh ц:ts ч:ch ш:sh щ:shch ъ: ы:y ь: э:e ю:yu я:ya ѐ:e ђ:dj ѓ:gj є:ye ѕ:dz і:i ї:yi"
    " ј:j љ:lj њ:nj ћ:c ќ:kj ѝ:i ў:u џ:dz ѡ:o ѣ:e ѥ:ye ѧ:ya ѩ:ya ѫ:u ѭ:yu ѯ:ks ѱ:ps ѳ:f ѵ:i"
    " ѷ:i ѹ:u ѻ:o ѽ:o ѿ:ot ҁ:k ҍ:e ґ:g қ:q ң:ng ҥ:ng ҩ:o ү:u ұ:u ҳ:h ҵ:ts ҷ:ch ҹ:j һ:h ҽ:ch"
    " ҿ:ch ӏ:' Ӏ:' ӕ:ae ә:a ӛ:a ӡ:dz ө:o ӫ:o ӷ:g ԁ:d ԃ:dj ԅ:zh ԇ:dz ԉ:lj ԋ:nj ԍ:s ԏ:t ԑ:e ԓ:l"
    " ԕ:lh ԗ:rh ԙ:ya ԛ:q ԝ:w ԟ:k ԡ:l ԣ:n ԥ:p ԧ:h ԩ:n ԫ:dzh ԭ:ch ԯ:l ҝ:g ҟ:k ҡ:q ӻ:g ӽ:h ӿ:h"
    " ӌ:ch"
)
_ALONE = dict(pair.split(":") for pair in f"{_LATIN} {_GREEK} {_CYRILLIC}".split())
_TOGETHER = {  # two Greek letters with a spelling of their own
    "ου": "ou", "αυ": "av", "ευ": "ev", "γγ": "ng", "γξ": "nx", "γχ": "nch",
    "ού": "ou", "αύ": "av", "εύ": "ev",
}  # fmt: skip
_PAIRS = re.compile("|".join(_TOGETHER), re.IGNORECASE)
_WITH = re.compile(r"(.+ LETTER .+?) WITH .+")  # "CYRILLIC SMALL LETTER KA WITH DESCENDER"


@cache
def characters(font: Path) -> frozenset[str]:
    """Return the characters that a font has."""
    codes = re.findall(r"^ENCODING (\d+)$", font.read_text("ascii"), re.MULTILINE)
    return frozenset(chr(int(code)) for code in codes)


def unknown_letters(text: str) -> str:
    """Return the characters of a text that panels can neither draw nor spell, each once."""
    known = characters(FONTS / "text.bdf")
    return "".join(dict.fromkeys(char for char in spelled(text, known) if char not in known))


@lru_cache(512)
def spelled(text: str, known: frozenset[str]) -> str:
    """Return a text with a spelling for each letter that is not known; what has none stays."""
    text = unicodedata.normalize("NFC", text)
    if all(char in known for char in text):
        return text
    text = _PAIRS.sub(lambda found: _as_in(found[0], _TOGETHER[found[0].lower()]), text)
    return "".join(char if char in known else _letter(char, known) for char in text)


def _letter(char: str, known: frozenset[str]) -> str:
    """Return the spelling of a letter; the letter itself if it has none."""
    seen = set[str]()
    while char not in seen:
        seen.add(char)
        if char in _ALONE:
            return _ALONE[char]
        if char.lower() in _ALONE:
            return _as_in(char, _ALONE[char.lower()])
        if unicodedata.combining(char) or unicodedata.category(char) == "Cf":
            return ""  # an accent without a letter of its own, a mark that is not seen
        base = unicodedata.normalize("NFKD", char)
        if base != char:
            return "".join(each if each in known else _letter(each, known) for each in base)
        char = _undecorated(char)
    return char


def _undecorated(char: str) -> str:
    found = _WITH.fullmatch(unicodedata.name(char, ""))
    try:
        return unicodedata.lookup(found[1]) if found else char
    except KeyError:
        return char


def _as_in(written: str, spelling: str) -> str:
    """Return a spelling as large as what was written."""
    return spelling.capitalize() if written[:1].isupper() else spelling
