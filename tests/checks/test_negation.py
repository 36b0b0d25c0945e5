"""What is denied where it stands, and what only looks so."""

from __future__ import annotations

import time

import pytest

from multiturn.checks.matching import Variants
from multiturn.checks.negation import REACH, is_negated
from multiturn.checks.part import whole

WALNUT = ("walnut*", "walnuss*", "walnüss*", "noix", "nuez", "nueces", "орех*", "核桃", "くるみ", "クルミ")
FRIDAY = ("Friday", "Freitag", "vendredi", "viernes", "пятниц*", "周五", "星期五", "金曜日")

DENIED = [
    # English
    "A cake with no walnuts.",
    "It has no chopped walnuts in it.",
    "A cake without any walnuts.",
    "Bake it without milk, eggs, or walnuts.",
    "Bake it without milk and walnuts.",
    "No nuts, seeds or walnuts.",
    "It is walnut-free.",
    "It's a walnut free cake.",
    "This cake is free of walnuts.",
    "I would not add walnuts.",
    "Please don't put any walnuts in the batter.",
    "It shouldn't contain walnuts.",
    "Never use walnuts for Mira.",
    "Use almonds instead of walnuts.",
    "Use almonds rather than walnuts.",
    "Almonds, not walnuts.",
    "Skip the walnuts.",
    "Leave out the walnuts.",
    "Leave the walnuts out.",
    "Walnuts are out.",
    "Walnuts are not allowed here.",
    "Walnuts aren't a good idea.",
    "The walnuts should be avoided.",
    "Replace the walnuts with almonds.",
    "Neither almonds nor walnuts.",
    "Anything but walnuts.",
    "Mira is allergic to walnuts.",
    "Because of her walnut allergy, I chose lemon.",
    "Walnuts: none.",
    "It contains **no** *walnuts*.",
    "Instead of Friday, come on Saturday.",
    "Not on Friday but on Saturday.",
    "It is Saturday, not Friday.",
    "It isn't on Friday anymore.",
    "It is no longer Friday.",
    "The meeting moved from Friday to Saturday.",
    "Friday doesn't work.",
    "Friday won't work for her.",
    "We can't meet on Friday.",
    "Saturday - not Friday - is the day.",
    "Non-walnut cakes are fine.",
    "Not Friday. Saturday.",
    "Nuts: none (walnuts excluded).",
    "Since walnuts are off the table, use seeds.",
    "It was Friday at first, but you moved it to Saturday.",
    # German
    "Ein Kuchen ohne Walnüsse.",
    "Der Kuchen enthält keine Walnüsse.",
    "Ich würde nicht Walnüsse nehmen.",
    "Nimm Mandeln statt Walnüsse.",
    "Weder Mandeln noch Walnüsse.",
    "Ein walnussfreier Kuchen.",
    "Lass die Walnüsse weg.",
    "Verzichte auf Walnüsse.",
    "Walnüsse sind nicht erlaubt.",
    "Walnüsse darfst du nicht nehmen.",
    "Der Freitag wurde auf Samstag verschoben.",
    "Ersetze die Walnüsse durch Mandeln.",
    "Nicht am Freitag, sondern am Samstag.",
    "Am Samstag, nicht am Freitag.",
    "Der Freitag geht nicht.",
    "Anstelle von Freitag nehmen wir Samstag.",
    "Sie ist allergisch gegen Walnüsse.",
    # French
    "Un gâteau sans noix.",
    "Il n'y a pas de noix dedans.",
    "N'ajoutez pas de noix.",
    "Évitez les noix.",
    "Des amandes au lieu de noix.",
    "Plutôt que des noix, des amandes.",
    "Ni amandes ni noix.",
    "Les noix ne sont pas permises.",
    "Aucune noix.",
    "Pas vendredi, mais samedi.",
    "Samedi et non vendredi.",
    # Spanish
    "Un pastel sin nueces.",
    "No uses nueces.",
    "No lleva nueces.",
    "Almendras en vez de nueces.",
    "Almendras en lugar de las nueces.",
    "Ni almendras ni nueces.",
    "Las nueces no van.",
    "Evita las nueces.",
    "No el viernes, sino el sábado.",
    "Es alérgica a las nueces.",
    # Russian
    "Торт без орехов.",
    "В нём нет орехов.",
    "Не добавляйте орехи.",
    "Миндаль вместо орехов.",
    "Орехи не нужны.",
    "Никаких орехов.",
    "Не в пятницу, а в субботу.",
    "В субботу, а не в пятницу.",
    "У неё аллергия на орехи.",
    # Chinese
    "这个蛋糕不含核桃。",
    "这个蛋糕不含任何核桃。",
    "不要放核桃。",
    "里面没有核桃。",
    "不含牛奶、核桃和鸡蛋。",
    "无核桃蛋糕。",
    "请避免核桃。",
    "用杏仁代替核桃。",
    "她对核桃过敏。",
    "核桃不能用。",
    "不是周五,而是周六。",
    "是周六，而不是周五。",
    "周五不行。",
    # Japanese
    "くるみなしのケーキです。",
    "くるみは入れないでください。",
    "くるみは使っていません。",
    "クルミを含まないケーキ。",
    "くるみ抜きで作ります。",
    "くるみの代わりにアーモンドを使います。",
    "くるみアレルギーなので、レモンにします。",
    "金曜日ではなく土曜日です。",
    "金曜日じゃなくて土曜日です。",
]

