"""Whether a text is English, guessed from its small words; in doubt, it is.

Terms of the dictionaries are words of other languages, too: Spanish *he*, German *man*. A text is
of another language only if many of its words are small words of that language and nearly none are
small words of English, or if most of its letters are of another script. Dialects, short texts and
texts with words of two languages stay English.
"""

import re
import unicodedata
from collections import Counter
from functools import lru_cache

_WORD = re.compile(r"[^\W\d_]+")
_LOOKED_AT = 400  # words
_ENGLISH = frozenset(
    """a about after again all also always am an and any are as at be because been before being but
    by came can could did do does don down even ever every for from get go going good got had has
    have her here hers him his how i if in into is it its just know like make many me more most
    much my myself never no not now of off on one only or other our out over people really said
    say says she should so some still such take than that the their them then there these they
    thing think this those to too two under up us very want was way we well went were what when
    where which who why will with would yes you your""".split()
)
_SMALL_WORDS = {
    "Spanish": """al como con cuando de del donde el ella ellos en era es esta este está están
        fue ha han hay he hombre la las le les lo los me mi mis muy más mujer no nos para pero
        por porque que qué se si sin sobre son soy su sus también te tiene todo tu un una uno y
        ya yo a hijo madre padre tengo vino voy padres buenos bueno buena señor señora gusta""",
    "French": """au aux avec ce ces cette c dans de des du elle elles en est et eux femme homme
        il ils j je l la le les leur lui ma mais me mes mon même n ne nous on ont ou où par pas
        plus pour qu que qui s sa sans se ses son sont sur ta tu un une vous y à été était être
        bien dit fait hommes femmes mère nos notre père rien suis très vos votre""",
    "German": """aber als am an auch auf aus bei das dass dem den der des die dir doch du ein
        eine einem einen einer er es frau für haben hat hatte ich ihm ihn ihr im in ist ja kann
        kein man mann mein mich mit nach nicht noch nur oder sehr sein seine sich sie sind so um
        und uns von war was weil wenn wie wir wird zu zum zur über alles dann denn diese dieser
        etwas euch geht her hier hin jetzt komm mal mehr mir mutter schon sohn son vater wer
        wieder will wo kommst bist hast kind""",
    "Italian": """a me al alla anche che chi ci come con da dal dei del della delle di donna e
        era essere gli ha hanno ho i il in io la le lei lo loro lui ma mi mia mio molto nel
        nella non o per perché più quando questa questo se sei si sono su sua suo ti tu un una
        uno uomo è casa figlio madre mai noi padre poi quello tra tutti tutto vi voi""",
    "Portuguese": """a ao as com como da das de dela dele do dos e ela ele eles em era essa esse
        esta está eu foi há homem isso mais mas me meu minha muito mulher na no nos não o os ou
        para pela pelo por porque que se sem ser seu sua são também tem um uma você à é agora
        filho mãe meus pai quando senhor tudo vai rua casa pra""",
    "Dutch": """aan als bij dan dat de deze die dit door een en er geen haar had heb hebben
        heeft hem het hij hoe ik in is je kan maar man met mij mijn naar niet nog of om onder
        ook op over te tot uit van veel voor vrouw waar was wat we wel werd wij zich zij zijn zo
        zonder ze ben dag gaat geef goed his jouw kom mannen moet moeder nu vader vrouwen wil
        wordt zoon""",
    "Polish": """ale bo być był była było co czy dla do gdy go i ich ja jak jego jej jest jestem
        już kiedy kobieta która który ma mi mnie może na nie od on ona oni po pod przez się są
        tak tam tego to tu ty tym w we wszystko z za ze że bardzo chłopak człowiek kobiety matka
        ojciec pan pani syn tylko""",
    "Turkish": """ama ben bir bu çok da daha de değil diye en gibi her için ile kadar ki kadın
        mi mu ne o olan olarak olduğu onu sen şey ve var ya yok annem babam bizim gün iyi kız
        nasıl oğlum onun sabah şimdi seni zaman olacak güzel çay""",
    "Indonesian": """ada adalah akan aku anda apa atau bahwa bisa bukan dan dari dengan di dia
        ini itu juga kami karena ke kita lebih mereka oleh orang pada saya sangat sebuah sudah
        tidak untuk yang""",
    "Swedish": """att av de den det du en ett för från han har hon i inte jag kan man med men
        mig min när och om på sig som så till var vi är alla barn bra deras hans henne icke
        mamma mannen måste pappa skall ska sin son vad vill""",
    "Danish": """af at bor by den der det du en er et for fra ham han har havde hende her hun
        hvad hvor i ikke jeg kan kom man med men mig min når og om op på sig sin skal som så til
        var ved vi vil være""",
}
_PARTICLES = frozenset(
    "al da de del della der di do dos du el la las le les los san van von".split()
)
_FEWEST = 3  # different small words of the other language
_CLEAR = 2  # of its words that are none of English
_SHARE = 0.4  # of all words
_MORE = 6  # times as many as English ones
_LATIN = "LATIN"


def other_language(text: str) -> str:
    """Return the language of a text that is not English, or ""."""
    words = [word.lower() for word in _WORD.findall(text)[:_LOOKED_AT]]
    if not words:
        return ""
    if script := _script(words):
        return script
    counted = Counter(words)
    best, most = "", 0
    for language, small in _small_words().items():
        own = [word for word in counted if word in small]
        hits = sum(counted[word] for word in own)
        english = sum(n for word, n in counted.items() if word in _ENGLISH - small)
        enough = len(own) >= _FEWEST and len([w for w in own if w not in _PARTICLES]) >= _FEWEST
        shared = hits >= _SHARE * len(words) and hits >= _MORE * english
        clear = sum(counted[word] for word in own if word not in _ENGLISH) >= _CLEAR
        if enough and shared and clear and hits > most:
            best, most = language, hits
    return best


def _script(words: list[str]) -> str:
    """Return the name of a script that is not Latin and that most letters are of."""
    scripts = Counter(map(_script_of, "".join(words)[: _LOOKED_AT * 4]))
    name, most = scripts.most_common(1)[0]
    return "" if name == _LATIN or 2 * most <= scripts.total() else f"{name.capitalize()} script"


@lru_cache(maxsize=4096)
def _script_of(letter: str) -> str:
    name = unicodedata.name(letter, _LATIN).partition(" ")[0]
    return _LATIN if name in ("FULLWIDTH", "MATHEMATICAL", "MODIFIER", "COMBINING") else name


@lru_cache(maxsize=1)
def _small_words() -> dict[str, frozenset[str]]:
    return {language: frozenset(words.split()) for language, words in _SMALL_WORDS.items()}