SAID = [
    # English
    "A cake with walnuts.",
    "Not bad, but walnuts belong in it.",
    "Not bad, walnuts would help.",
    "I would not bake it long. Add walnuts.",
    "I would not bake it long and add walnuts.",
    "No, walnuts are fine.",
    "No problem, walnuts are fine.",
    "No doubt walnuts would be best.",
    "Not only walnuts, almonds too.",
    "I don't mind adding walnuts.",
    "Don't forget the walnuts.",
    "Don't bake it without walnuts.",
    "It is no cake without walnuts.",
    "You can't go wrong with walnuts.",
    "Why not add walnuts?",
    "It has no milk, but plenty of walnuts.",
    "No milk, just walnuts.",
    "Use no milk and add walnuts.",
    "A cake without milk and with walnuts.",
    "A cake without milk, with walnuts.",
    "A cake without milk; walnuts make it rich.",
    "Replace the almonds with walnuts.",
    "Since it is not sweet, add walnuts.",
    "Walnuts are not only tasty, they are cheap.",
    "Walnuts aren't bad here.",
    "Walnuts make it rich, not dry.",
    "Nothing beats walnuts.",
    "Not on Thursday but Friday.",
    "Friday, not Saturday.",
    "It is Friday rather than Saturday.",
    "Instead of Saturday, come on Friday.",
    "Deliver it no later than Friday.",
    "Not before Friday.",
    "I have Friday free.",
    "It moved from Saturday to Friday.",
    "Not Saturday - Friday.",
    "The cake isn't too sweet thanks to walnuts.",
    "Mix flour, sugar (no salt), walnuts.",
    "If you don't have pecans, use walnuts.",
    # German
    "Ein Kuchen mit Walnüssen.",
    "Nicht schlecht, aber Walnüsse gehören hinein.",
    "Kein Problem, Walnüsse passen.",
    "Nicht nur Walnüsse, auch Mandeln.",
    "Ohne Zweifel Walnüsse.",
    "Gib noch Walnüsse dazu.",
    "Nicht ohne Walnüsse backen.",
    "Vergiss die Walnüsse nicht.",
    "Ersetze die Mandeln durch Walnüsse.",
    "Nicht am Donnerstag, sondern am Freitag.",
    "Am Freitag, nicht am Samstag.",
    "Ein walnussfreundlicher Kuchen.",
    "Ich habe am Freitag frei.",
    # French
    "Un gâteau aux noix.",
    "Pas de problème, les noix conviennent.",
    "Pas seulement des noix.",
    "Sans doute des noix.",
    "N'oubliez pas les noix.",
    "Pas jeudi, mais vendredi.",
    "Pas sans noix.",
    # Spanish
    "Un pastel con nueces.",
    "No solo nueces.",
    "No es el jueves, es el viernes.",
    "Sin duda, nueces.",
    "Sin problema, nueces.",
    "No olvides las nueces.",
    "No el jueves, sino el viernes.",
    # Russian
    "Торт с орехами.",
    "Не только орехи.",
    "Не забудьте орехи.",
    "Без проблем, добавьте орехи.",
    "Не в четверг, а в пятницу.",
    # Chinese
    "加核桃的蛋糕。",
    "没问题，可以放核桃。",
    "没问题可以放核桃。",
    "不仅有核桃。",
    "不过核桃很好。",
    "要不要放核桃？",
    "特别是核桃。",
    "不是周四，而是周五。",
    "是不是周五？",
    "是周五不是周六。",
    # Japanese
    "くるみ入りのケーキです。",
    "くるみだけでなく、アーモンドも。",
    "くるみを入れなければなりません。",
    "くるみを入れるかもしれません。",
    "くるみを入れても問題ありません。",
    "くるみを入れませんか？",
    "木曜日ではなく金曜日です。",
]


def denied(text: str) -> bool:
    """Whether a walnut or a Friday stands in the text, and each is denied."""
    for phrases in (WALNUT, FRIDAY):
        found = Variants(phrases)
        if found.find(whole(text)):
            return found.find(whole(text), unless_negated=True) is None
    raise AssertionError(text)


@pytest.mark.parametrize("text", DENIED)
def test_what_is_denied(text: str) -> None:
    """In seven languages, before the phrase and behind it."""
    assert denied(text)


@pytest.mark.parametrize("text", SAID)
def test_what_only_looks_denied(text: str) -> None:
    """Another clause, another thing, an idiom, a double negation."""
    assert not denied(text)


def test_only_the_neighbourhood_counts() -> None:
    """What stands further away than the reach denies nothing, though it be the same clause."""
    near = "without " + "x" * (REACH - 20) + " walnuts"
    far = "without " + "x" * REACH + " walnuts"
    assert is_negated(near, near.index("walnuts"), len(near))
    assert not is_negated(far, far.index("walnuts"), len(far))
    cut = "cannot" + " " * (REACH - 3) + "walnuts"
    assert not is_negated(cut, cut.index("walnuts"), len(cut)), "half a word is none"


HOSTILE = [
    "no walnuts, ",
    "no ,,,'\"* walnuts of ",
    "not " * 9 + "walnuts ",
    "walnuts" + " is" * 9,
    "walnuts-",
    "核桃不",
]


@pytest.mark.parametrize("piece", HOSTILE)
def test_time_grows_with_the_length_only(piece: str) -> None:
    """Half a million characters in which a phrase stands nearly everywhere, each to be looked at."""
    part = whole(piece * (500_000 // len(piece)))
    start = time.perf_counter()
    Variants(WALNUT).find(part, unless_negated=True)
    assert time.perf_counter() - start < 20
